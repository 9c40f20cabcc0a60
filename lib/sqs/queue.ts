import { ChangeMessageVisibilityBatchCommand, GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { ClaimFact } from '../claims/events.ts';
import type { Grant } from '../claims/grant.ts';
import type { Identity } from '../claims/identity.ts';
import type { Host } from '../kernel/host.ts';
import { lineOf, recordedError } from '../kernel/recorded-error.ts';
import type { DeadLetters } from './dead-letters.ts';
import type { SqsRecord } from './event.ts';
import type { Fate } from './fate.ts';
import { withEach } from './limit.ts';

/** A message on its way through a batch. */
export interface Delivery {
  readonly record: SqsRecord;
  identity?: Identity;
  /** The claim under which it ran. */
  grant?: Grant;
  /** What becomes of it, once that is known. What has none in the end did not get its turn. */
  fate?: Fate | undefined;
  /** A copy of it is safe in the dead-letter queue. */
  isBuried?: boolean;
}

/** One that can never run. */
export interface DeadLetter extends Delivery {
  fate: Fate & { readonly fate: 'dead-letter' };
}

/** A message that is to be invisible for so many seconds from now. */
export interface Delayed extends Delivery {
  readonly seconds: number;
}

/** Reports what became of a message. */
export type Tell = (one: Delivery, fact: WithoutMessageId<Extract<ClaimFact, { readonly messageId: string }>>) => void;

type WithoutMessageId<Fact> = Fact extends unknown ? Omit<Fact, 'messageId'> : never;

export interface SqsQueueOptions {
  readonly host: Host;
  /** The author's; one is made on first need, so that a consumer that never defers pays nothing for it. */
  readonly client: SQSClient | undefined;
  readonly deadLetters: DeadLetters | undefined;
  readonly tell: Tell;
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
 * Every call is given up at `until`, in epoch milliseconds: what a batch has done must be answered, even if SQS never answers us.
 */
export function sqsQueue({ host, client, deadLetters, tell }: SqsQueueOptions) {
  // The queue's URL is made from its ARN, so the endpoint comes from the client: a VPC endpoint or a local server counts.
  const sqs = () => (client ??= new SQSClient({ useQueueUrlAsEndpoint: false }));
  const failed = (one: Delivery, error: unknown) =>
    tell(one, { type: 'queue-call-failed', error: recordedError(error) });

  /** Sets how long messages stay invisible. */
  async function setVisibility(delayed: readonly Delayed[], until: number): Promise<void> {
    const calls = Map.groupBy(delayed, (_, index) => Math.floor(index / mostEntries));
    await withEach(calls.values(), callsAtOnce, async (together) => {
      const call = new ChangeMessageVisibilityBatchCommand({
        QueueUrl: urlOfQueue(together[0]),
        Entries: together.map(({ record, seconds }, index) => ({
          Id: String(index),
          ReceiptHandle: record.receiptHandle,
          VisibilityTimeout: Math.min(longestInvisibleSeconds, seconds),
        })),
      });
      try {
        const { Failed = [] } = await inTime(host, until, (abortSignal) => sqs().send(call, { abortSignal }));
        for (const [index, one] of together.entries()) {
          const error = Failed.find(({ Id }) => Id === String(index))?.Code;
          if (error) failed(one, error);
          // It waits for something that is known to end then: another worker's lease, or a provider's settling.
          else if (one.fate?.delayMs) tell(one, { type: 'deferred', seconds: one.seconds });
        }
      } catch (error) {
        for (const one of together) failed(one, error);
      }
    });
  }

  /** Sends to the dead-letter queue what can never run. What is safe there is done. */
  async function bury(batch: readonly Delivery[], until: number): Promise<void> {
    const dead = batch.filter((one): one is DeadLetter => one.fate?.fate === 'dead-letter' && !one.isBuried);
    await withEach(dead, callsAtOnce, async (one) => {
      const { reason, error } = one.fate;
      try {
        await inTime(host, until, async () => deadLetters?.send(sqs(), one.record, reason, lineOf(error)));
        if (deadLetters) one.isBuried = true;
        tell(one, { type: deadLetters ? 'dead-lettered' : 'undeliverable', reason, error });
      } catch (failure) {
        failed(one, failure);
      }
    });
  }

  /** At how many receives SQS itself moves a message to the dead-letter queue; nothing where it does not, or does not say. */
  async function maxReceiveCount(one: Delivery, until: number): Promise<number | undefined> {
    const call = new GetQueueAttributesCommand({ QueueUrl: urlOfQueue(one), AttributeNames: ['RedrivePolicy'] });
    try {
      const { Attributes = {} } = await inTime(host, until, (abortSignal) => sqs().send(call, { abortSignal }));
      const { RedrivePolicy } = Attributes;
      const most = RedrivePolicy === undefined ? undefined : Number(JSON.parse(RedrivePolicy).maxReceiveCount);
      return most !== undefined && Number.isFinite(most) ? most : undefined;
    } catch (error) {
      failed(one, error);
      return undefined;
    }
  }

  return { setVisibility, bury, maxReceiveCount };
}

/** @throws Error once `until` has come, whatever becomes of the task then */
async function inTime<T>(host: Host, until: number, task: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const ms = until - host.now();
  if (ms <= 0) throw new Error('no time was left to ask SQS');
  const late = Promise.withResolvers<never>();
  const giveUp = new AbortController();
  const cancel = host.after(ms, () => {
    const error = new Error('SQS did not answer in time');
    late.reject(error);
    giveUp.abort(error);
  });
  try {
    return await Promise.race([task(giveUp.signal), late.promise]);
  } finally {
    cancel();
  }
}

/** `arn:aws:sqs:eu-west-1:123456789012:orders` → its URL, without asking SQS for it. */
function urlOfQueue(one: Delivery | undefined): string {
  const [, partition, , region, account, name] = (one?.record.eventSourceARN ?? '').split(':');
  return `https://sqs.${region}.amazonaws.com${partition === 'aws-cn' ? '.cn' : ''}/${account}/${name}`;
}
