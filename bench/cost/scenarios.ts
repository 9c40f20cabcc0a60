import type { SqsEvent } from '../../lib/pawl/sqs/index.ts';

/**
 * The messages of a batch.
 *
 * - `first`: new messages.
 * - `duplicate`: the keys of completed messages, in new messages.
 * - `redelivered`: the completed messages themselves, with a receive count of 2.
 * - `failing`: new messages; the handler fails at every fifth.
 */
export const scenarios = ['first', 'duplicate', 'redelivered', 'failing'] as const;
export type Scenario = (typeof scenarios)[number];

/** The place of a batch in the series of a round. The two scenarios after `first` use its messages again. */
export interface Place {
  readonly series: string;
  readonly from: number;
}

/** One batch, as Lambda hands it to a handler. */
export interface Delivery {
  readonly scenario: Scenario;
  readonly event: SqsEvent;
  readonly context: { getRemainingTimeInMillis(): number };
}

/** What a contender that makes effects happen once must do with a batch. */
export interface Expected {
  readonly effects: number;
  readonly failures: number;
}

const failingSuffix = '-fails';

export function delivery(scenario: Scenario, size: number, { series, from }: Place): Delivery {
  const records = Array.from({ length: size }, (_, i) => record(scenario, series, from + i));
  return { scenario, event: { Records: records }, context: { getRemainingTimeInMillis: () => 900_000 } };
}

function record(scenario: Scenario, series: string, index: number): SqsEvent['Records'][number] {
  const order = scenario === 'failing' ? `${series}-f-${index}` : `${series}-${index}`;
  const message = scenario === 'duplicate' ? `again-${order}` : `message-${order}`;
  const fails = scenario === 'failing' && index % 5 === 4;
  return {
    messageId: fails ? message + failingSuffix : message,
    // As long as real ones: what hands on copies of its records copies this, too.
    receiptHandle: `${message}${'AQEBwJnKyrHigUMZj6rYigCgxlaS3SLy0a'.repeat(10)}`,
    body: JSON.stringify({
      orderId: order,
      customer: { name: 'Ada Byron', email: 'ada@example.com' },
      amountCents: 2_500 + index,
      currency: 'EUR',
      items: [{ sku: 'GIFT-25', quantity: 1 }],
      placedAt: '2026-11-21T09:30:00.000Z',
    }),
    attributes: { ApproximateReceiveCount: scenario === 'redelivered' ? '2' : '1' },
    messageAttributes: {},
    eventSourceARN: 'arn:aws:sqs:eu-west-1:000000000000:orders',
  };
}

export function expectedOf({ scenario, event: { Records } }: Delivery): Expected {
  const effects = scenario === 'first' || scenario === 'failing' ? Records.length : 0;
  return { effects, failures: Records.filter(({ messageId }) => messageId.endsWith(failingSuffix)).length };
}

/** The effect that every contender's handler has: it is counted, and some of them fail. */
export function createEffect() {
  let count = 0;
  return {
    effect(messageId: string): void {
      count++;
      if (messageId.endsWith(failingSuffix)) throw new Error('the gift card provider is unavailable');
    },
    /** How many there were since it was last asked. */
    taken(): number {
      const taken = count;
      count = 0;
      return taken;
    },
  };
}
