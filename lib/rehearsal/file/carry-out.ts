import { list, record } from '../engine/app/template.ts';
import type { FunctionPlace } from '../engine/lambda/functions.ts';
import type { Invocation, InvocationWatch } from '../engine/lambda/lambda.ts';
import type { Circumstances, Outcome } from '../engine/lambda/sandbox.ts';
import type { TapHooks } from '../engine/servers/tap.ts';
import type { ProviderFault } from '../provider.ts';
import type { EventFaults } from '../services/event-buses/put-events.ts';
import type { ConsumerPlace } from '../services/sqs/consumers.ts';
import type { DeliveryFaults } from '../services/sqs/event-source.ts';
import type { StreamFaults } from '../services/streams/stream.ts';
import { atProvider, killCaller } from './at-provider.ts';
import { deliveryFaults } from './at-queue.ts';
import { eventFaults, streamFaults } from './at-source.ts';
import { storeHooks } from './at-store.ts';
import { type Carrying, type CarryOutOptions, dies, type FaultStats, freezes, nth, takes } from './carrying.ts';

/*
 * Carries a plan out, at the taps of the engine, and writes down what happens there.
 *
 * Each trouble happens once, at its first chance. A trouble whose moment never comes (a second write of a function that has one) does not
 * happen: the report counts what was planned and what happened.
 */

export interface CarriedOut {
  readonly stats: Readonly<FaultStats>;
  /** How many were planned for the intents that have reached a function, or a provider. */
  readonly planned: Readonly<FaultStats>;
  /** Whether a function has read an index, where one may lag. */
  readonly readsIndex: () => boolean;
  /** Whether a function has read a table, by its name. */
  readonly hasRead: (construct: string, table: string) => boolean;
  /** Whether a function may remember where no record is: it writes to S3, or asks a provider before it calls. */
  readonly mayRemember: (construct: string) => boolean;
  /** A sandbox has done something that may be its memory. */
  readonly remembers: (sandbox: string | undefined) => void;
  /** Sees who writes to S3. */
  readonly s3: TapHooks;
  /** The intents that a sandbox is working on. */
  readonly workOf: (sandbox: string) => readonly string[];
  /** Whether something went wrong for a sandbox in its last invocation. */
  readonly wasDisturbed: (sandbox: string) => boolean;
  /** Something went wrong for a sandbox by another rule. */
  readonly disturb: (sandbox: string) => void;
  readonly watch: InvocationWatch;
  readonly dynamodb: TapHooks;
  readonly delivery: (consumer: ConsumerPlace) => DeliveryFaults;
  readonly streamDelivery: (consumer: FunctionPlace) => StreamFaults;
  readonly eventDelivery: (rule: FunctionPlace) => EventFaults;
  /** Kills the sandbox that calls a provider, at the moment of its fault. */
  readonly killCaller: (sandbox: string) => void;
  readonly atProvider: (intent: string, provider: string, sandbox: string | undefined) => ProviderFault | undefined;
}

const noFaults: FaultStats = {
  ...{ kill: 0, redeliver: 0, loseAnswer: 0, throttle: 0 },
  ...{ freeze: 0, provider: 0, ttl: 0, indexLag: 0 },
};

export function carryOut(options: CarryOutOptions): CarriedOut {
  const state: Carrying = {
    ...options,
    stats: { ...noFaults },
    planned: { ...noFaults },
    working: new Map(),
    seen: new WeakMap(),
    counts: new Map(),
    spent: new Set(),
    disturbed: new Set(),
    dying: new Map(),
  };
  const remembers = (sandbox: string | undefined) => {
    const work = sandbox === undefined ? undefined : state.working.get(sandbox);
    if (work !== undefined) takes(state, 'may remember', work.construct);
  };
  return {
    stats: state.stats,
    planned: state.planned,
    mayRemember: (construct) => state.spent.has(['may remember', construct].join('\n')),
    remembers,
    s3: {
      onRequest({ sandbox, operation }) {
        if (/^(?:PUT|POST) /.test(operation)) remembers(sandbox);
        return 'pass';
      },
    },
    readsIndex: () => state.spent.has('reads an index'),
    hasRead: (construct, table) => state.spent.has(['reads', construct, table].join('\n')),
    workOf: (sandbox) => state.working.get(sandbox)?.intents ?? [],
    wasDisturbed: (sandbox) => state.disturbed.has(sandbox),
    disturb: (sandbox) => void state.disturbed.add(sandbox),
    watch: {
      onBegin: (invocation) => begin(state, invocation),
      onEnd: (invocation, outcome, { machine }) => end(state, invocation, outcome, machine),
    },
    dynamodb: storeHooks(state),
    delivery: (consumer) => deliveryFaults(state, consumer),
    streamDelivery: ({ construct }) => streamFaults(state, construct),
    eventDelivery: ({ construct }) => eventFaults(state, construct),
    killCaller: (sandbox) => killCaller(state, sandbox),
    atProvider: (intent, provider, sandbox) => atProvider(state, intent, provider, sandbox),
  };
}

