import type { Claim } from '../engine/claim.ts';
import { internalsOf } from '../engine/claim-internals.ts';
import { emit, requestMs } from '../engine/engine.ts';
import { factsOf } from '../engine/events.ts';
import { change } from '../kernel/change.ts';
import { explainedError, InDoubtError, RejectedError } from '../kernel/errors.ts';
import type { Host } from '../kernel/host.ts';
import { boundedText } from '../kernel/name.ts';
import type { RecordedError } from '../kernel/recorded-error.ts';
import { answeredBy } from '../kernel/request.ts';
import { identityOf } from '../rules/identity.ts';
import { type ClaimRecord, understood } from '../rules/record.ts';
import { executionHash, executionIn, waitingId } from './execution-name.ts';
import type { StartedExecution } from './start-execution.ts';
import {
  type After,
  afterEnd,
  afterLook,
  afterRelease,
  type BeforeStart,
  beforeStart,
  type End,
  waiting,
} from './waiting.ts';
import type { WaitingClaims } from './waiting-options.ts';
import { startNamed, type WorkflowCall } from './workflow.ts';

/**
 * Starts the execution of an intent, and lets a claim of its own wait for the end.
 *
 * @param claim of the message
 * @throws what `startNamed` throws; InDoubtError when an operator has to decide first; the store's error
 */
export async function startAndWait(all: WaitingClaims, claim: Claim, input: string): Promise<void> {
  const { engine, workflow, operation } = all;
  const { host } = engine.settings;
  const { engine: asking, grant } = internalsOf(claim, 'startExecution');
  const { record: asked } = grant;
  const { target } = workflow;
  // By the host of the message's door, which may hide keys: the name is the same whether or not anything waits.
  const hash = executionHash({ operation, key: claim.key, target }, asking.settings.host);
  const id = waitingId(operation, hash);
  // For people: the message's claim, and what is started.
  const attributes = { claim: boundedText(asked.id, 256, host), target: boundedText(target, 512, host) };
  const request = { id, hash, fingerprint: asked.fingerprint, attributes };
  const until = host.now() + claim.remainingMs();
  const before = await claimExecution(all, request, until);
  const call = { signal: claim.signal };
  switch (before.kind) {
    case 'started':
      return;
    case 'key-reused':
      throw explainedError(RejectedError, `the key was used before with another payload: ${id}`, 'key-reused');
    case 'parked': {
      // What failed, or never ended, was started all the same.
      if ((await workflow.describe(before.record.claimId, call)) !== undefined) return;
      throw explainedError(InDoubtError, `the claim of its execution is parked: ${id}`, 'start-in-doubt');
    }
    case 'start': {
      const name = before.record.claimId;
      const execution = await startNamed(workflow, name, input, call, asked.unknownAt !== undefined);
      // The start is certain, and a look finds a claim that does not say so.
      await wait(all, before.record, { name, execution }, until).catch(() => undefined);
    }
  }
}

type Request = Parameters<typeof beforeStart>[1];

/** Writes the claim of an execution, before anything is started. */
async function claimExecution({ engine, rules }: WaitingClaims, request: Request, until: number): Promise<BeforeStart> {
  const { host, store } = engine.settings;
  let before: BeforeStart | undefined;
  await change<ClaimRecord>(host, {
    seen: undefined,
    transition(found, now) {
      before = beforeStart(understood(found), request, rules, now);
      return before.kind === 'start' && before.write !== undefined ? before.write.next : 'applied';
    },
    write: (one) => store.write(one),
    until,
    requestMs,
  });
  if (before?.kind === 'start')
    emit(engine, identityOf(request.id, host), { type: 'granted', ...factsOf(before.record) });
  return before as BeforeStart;
}

/** Says that the start of an execution is certain: its claim waits for the end. */
async function wait(
  all: WaitingClaims,
  seen: ClaimRecord | undefined,
  { name, execution }: StartedExecution,
  until: number,
): Promise<void> {
  const { engine, rules } = all;
  const { host, store } = engine.settings;
  const startedAt = host.now();
  await change<ClaimRecord>(host, {
    seen,
    transition: (found) => waiting(name, execution, understood(found), startedAt, rules),
    write: (one) => store.write(one),
    until,
    requestMs,
  });
}

/** An end, and the input of the execution if that was told with it. */
export interface ToldEnd extends End {
  readonly input: string | undefined;
}

/**
 * Tells a claim that its execution has ended, and starts the next one if that follows.
 *
 * @throws the store's error, or the target's: then it is to be told again
 */
