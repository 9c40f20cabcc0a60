import { ChangeMessageVisibilityBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { FactsOf } from '../core/events.ts';
import type { Identity } from '../core/identity.ts';
import { recordedError } from '../core/record.ts';
import { lineOf } from '../core/text.ts';
import type { DeadLetters } from './dead-letters.ts';
import type { SqsRecord } from './event.ts';
import { done, type Fate } from './fate.ts';
import { withEach } from './limit.ts';

/** A message on its way through a batch. */
export interface Delivery {
  readonly record: SqsRecord;
  identity?: Identity;
  /** What becomes of it, once that is known. What has none in the end did not get its turn. */
  fate?: Fate | undefined;
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
export type Tell = <T extends 'deferred' | 'dead-lettered' | 'undeliverable' | 'queue-call-failed' | 'repeated'>(
  one: Delivery,
  type: T,
  facts: Omit<FactsOf<T>, 'messageId'>,
) => void;

const longestInvisibleSeconds = 43_200;
/** SQS takes no more in one call. */
const mostEntries = 10;
/** Calls that are under way at once. */
const callsAtOnce = 10;

/**
 * What a consumer asks of SQS beyond its batch response. Nothing here throws: a message that SQS has not heard of stays where
 * it is, and comes again when the visibility it has ends.
 *
 * @param client the author's; one is made on first need, so that a consumer that never defers pays nothing for it
 */
export function sqsQueue(client: SQSClient | undefined, deadLetters: DeadLetters | undefined, tell: Tell) {
  // The queue's URL is made from its ARN, so the endpoint comes from the client: a VPC endpoint or a local server counts.
  const sqs = () => (client ??= new SQSClient({ useQueueUrlAsEndpoint: false }));
  const failed = (one: Delivery, error: unknown) => tell(one, 'queue-call-failed', { error: recordedError(error) });

  /** Sets how long messages stay invisible. */
  async function setVisibility(delayed: readonly Delayed[]): Promise<void> {
    const calls = Map.groupBy(delayed, (_, index) => Math.floor(index / mostEntries));
    await withEach(calls.values(), callsAtOnce, async (together) => {
      const call = new ChangeMessageVisibilityBatchCommand({
        QueueUrl: queueUrlOf(together[0]?.record.eventSourceARN ?? ''),
        Entries: together.map(({ record, seconds }, index) => ({
          Id: String(index),
          ReceiptHandle: record.receiptHandle,
          VisibilityTimeout: Math.min(longestInvisibleSeconds, seconds),
        })),
      });
      try {
        const { Failed = [] } = await sqs().send(call);
        for (const [index, one] of together.entries()) {
          const error = Failed.find(({ Id }) => Id === String(index))?.Code;
          if (error) failed(one, error);
          // It waits for something that is known to end then: another worker's lease, or a provider's settling.
          else if (one.fate?.delayMs) tell(one, 'deferred', { seconds: one.seconds });
        }
      } catch (error) {
        for (const one of together) failed(one, error);
      }
    });
  }

  /** Sends to the dead-letter queue what can never run. What is safe there is done. */
  const bury = (dead: readonly DeadLetter[]) =>
    withEach(dead, callsAtOnce, async (one) => {
      const { reason, error } = one.fate;
      try {
        await deadLetters?.send(sqs(), one.record, reason, lineOf(error));
        tell(one, deadLetters ? 'dead-lettered' : 'undeliverable', { reason, error });
        if (deadLetters) (one as Delivery).fate = done;
      } catch (failure) {
        failed(one, failure);
      }
    });

  return { setVisibility, bury };
}

/** `arn:aws:sqs:eu-west-1:123456789012:orders` → its URL, without asking SQS for it. */
function queueUrlOf(arn: string): string {
  const [, partition, , region, account, name] = arn.split(':');
  return `https://sqs.${region}.amazonaws.com${partition === 'aws-cn' ? '.cn' : ''}/${account}/${name}`;
}
