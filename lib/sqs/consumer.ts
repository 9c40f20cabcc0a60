import { expect } from '../core/check.ts';
import { createClaims } from '../core/claims.ts';
import type { FactsOf } from '../core/events.ts';
import { canonicalDocument, fingerprintOf } from '../core/fingerprint.ts';
import type { Held } from '../core/held.ts';
import { type Identity, identify } from '../core/identity.ts';
import { type Settings, settingsOf } from '../core/options.ts';
import { tooLate } from '../core/run.ts';
import { nodeHost } from '../host.ts';
import type { InvocationContext, SqsBatchResponse, SqsEvent } from './event.ts';
import { done, type Fate, fateOfInvalid, fateOfRefused, keyReused, soon } from './fate.ts';
import { type Message, messageOf, parseJson, receiveCountOf, validated } from './message.ts';
import type { SqsOptions } from './options.ts';
import { type DeadLetter, type Delayed, type Delivery, sqsQueue, type Tell } from './queue.ts';

/** A message that may ask for a claim. */
export interface Runnable<Body> extends Delivery {
  readonly identity: Identity;
  readonly message: Message<Body>;
  readonly fingerprint: string | undefined;
}

const defaults = {
  host: nodeHost,
  // Nothing reads the results of messages.
  recordResult: false,
  concurrency: 25,
  onInFlight: 'defer',
  fingerprint: { ignore: [] },
  backoffSeconds: (receiveCount: number) => Math.min(900, 10 * 3 ** (receiveCount - 1)),
} as const;

/** The options of a consumer after defaults and validation. */
type SqsSettings<Body> = Settings<Message<Body>> & Required<Pick<SqsOptions<Body>, keyof typeof defaults>>;

export type Consumer<Body> = ReturnType<typeof createConsumer<Body>>;