export async function tellEnd(all: WaitingClaims, told: ToldEnd, until: number): Promise<After['kind']> {
  const hash = executionIn(told.name)?.hash;
  if (hash === undefined) return 'nothing';
  const { host, store } = all.engine.settings;
  const found = understood(await answeredBy(host, until, store.read(waitingId(all.operation, hash))));
  return decideAndStart(all, found, (one, now) => afterEnd(one, told, all.rules, now), told, until);
}

/**
 * Looks at the execution of a claim whose lease is over.
 *
 * @throws the store's error, or the target's
 */
export async function lookAt(all: WaitingClaims, found: ClaimRecord, until: number): Promise<After['kind']> {
  const { claimId: name } = found;
  const { host } = all.engine.settings;
  const execution = await answered(host, until, (call) => all.workflow.describe(name, call));
  const looked = (one: ClaimRecord | undefined, now: number): After =>
    // What has moved on meanwhile is another execution's.
    one?.claimId === name && one.status === 'in-flight' && one.rev === found.rev
      ? afterLook(one, execution, all.rules, now)
      : { kind: 'nothing' };
  const told = execution?.status === 'running' ? undefined : execution;
  return decideAndStart(all, found, looked, { name, input: told?.input, error: told?.error }, until);
}

/** Starts the next execution of a claim that an operator has released. @throws the store's error, or the target's */
export async function startReleased(all: WaitingClaims, id: string, until: number): Promise<After['kind']> {
  const { host, store } = all.engine.settings;
  const found = understood(await answeredBy(host, until, store.read(id)));
  const nothing = { name: '', input: undefined, error: undefined };
  return decideAndStart(all, found, (one, now) => afterRelease(one, all.rules, now), nothing, until);
}

/** Makes what was decided about a claim true, and starts the next execution if that follows. */
async function decideAndStart(
  all: WaitingClaims,
  seen: ClaimRecord | undefined,
  decided: (found: ClaimRecord | undefined, now: number) => After,
  told: Pick<ToldEnd, 'name' | 'input' | 'error'>,
  until: number,
): Promise<After['kind']> {
  const { engine } = all;
  const { host, store } = engine.settings;
  const last: { after: After } = { after: { kind: 'nothing' } };
  const changed = await change<ClaimRecord>(host, {
    seen,
    transition(found, now) {
      last.after = decided(understood(found), now);
      return 'next' in last.after ? last.after.next : 'applied';
    },
    write: (one) => store.write(one),
    until,
    requestMs,
  });
  const { after } = last;
  const record = changed.kind === 'applied' ? changed.record : undefined;
  if (record !== undefined) {
    reportEnd(all, after, record, told.error);
    if ('failed' in after) {
      const input = after.failed === told.name ? told.input : undefined;
      await startNext(all, record, { failed: after.failed, input, until });
    }
  }
  return after.kind;
}

/** Starts the execution that a claim stands for, with the input of the one that failed. */
async function startNext(
  all: WaitingClaims,
  record: ClaimRecord,
  { failed, input, until }: { readonly failed: string; readonly input: string | undefined; readonly until: number },
): Promise<void> {
  const { workflow } = all;
  const { host } = all.engine.settings;
  const name = record.claimId;
  const execution = await answered(host, until, async (call) => {
    const again = input ?? (await workflow.describe(failed, call))?.input;
    if (again === undefined) {
      const said = `${name} was not started: its target does not show the input of ${failed}`;
      throw explainedError(Error, said, 'start-in-doubt');
    }
    return startNamed(workflow, name, again, call);
  });
  await wait(all, record, { name, execution }, until);
}

/** Asks a target, and waits no longer than there is time. */
async function answered<T>(host: Host, until: number, ask: (call: WorkflowCall) => Promise<T>): Promise<T> {
  const giveUp = new AbortController();
  try {
    return await answeredBy(host, until, ask({ signal: giveUp.signal }));
  } catch (error) {
    giveUp.abort(error);
    throw error;
  }
}

function reportEnd(
  { engine }: WaitingClaims,
  { kind }: After,
  record: ClaimRecord,
  error: RecordedError | undefined,
): void {
  const identity = identityOf(record.id, engine.settings.host);
  if (kind === 'completed' || kind === 'parked') emit(engine, identity, { type: kind, ...factsOf(record) });
  if (kind !== 'start-again') return;
  emit(engine, identity, { type: 'released', ...factsOf(record, { status: 'released', error }) });
  emit(engine, identity, { type: 'granted', ...factsOf(record) });
}
