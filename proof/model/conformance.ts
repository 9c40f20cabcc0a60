import { isDeepStrictEqual } from 'node:util';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { Claim } from '../../lib/pawl/engine/claim.ts';
import { reconcile } from '../../lib/pawl/engine/reconcile.ts';
import { renewedLease } from '../../lib/pawl/engine/renewed-lease.ts';
import { step } from '../../lib/pawl/engine/step.ts';
import type { ClaimRecord } from '../../lib/pawl/rules/record.ts';
import type { ClaimStore, ClaimWrite, WriteResult } from '../../lib/pawl/rules/store.ts';
import type { Verdict } from '../../lib/pawl/rules/verdict.ts';
import { eachMessage } from '../../lib/pawl/sqs/index.ts';
import { sdk } from '../../lib/pawl/stores/dynamodb/index.ts';
import { sqsEvent, sqsRecord } from '../../test/support/lambda.ts';
import { times, unitMs } from './time.ts';
import { beat, beaten, begin, nobody, resume, stepName } from './worker.ts';
import { at, type Model, operation, settleMsOf, type Trail, type Waits, type Worker } from './world.ts';

/** What the code under comparison waits for, and how to answer it. */
interface Pending {
  readonly for: Waits['for'];
  readonly write?: ClaimWrite;
  readonly resolve: (value?: never) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Takes `eachMessage`, as it ships, through what a worker of the search met, and answers the first difference between what
 * the two want of the world: nothing when there is none. The search's worker is a machine beside the production code, and this
 * is what its word is worth.
 */
export async function difference(model: Model, trail: Trail): Promise<string | undefined> {
  const events = eventsOf(trail);
  const code = production(model, at(events, 0));
  let machine: Worker | undefined;
  for (const [index, one] of events.entries()) {
    machine = stepped(model, machine, one);
    code.meet(one);
    await settled();
    const wrong = disagreement(machine, code);
    if (wrong !== undefined)
      return `${wrong}, after ${events
        .slice(0, index + 1)
        .map(nameOf)
        .join(', ')}`;
  }
  return undefined;
}

/** Whatever does not wait for the world has run after that. */
function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

function eventsOf(trail: Trail): readonly Trail[] {
  const events: Trail[] = [];
  for (let one: Trail | undefined = trail; one; one = one.before) events.unshift(one);
  return events;
}

function nameOf({ event }: Trail): string {
  return event.is === 'verdict' ? event.verdict : event.is;
}

/** The search's worker goes on. */
function stepped(model: Model, before: Worker | undefined, { at: now, freshId, event }: Trail): Worker {
  const step = { model, now, freshId, tell: () => undefined };
  if (event.is === 'begins') return begin(step, { ...nobody, ...event, offset: 0, endsAt: 0 });
  if (before === undefined) throw new TypeError('a trail begins with its invocation');
  if (event.is === 'beats') return beat(step, before);
  if (event.is !== 'beaten') return resume(step, { ...before, answer: event });
  const { dueAt = 0, write, stopped = false } = before.beat ?? {};
  return beaten(step, { ...before, beat: { dueAt, write, answer: event.answer, stopped } });
}

function disagreement(
  { waits, beat, batch, dispositions, buried }: Worker,
  code: ReturnType<typeof production>,
): string | undefined {
  const main = code.pending();
  if (waits.for === 'end') {
    const visibility = dispositions.map((disposition) => {
      if (disposition.kind !== 'returned' || !waits.tells) return undefined;
      return Math.ceil((disposition.delayMs ?? Math.max(times.backoff * unitMs, disposition.atLeastMs ?? 0)) / 1000);
    });
    const failures = batch.flatMap((_, index) => {
      const { kind } = at(dispositions, index);
      return kind === 'acknowledged' || buried.includes(index) ? [] : [index];
    });
    const wanted = { failures, visibility };
    return same(wanted, code.answered()) ? undefined : told('answers Lambda', wanted, code.answered() ?? main?.for);
  }
  if (waits.for !== main?.for) return told('waits for', waits.for, main?.for ?? code.answered());
  const write = 'write' in waits ? waits.write : undefined;
  if (!same(code.real(write), main.write)) return told(`writes its ${waits.for}`, write, main.write);
  const beating = code.beating();
  return same(code.real(beat?.write), beating) ? undefined : told('beats', beat?.write, beating);
}

/** As they are written: nothing tells a field that is not there from one that is `undefined`. */
function same(a: unknown, b: unknown): boolean {
  const written = (value: unknown) => (value === undefined ? value : JSON.parse(JSON.stringify(value)));
  return isDeepStrictEqual(written(a), written(b));
}

function told(what: string, machine: unknown, code: unknown): string {
  return `the search's worker ${what} ${JSON.stringify(machine)}, the code ${JSON.stringify(code)}`;
}

/** A consumer that ships, in a world that does nothing by itself. */
function production(model: Model, { event, at: began }: Trail) {
  if (event.is !== 'begins') throw new TypeError('a trail begins with its invocation');
  const { config, rules } = model;
  const { onAbandoned, ...limits } = at(rules, event.policy);
  let now = began;
  let freshId = '';
  let main: Pending | undefined;
  let beating: Pending | undefined;
  let heartbeat: (() => void) | undefined;
  let response: { failures: number[]; visibility: (number | undefined)[] } | undefined;
  const delayed = new Map<string, number>();

  const waitFor = <T>(what: Waits['for'], write?: ClaimWrite) =>
    new Promise<T>((resolve, reject) => {
      const pending = { for: what, write, resolve, reject } as unknown as Pending;
      if (write && isRenewal(write)) beating = pending;
      else main = pending;
    });

  const store: ClaimStore = {
    read: () => waitFor<ClaimRecord | undefined>('read'),
    // Whoever settles its claim changes neither owner nor fence. How long the caller waits is no part of the record.
    write: ({ waitsMs: _, ...write }) => {
      const { next, seen } = write;
      return waitFor<WriteResult>(
        next.fence !== seen?.fence || next.claimId !== seen.claimId
          ? 'claim'
          : next.status === 'in-flight'
            ? 'checkpoint'
            : 'record',
        write,
      );
    },
  };

  const host = {
    now: () => now,
    random: () => 0,
    randomId: () => freshId,
    sha256: (text: string) => text,
    after(ms: number, callback: () => void) {
      // Between two tries of a write. What is longer is the end of the time: there the answer comes first, as it may.
      if (ms > 0 && ms < 5000) queueMicrotask(callback);
      return () => undefined;
    },
  };

  const renewed = renewedLease(config.renewed ? model.leaseMs : 60_000);
  const lease: typeof renewed = {
    ...renewed,
    keep(_, beat) {
      const after = (_: number, callback: () => void) => {
        heartbeat = callback;
        return () => {
          if (heartbeat === callback) heartbeat = undefined;
        };
      };
      return renewed.keep({ ...host, after }, beat);
    },
  };

  const handler = eachMessage<{ key: number; intent: string }>(
    {
      ...limits,
      operation,
      store,
      host,
      key: ({ body }) => `order-${body.key}`,
      fingerprint: ({ body }) => body.intent,
      onAbandoned:
        onAbandoned === 'reconcile'
          ? reconcile({ ask: () => waitFor<Verdict>('ask'), settleMs: settleMsOf(model, event) })
          : onAbandoned,
      marginMs: model.marginMs,
      marksEffect: config.marksEffect,
      ...(config.renewed && { lease }),
      // The least that chance makes of it.
      backoffSeconds: () => (times.backoff * unitMs) / 1000 / 0.75,
      deadLetters: config.deadLetters ? { send: () => waitFor('dead-letter') } : undefined,
      aws: sdk({ sqs: { send: setVisibility } as unknown as SQSClient }),
      onEvent: () => undefined,
    },
    async (_, claim: Claim) => {
      for (let index = 0; index < config.steps; index++) {
        await step(claim, stepName(index), () => waitFor('effect'), { onAbandoned: 'park' });
      }
      if (config.steps > 0) return true;
      if (!config.marksEffect) return waitFor('effect');
      await waitFor('before');
      await claim.effect(() => waitFor('effect'));
      return waitFor('after');
    },
  );

  async function setVisibility({ input }: { readonly input: { readonly Entries: readonly Entry[] } }) {
    for (const { ReceiptHandle, VisibilityTimeout } of input.Entries) delayed.set(ReceiptHandle, VisibilityTimeout);
    return {};
  }

  const records = event.batch.map(({ message, receives }) =>
    sqsRecord(at(config.messages, message), { receiveCount: receives, ...(config.fifo && { group: 'g' }) }),
  );

  async function invoke({ deadline }: { readonly deadline: number }): Promise<void> {
    const context = { getRemainingTimeInMillis: () => deadline - now };
    const { batchItemFailures } = await handler(sqsEvent(...records), context);
    const failed = batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
    const failures = [...records.keys()].filter((index) => failed.includes(at(records, index).messageId));
    response = { failures, visibility: records.map(({ receiptHandle }) => delayed.get(receiptHandle)) };
    main = undefined;
  }

  function answer(event: Answered): void {
    const asked = event.is === 'beaten' ? beating : main;
    if (event.is === 'beaten') beating = undefined;
    else main = undefined;
    if (event.is === 'thrown') asked?.reject(event.error);
    else if (event.is === 'failed' || (event.is === 'beaten' && event.answer === 'failed'))
      asked?.reject(new Error('down'));
    else asked?.resolve(answerOf(event) as never);
  }

  return {
    meet({ at: time, freshId: id, event }: Trail): void {
      now = time;
      freshId = id;
      if (event.is === 'begins') invoke(event);
      else if (event.is === 'beats') heartbeat?.();
      else answer(event);
    },
    pending: () => main,
    beating: () => beating?.write,
    answered: () => response,
    real: (write: ClaimWrite | undefined) => write && { next: real(write.next), seen: real(write.seen) },
  };
}

function isRenewal({ next, seen }: ClaimWrite): boolean {
  const isIts = next.status === 'in-flight' && next.claimId === seen?.claimId;
  return isIts && next.checkpoints === seen.checkpoints;
}

interface Entry {
  readonly ReceiptHandle: string;
  readonly VisibilityTimeout: number;
}

type Answered = Exclude<Trail['event'], { is: 'begins' | 'beats' }>;

function answerOf(event: Answered): unknown {
  switch (event.is) {
    case 'found':
      return real(event.found);
    case 'written':
      return writtenOf(event.written);
    case 'beaten':
      return event.answer && event.answer !== 'failed' && writtenOf(event.answer);
    case 'verdict':
      return { verdict: event.verdict, result: true };
    default:
      return true;
  }
}

function writtenOf(result: WriteResult): WriteResult {
  return result.applied ? result : { applied: false, found: real(result.found) };
}

/** The search compares intents; the code, their fingerprints. */
function real(record: ClaimRecord | undefined): ClaimRecord | undefined {
  return record?.fingerprint ? { ...record, fingerprint: `1:${record.fingerprint}` } : record;
}

/** Between them, these configurations make workers do everything that the others make them do. */
export const compared: readonly string[] = [
  'park',
  'park, no dead-letter queue',
  'park, marked effect',
  'park, renewed lease',
  'retry, limits',
  'reconcile',
  'reconcile, marked effect',
  'reconcile, renewed lease',
  'reconcile, limits',
  'another intent',
  'message group',
  'steps',
  'steps, renewed lease',
];

/** The trails that no other one goes on from, each way of them once: whoever they are of, and whenever it was. */
export function distinctTrails() {
  const numbers = new Map<string, { readonly number: number; ends: Trail | undefined }>();
  const known = new WeakMap<
    Trail,
    { readonly number: number; readonly began: number; readonly names: readonly string[] }
  >();

  function take(trail: Trail): { readonly number: number; readonly began: number; readonly names: readonly string[] } {
    const before = known.get(trail);
    if (before) return before;
    const parent = trail.before && take(trail.before);
    const began = parent?.began ?? trail.at;
    const names = [...(parent?.names ?? [])];
    const nameOf = (id: string) => {
      if (!names.includes(id)) names.push(id);
      return names.indexOf(id);
    };
    const fromThen = (_: string, value: unknown): unknown => {
      if (typeof value === 'number' && value > 1e9) return value > 1e12 ? value - began : value * 1000 - began;
      if (typeof value !== 'string') return value instanceof Error ? value.message : value;
      if (value.startsWith('claim-')) return nameOf(value);
      return /^\d{4}-.*Z$/.test(value) ? Date.parse(value) - began : value;
    };
    const text = `${parent?.number} ${trail.at - began} ${JSON.stringify([trail.freshId, trail.event], fromThen)}`;
    const there = numbers.get(text) ?? { number: numbers.size, ends: trail };
    numbers.set(text, there);
    const taken = { number: there.number, began, names };
    known.set(trail, taken);
    return taken;
  }

  const parents = new Set<number>();
  return {
    take(trail: Trail): void {
      take(trail);
      if (trail.before) parents.add(take(trail.before).number);
    },
    *ends(): Generator<Trail> {
      for (const { number, ends } of numbers.values()) if (ends && !parents.has(number)) yield ends;
    },
  };
}