/** What the two ways of consuming SQS have in common: from a record to its claim, and from fates to a batch response. */
export function createConsumer<Body>(options: SqsOptions<Body>) {
  const { key, schema, deadLetters, sqsClient } = options;
  const settings = settingsOf(options, defaults) as SqsSettings<Body>;
  const { host, operation, concurrency, onInFlight, fingerprint, backoffSeconds } = settings;
  expect(typeof key === 'function', 'key', 'a function of the message', key);
  expect(['defer', 'discard'].includes(onInFlight), 'onInFlight', "'defer' or 'discard'", onInFlight);
  expect(concurrency >= 1, 'concurrency', 'at least 1', concurrency);
  const claims = createClaims(settings);
  const tell: Tell = ({ identity, record: { messageId } }, type, facts) =>
    claims.emit(identity, type, { messageId, ...facts } as unknown as FactsOf<typeof type>);
  const { setVisibility, bury } = sqsQueue(sqsClient, deadLetters, tell);

  /**
   * The messages of an invocation, when it will be stopped, and who knows the first message of each key: those after it share
   * its outcome, instead of meeting its claim.
   *
   * @throws TypeError when it is not a batch of SQS messages
   */
  function receive<One extends Runnable<Body>>(event: SqsEvent, context: InvocationContext) {
    if (!Array.isArray(event?.Records) || !context?.getRemainingTimeInMillis) {
      throw new TypeError('expected an SQS event and a Lambda context');
    }
    const firsts = new Map<string, One>();

    /** Answers nothing about the first itself. One with another intent than the first has its fate: it never runs. */
    function firstOf(one: One): One | undefined {
      const first = firsts.get(one.identity.id);
      if (first === undefined) firsts.set(one.identity.id, one);
      else if (first.fingerprint !== one.fingerprint) one.fate = keyReused;
      else tell(one, 'repeated', {});
      return first;
    }

    const records: SqsEvent['Records'] = event.Records;
    return { records, deadline: host.now() + context.getRemainingTimeInMillis(), firstOf };
  }

  /** Answers nothing when the message can never run; its fate is known then. */
  async function prepare<One extends Delivery>(one: One): Promise<(One & Runnable<Body>) | undefined> {
    const { record } = one;
    try {
      const parsed = parseJson(record.body);
      const chosen = typeof fingerprint === 'function';
      // Before the author's code, which may change what was parsed.
      const whole = fingerprint && !chosen && canonicalDocument(record.body, parsed, fingerprint.ignore);
      const message = messageOf(record, schema ? await validated(parsed, schema) : (parsed as Body));
      const identity = identify(operation, key(message), host);
      const intent = chosen ? fingerprint(message) : whole;
      const print = intent === false ? undefined : fingerprintOf(intent, host);
      return Object.assign(one, { message, identity, fingerprint: print });
    } catch (error) {
      one.fate = fateOfInvalid(error);
      return undefined;
    }
  }

  /**
   * Asks for the claim of a message: either it is held, or the fate of the message is known. A store that is down is an
   * answer here: nothing runs, and the message stays. What was running when a worker died is only a suspect, unless it may
   * be taken over.
   */
  async function acquire(one: Runnable<Body>, deadline: number, mayTakeOver: boolean): Promise<Held | Fate> {
    if (tooLate(claims, one.identity, deadline)) return soon;
    const redelivered = receiveCountOf(one.record) > 1;
    const acquired = await claims.acquire({ ...one, deadline, redelivered, mayTakeOver });
    // The holder may have been given this very message, which SQS shows again: acknowledged now, its effect would be lost. It
    // was not, if it had its claim before the message was received for the first time. Only of a first grant is it known when.
    const { fence, firstSeenAt } = Object(acquired.record);
    const age = Number(one.record.attributes.ApproximateFirstReceiveTimestamp) - firstSeenAt;
    const isAnother = !redelivered && fence < 2 && age > settings.skewMs;
    return acquired.held ?? fateOfRefused(acquired, isAnother ? onInFlight : 'defer', settings.settleMs);
  }

  /** Carries out the fates of a batch, and answers Lambda: every message that is not done comes again. */
  async function conclude(batch: readonly Delivery[]): Promise<SqsBatchResponse> {
    await bury(batch.filter((one): one is DeadLetter => one.fate?.fate === 'dead-letter'));
    const unfinished = batch.filter(({ fate }) => fate?.fate !== 'done');
    const delayed: Delayed[] = [];
    for (const one of unfinished) {
      try {
        const seconds = waitOf(one);
        if (seconds !== undefined) delayed.push({ ...one, seconds: Math.ceil(seconds) });
      } catch {
        // Whatever the author's back-off does, the batch is answered.
      }
    }
    await setVisibility(delayed);
    return { batchItemFailures: unfinished.map(({ record }) => ({ itemIdentifier: record.messageId })) };
  }

  /** Seconds until a message is to come again, spread out: or all that wait for one lease would meet at its end. */
  function waitOf({ record, fate = soon }: Delivery): number | undefined {
    if (fate.fate !== 'again') return undefined;
    const { delayMs, atLeastMs = 0 } = fate;
    if (delayMs !== undefined) return delayMs && (delayMs + host.random() * (500 + delayMs / 10)) / 1000;
    const seconds = backoffSeconds(receiveCountOf(record));
    return seconds && Math.max(seconds * (0.75 + host.random() / 2), atLeastMs / 1000);
  }

  return { settings, claims, receive, prepare, acquire, setVisibility, conclude };
}

/**
 * Takes all messages of a batch one step: side by side, but those of a message group of a FIFO queue in order, and none after
 * one that is not done, or whose step answers that the group ends there.
 */
export async function inOrder<One extends Delivery>(
  batch: readonly One[],
  step: (one: One, group: readonly One[]) => Promise<unknown>,
): Promise<void> {
  // On a standard queue a message group means fairness, not order.
  const groupOf = (one: One) =>
    one.record.eventSourceARN?.endsWith('.fifo') ? one.record.attributes.MessageGroupId : one;
  await Promise.all(
    Array.from(Map.groupBy(batch, groupOf).values(), async (group) => {
      for (const one of group) {
        const ends = await step(one, group);
        if (ends || (one.fate ?? done).fate !== 'done') return;
      }
    }),
  );
}
