import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { SQSClient } from '@aws-sdk/client-sqs';
import { test } from 'vitest';
import type { ClaimEvent, ClaimRecord, ClaimStore, ClaimWrite, Host, WriteResult } from '../../../lib/pawl/index.ts';
import type { SqsEvent, SqsRecord } from '../../../lib/pawl/sqs/index.ts';
import { sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';

/** The pages that still have every sentence that is quoted from them. A sentence that is rewritten takes its test along. */
const quotedWordForWord: readonly string[] = [
  'README.md',
  'docs/explanation/how-it-works.md',
  'docs/explanation/promise.md',
  'docs/guides/keys.md',
  'docs/reference/handler-errors.md',
  'docs/reference/fingerprint.md',
  'docs/guides/http.md',
  'docs/guides/locks.md',
  'docs/guides/deployments.md',
  'docs/guides/recover.md',
  'docs/guides/policies.md',
  'docs/guides/producers.md',
  'docs/guides/testing.md',
  'docs/guides/transactions.md',
  'docs/guides/wrap.md',
  'docs/reference/options.md',
  'docs/reference/testing.md',
];

const plain = (text: string) => text.replace(/\s+/g, ' ').replaceAll('’', "'");

/** Fails unless the page has the sentence: all parts of it, if some between them are left out (…). */
function expectQuoted(where: string, sentence: string): void {
  const page = plain(readFileSync(new URL(`../../../${where}`, import.meta.url), 'utf8'));
  for (const part of plain(sentence).split(' … ')) {
    if (!page.includes(part)) throw new Error(`${where} does not say: "${part}"`);
  }
}

/**
 * A test that quotes the promise it holds pawl to. The name of the test is a law; a failure says which sentence was broken.
 *
 * @param where the document, or the docstring, that promises
 */
export function promise(where: string, sentence: string, law: string, holds: () => Promise<unknown> | unknown): void {
  test(law, async () => {
    if (quotedWordForWord.includes(where)) expectQuoted(where, sentence);
    try {
      await holds();
    } catch (error) {
      if (error instanceof Error) error.message = `${where} promises: "${sentence}"\n${error.message}`;
      throw error;
    }
  });
}

/** A Saturday in November 2026. */
export const saturday = Date.UTC(2026, 10, 14, 11, 20);

export interface Clock extends Host {
  /** Moves the time on, and runs what comes due on the way. */
  advance(ms: number): Promise<void>;
  /** Moves the time on for as long as this is not settled, and answers what it settles with. */
  until<T>(running: Promise<T> | T, limitMs?: number): Promise<T>;
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

export function clock(start = saturday): Clock {
  let time = start;
  let ids = 0;
  let order = 0;
  const timers: { at: number; order: number; run: () => void }[] = [];
  const next = (end: number) => {
    timers.sort((a, b) => a.at - b.at || a.order - b.order);
    return timers[0] !== undefined && timers[0].at <= end ? timers.shift() : undefined;
  };
  return {
    now: () => time,
    random: () => 0.5,
    randomId: () => `id-${++ids}-${createHash('sha256').update(String(ids)).digest('hex').slice(0, 12)}`,
    sha256: (text) => createHash('sha256').update(text, 'utf8').digest('hex'),
    after(ms, run) {
      const timer = { at: time + Math.max(0, ms), order: ++order, run };
      timers.push(timer);
      return () => {
        const index = timers.indexOf(timer);
        if (index >= 0) timers.splice(index, 1);
      };
    },
    async advance(ms) {
      const end = time + ms;
      for (;;) {
        await turn();
        const due = next(end);
        if (due === undefined) break;
        time = Math.max(time, due.at);
        due.run();
      }
      time = end;
      await turn();
    },
    async until(running, limitMs = 3_600_000) {
      const end = time + limitMs;
      let state: 'running' | 'settled' = 'running';
      const answer = Promise.resolve(running).finally(() => {
        state = 'settled';
      });
      answer.catch(() => {});
      for (let idle = 0; idle < 20; ) {
        await turn();
        if (state !== 'running') return answer;
        const due = next(end);
        if (due === undefined) idle++;
        else {
          idle = 0;
          time = Math.max(time, due.at);
          due.run();
        }
      }
      throw new Error(`still running ${time - start} ms later, and nothing is going to happen`);
    },
  };
}

/** The same time, seen by a clock that is so far ahead. */
export function aheadBy(ms: number, of: Clock): Clock {
  return { ...of, now: () => of.now() + ms };
}

/** Waits so long, by the clock of the test. */
export function wait(host: Host, ms: number): Promise<void> {
  return new Promise((resolve) => {
    host.after(ms, resolve);
  });
}

export const never = (): Promise<never> => new Promise(() => {});

/** Listens to all events. */
function ears() {
  const heard: ClaimEvent[] = [];
  return {
    heard,
    onEvent: (event: ClaimEvent) => void heard.push(event),
    types: () => heard.map(({ type }) => type),
    of: <T extends ClaimEvent['type']>(type: T) => heard.filter((event) => event.type === type),
  };
}

interface Application {
  readonly effectKey: string;
  readonly what: unknown;
}

/** A provider that counts what it has done. `honours`: a second request with the same effect key changes nothing. */
function provider({ honours = false } = {}) {
  const applied: Application[] = [];
  return {
    applied,
    count: (what?: unknown) => applied.filter((one) => what === undefined || one.what === what).length,
    apply(effectKey: string, what: unknown = effectKey): string {
      const earlier = applied.findIndex((one) => one.effectKey === effectKey);
      if (honours && earlier >= 0) return `done-${earlier}`;
      applied.push({ effectKey, what });
      return `done-${applied.length - 1}`;
    },
    has: (effectKey: string) => applied.some((one) => one.effectKey === effectKey),
  };
}

/** A compare-and-set over a map, written from the port's documentation. */
export function mapStore(start: readonly ClaimRecord[] = []) {
  const kept = new Map<string, string>(start.map((one) => [one.id, JSON.stringify(one)]));
  const history: ClaimRecord[] = [];
  const get = (id: string): ClaimRecord | undefined => {
    const text = kept.get(id);
    return text === undefined ? undefined : JSON.parse(text);
  };
  const apply = ({ next, seen }: ClaimWrite): WriteResult => {
    const found = get(next.id);
    const same = seen === undefined ? found === undefined : found?.claimId === seen.claimId && found.rev === seen.rev;
    if (!same) return { applied: false, found };
    kept.set(next.id, JSON.stringify(next));
    history.push(JSON.parse(JSON.stringify(next)));
    return { applied: true };
  };
  return {
    apply,
    get,
    history,
    all: () => [...kept.keys()].map((id) => get(id) as ClaimRecord),
    put: (one: ClaimRecord) => void kept.set(one.id, JSON.stringify(one)),
    drop: (id: string) => void kept.delete(id),
    read: async (id: string) => get(id),
    write: async (one: ClaimWrite) => apply(one),
  } satisfies ClaimStore & Record<string, unknown>;
}

export type MapStore = ReturnType<typeof mapStore>;

/** What a store may do to one call; nothing said: it serves. */
export type Mischief = 'refuse' | 'lose-answer' | 'hang' | 'hang-applied' | undefined;

/** A store that does mischief as it is told. `reads` and `writes` count what was asked for. */
export function mischievous(
  inner: MapStore,
  mischief: (call: { readonly kind: 'read' | 'write'; readonly write?: ClaimWrite }) => Mischief,
) {
  const asked = { reads: 0, writes: 0 };
  const serve = async <T>(how: Mischief, call: () => T): Promise<T> => {
    if (how === 'hang') return never();
    if (how === 'refuse') throw new Error('ECONNREFUSED');
    const answer = call();
    if (how === 'hang-applied') return never();
    if (how === 'lose-answer') throw new Error('ECONNRESET');
    return answer;
  };
  return {
    asked,
    async read(id: string) {
      asked.reads++;
      return serve(mischief({ kind: 'read' }), () => inner.get(id));
    },
    async write(write: ClaimWrite) {
      asked.writes++;
      return serve(mischief({ kind: 'write', write }), () => inner.apply(write));
    },
  } satisfies ClaimStore & Record<string, unknown>;
}

let messages = 0;

export interface MessageLike {
  readonly receiveCount?: number;
  readonly group?: string;
  readonly fifo?: boolean;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly firstReceivedAt?: number;
  readonly id?: string;
}

/** A record as Lambda hands it over. */
export function record(
  body: unknown,
  { receiveCount = 1, group, fifo = group !== undefined, attributes = {}, firstReceivedAt, id }: MessageLike = {},
): SqsRecord {
  const messageId = id ?? `message-${++messages}`;
  return {
    messageId,
    receiptHandle: `receipt-${messageId}-${receiveCount}`,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    attributes: {
      ApproximateReceiveCount: String(receiveCount),
      ...(firstReceivedAt !== undefined && { ApproximateFirstReceiveTimestamp: String(firstReceivedAt) }),
      ...(group !== undefined && { MessageGroupId: group }),
    },
    messageAttributes: Object.fromEntries(
      Object.entries(attributes).map(([name, stringValue]) => [name, { dataType: 'String', stringValue }]),
    ),
    eventSourceARN: `arn:aws:sqs:eu-west-1:123456789012:orders${fifo ? '.fifo' : ''}`,
  };
}

export const event = (...Records: readonly SqsRecord[]): SqsEvent => ({ Records });

/** A context that ends so many milliseconds from now. */
export function context(host: Host, remainingMs = 30_000) {
  const end = host.now() + remainingMs;
  return { getRemainingTimeInMillis: () => end - host.now() };
}

/** The ids that are to come again. */
export function failed(response: unknown): string[] {
  const { batchItemFailures } = response as { batchItemFailures: { itemIdentifier: string }[] };
  return batchItemFailures.map(({ itemIdentifier }) => itemIdentifier).sort();
}

export interface SqsCall {
  readonly name: string;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the command carries
  readonly input: any;
}

/** A client for SQS whose requests are answered here. `refuses` makes a call fail. */
export function fakeSqs(refuses: (call: SqsCall) => unknown = () => undefined) {
  const calls: SqsCall[] = [];
  const client = new SQSClient({
    region: 'eu-west-1',
    credentials: { accessKeyId: 'none', secretAccessKey: 'none' },
    maxAttempts: 1,
  });
  client.middlewareStack.add(
    (_next, about) =>
      async (args): Promise<never> => {
        const name = String(about['commandName']);
        const call: SqsCall = { name, input: args.input };
        calls.push(call);
        const error = refuses(call);
        if (error) throw error;
        const entries = (call.input.Entries ?? []) as { Id: string }[];
        const Successful = entries.map(({ Id }) => ({ Id, MessageId: `sent-${calls.length}-${Id}` }));
        const answered = {
          response: {},
          output: { $metadata: {}, MessageId: `sent-${calls.length}`, Successful, Failed: [] },
        };
        return answered as never;
      },
    { step: 'initialize', name: 'answeredHere' },
  );
  /** Of batches, their entries; of single calls, themselves. */
  const entries = (part: string) =>
    calls.filter(({ name }) => name.startsWith(part)).flatMap(({ input }) => input.Entries ?? [input]);
  return {
    client,
    calls,
    /** What was put into a queue. */
    sent: () => entries('SendMessage'),
    /** Visibility by receipt handle; the last one counts. */
    visibility: () =>
      new Map<string, number>(
        entries('ChangeMessageVisibility').map(({ ReceiptHandle, VisibilityTimeout }) => [
          ReceiptHandle,
          VisibilityTimeout,
        ]),
      ),
  };
}

/** Small and repeatable chance, from a seed. */
export function chance(seed: number) {
  let state = (seed * 2654435761) >>> 0 || 1;
  const next = () => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 4294967296;
  };
  for (let i = 0; i < 5; i++) next();
  return {
    next,
    below: (n: number) => Math.floor(next() * n),
    odds: (p: number) => next() < p,
    one: <T>(of: readonly T[]): T => of[Math.floor(next() * of.length)] as T,
  };
}

interface Rigged {
  readonly honours?: boolean;
  readonly store?: ClaimStore;
  readonly time?: Clock;
  readonly sqs?: ReturnType<typeof fakeSqs>;
}

/** A consumer's surroundings: its clock, its claims, its queue and what was heard. */
export function surroundings({ honours = false, store, time = clock(), sqs = fakeSqs() }: Rigged = {}) {
  const claims = mapStore();
  const listener = ears();
  return {
    time,
    claims,
    sqs,
    ...listener,
    bank: provider({ honours }),
    /** For the options of a consumer of SQS. */
    common: {
      operation: 'pay',
      store: store ?? claims,
      host: time,
      onEvent: listener.onEvent,
      aws: sdk({ sqs: sqs.client }),
      key: ({ body }: { body: unknown }) => (body as { id?: string }).id,
    },
    /** For the options of `once`. */
    plain: {
      operation: 'pay',
      store: store ?? claims,
      host: time,
      onEvent: listener.onEvent,
      key: (input: { id: string }) => input.id,
    },
  };
}

/** What a promise is rejected with, or nothing. */
export async function thrownBy(running: () => Promise<unknown> | unknown): Promise<unknown> {
  try {
    await running();
  } catch (error) {
    return error;
  }
  return undefined;
}
