import type { SqsTransport } from '../aws/aws.ts';
import { explainedError } from '../kernel/errors.ts';
import type { Host } from '../kernel/host.ts';
import { lineOf, recordedError } from '../kernel/recorded-error.ts';
import { callSqs } from './calls.ts';
import type { DeadLetters } from './dead-letters.ts';
import type { Delivery } from './delivery.ts';
import type { DeadLettered } from './disposition.ts';
import { explainedCall } from './explain.ts';
import { withEach } from './limit.ts';
import type { MessageFact } from './report.ts';

/** A message that is to be invisible for so many seconds from now. */
export interface Delayed {
  readonly one: Delivery;
  readonly seconds: number;
}

export interface SqsQueueOptions {
  readonly host: Host;
  readonly transport: SqsTransport;
  readonly deadLetters: DeadLetters | undefined;
  readonly report: (one: Delivery, fact: MessageFact) => void;
}

/**
 * SQS takes 12 hours, counted from the receive, and refuses what would reach beyond them: the message would come again at once. A batching window,
 * and an invocation, may have gone by since then.
 */
const longestInvisibleSeconds = 43_200 - 300 - 900;
/** SQS takes no more in one call. */
const mostEntries = 10;
/** Calls that are under way at once. */
const callsAtOnce = 10;

/**
 * What a consumer asks of SQS beyond its batch response. Nothing here throws: a message that SQS has not heard of stays where
 * it is, and comes again when the visibility it has ends.
 *
 * Every call is given up at `until`, in epoch milliseconds: a batch has its response, even if SQS never answers.
 */
export class SqsQueue {
  readonly #options: SqsQueueOptions;

  constructor(options: SqsQueueOptions) {
    this.#options = options;
  }

  /** Sets how long messages stay invisible. */
  async setVisibility(delayed: readonly Delayed[], until: number): Promise<void> {
    const calls = Map.groupBy(delayed, (_, index) => Math.floor(index / mostEntries));
    await withEach(calls.values(), callsAtOnce, (together) => this.#setVisibilityOf(together, until));
  }

  async #setVisibilityOf(together: readonly Delayed[], until: number): Promise<void> {
    const { host, transport, report } = this.#options;
    const call = {
      QueueUrl: urlOfQueue(together[0]?.one),
      Entries: together.map(({ one, seconds }, index) => ({
        Id: String(index),
        ReceiptHandle: one.record.receiptHandle,
        VisibilityTimeout: Math.min(longestInvisibleSeconds, seconds),
      })),
    };
    try {
      const sent = await inTime(host, until, (signal) =>
        callSqs(transport, 'ChangeMessageVisibilityBatch', call, signal),
      );
      const codes = new Map((sent.Failed ?? []).map(({ Id, Code }) => [Id, Code]));
      for (const [index, { one, seconds }] of together.entries()) {
        const code = codes.get(String(index));
        if (code !== undefined) this.#reportFailure(one, code);
        // It waits for something that is known to end then: another worker's lease, or a provider's settling.
        else if (waitsForAnEnd(one)) report(one, { type: 'deferred', seconds });
      }
    } catch (error) {
      const said = explainedCall(error, 'sqs:ChangeMessageVisibility', nameOfQueue(together[0]?.one));
      for (const { one } of together) this.#reportFailure(one, said);
    }
  }

  /** Sends to the dead-letter queue what can never run, and is not there yet. */
  async deadLetter(batch: readonly Delivery[], until: number): Promise<void> {
    const dead = batch.filter(isToBeDeadLettered);
    await withEach(dead, callsAtOnce, (one) => this.#deadLetterOne(one, until));
  }

  async #deadLetterOne(one: DeadLetter, until: number): Promise<void> {
    const { host, transport, deadLetters, report } = this.#options;
    const { reason, error } = one.disposition;
    if (deadLetters === undefined) {
      report(one, { type: 'undeliverable', reason, error });
      return;
    }
    try {
      await inTime(host, until, () => deadLetters.send(transport, one.record, reason, lineOf(error), one.identity?.id));
      one.isInDeadLetterQueue = true;
      report(one, { type: 'dead-lettered', reason, error });
    } catch (failure) {
      this.#reportFailure(one, explainedCall(failure, 'sqs:SendMessage', 'for dead letters'));
    }
  }

  /** At how many receives SQS itself moves a message to the dead-letter queue; nothing where SQS does not, or does not say. */
  async maxReceiveCount(one: Delivery, until: number): Promise<number | undefined> {
    const { host, transport } = this.#options;
    const call = { QueueUrl: urlOfQueue(one), AttributeNames: ['RedrivePolicy' as const] };
    try {
      const { Attributes = {} } = await inTime(host, until, (signal) =>
        callSqs(transport, 'GetQueueAttributes', call, signal),
      );
      const { RedrivePolicy } = Attributes;
      const most = RedrivePolicy === undefined ? undefined : Number(JSON.parse(RedrivePolicy).maxReceiveCount);
      return most !== undefined && Number.isFinite(most) ? most : undefined;
    } catch (error) {
      this.#reportFailure(one, explainedCall(error, 'sqs:GetQueueAttributes', nameOfQueue(one)));
      return undefined;
    }
  }

  #reportFailure(one: Delivery, error: unknown): void {
    this.#options.report(one, { type: 'queue-call-failed', error: recordedError(error) });
  }
}

/** A message that can never run. */
type DeadLetter = Delivery & { readonly disposition: DeadLettered };

function isToBeDeadLettered(one: Delivery): one is DeadLetter {
  return one.disposition?.kind === 'dead-lettered' && !one.isInDeadLetterQueue;
}

function waitsForAnEnd({ disposition }: Delivery): boolean {
  return disposition?.kind === 'returned' && disposition.delayMs !== undefined && disposition.delayMs > 0;
}

/** @throws Error once `until` has come, whatever becomes of the task then */
async function inTime<T>(host: Host, until: number, task: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const ms = until - host.now();
  if (ms <= 0) throw explainedError(Error, 'no time was left to ask SQS', 'queue-unavailable');
  const late = Promise.withResolvers<never>();
  const giveUp = new AbortController();
  const cancel = host.after(ms, () => {
    const error = explainedError(Error, 'SQS did not respond in time', 'queue-unavailable');
    late.reject(error);
    giveUp.abort(error);
  });
  try {
    return await Promise.race([task(giveUp.signal), late.promise]);
  } finally {
    cancel();
  }
}

function nameOfQueue(one: Delivery | undefined): string {
  return one?.record.eventSourceARN?.split(':')[5] ?? 'of this batch';
}

/** `arn:aws:sqs:eu-west-1:123456789012:orders` → its URL, without asking SQS for it. */
function urlOfQueue(one: Delivery | undefined): string {
  const [, partition, , region, account, name] = (one?.record.eventSourceARN ?? '').split(':');
  return `https://sqs.${region}.amazonaws.com${partition === 'aws-cn' ? '.cn' : ''}/${account}/${name}`;
}