function begin(state: Carrying, { sandbox, construct, event }: Invocation): void {
  const records = list(record(event)['Records']).map(record);
  state.disturbed.delete(sandbox);
  const receives = new Map<string, number>();
  const items = new Map<string, readonly string[]>();
  const messages = new Map<string, string>();
  for (const one of records) {
    const about = intentsOfRecord(state, one);
    const count = timesOf(state, construct, one, about);
    items.set(String(one['messageId'] ?? record(one['dynamodb'])['SequenceNumber']), about);
    for (const intent of about) {
      receives.set(intent, count);
      if (typeof one['messageId'] === 'string') messages.set(intent, one['messageId']);
    }
  }
  const intents = records.length > 0 ? [...receives.keys()] : state.intents.namedIn(JSON.stringify(event) ?? '');
  for (const intent of intents) countPlanned(state, intent, construct);
  const most = Math.max(1, ...receives.values());
  state.working.set(sandbox, { construct, intents, items, receives: most, batch: records.length });
  state.journal.add(intents, { kind: 'began', sandbox, construct, batch: records.length, receives, messages });
  const about = { sandbox, construct, intents };
  const start = () => ({ at: 'start' }) as const;
  if (dies(state, about, start, 'as it began')) state.kill(sandbox);
  else freezes(state, about, start, 'as it began');
}

/** What is planned for an intent at a function that it has reached. */
function countPlanned(state: Carrying, intent: string, construct: string): void {
  if (!takes(state, 'planned', construct, intent)) return;
  const { planned } = state;
  const trouble = state.plan.trouble(intent, construct);
  for (const fault of ['kill', 'loseAnswer', 'throttle', 'freeze', 'indexLag'] as const) {
    if (trouble[fault] !== undefined && trouble[fault] !== false) planned[fault] += 1;
  }
}

/** How often a record was delivered. A queue says so; of a stream, it is counted here. */
function timesOf(
  state: Carrying,
  construct: string,
  one: Readonly<Record<string, unknown>>,
  intents: readonly string[],
): number {
  const received = record(one['attributes'])['ApproximateReceiveCount'];
  if (received !== undefined) return Number(received);
  return Math.max(0, ...intents.map((intent) => nth(state, 'delivery', construct, intent))) + 1;
}

function intentsOfRecord(
  { messageIntent, intents }: Carrying,
  one: Readonly<Record<string, unknown>>,
): readonly string[] {
  const known = messageIntent(String(one['messageId']));
  return known === undefined ? intents.namedIn(JSON.stringify(one)) : [known];
}

function end(
  state: Carrying,
  { sandbox, construct }: Invocation,
  outcome: Outcome,
  machine: Circumstances['machine'],
): void {
  const work = state.working.get(sandbox);
  state.working.delete(sandbox);
  const batch = work?.batch ?? 0;
  const failed = new Set(failedItems(outcome).flatMap((id) => work?.items.get(id) ?? []));
  state.journal.add(work?.intents ?? [], {
    ...{ kind: 'ended', sandbox, construct, batch, outcome, failed },
    ...(machine === 'gave' ? {} : { machine }),
  });
}

/** What the response of a batch names as failed. */
function failedItems(outcome: Outcome): readonly string[] {
  const value = outcome.kind === 'response' ? outcome.value : undefined;
  return list(record(value)['batchItemFailures']).map((failure) => String(record(failure)['itemIdentifier']));
}
