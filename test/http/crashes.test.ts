import { expect, test } from 'vitest';
import { bodyField, onceOverHttp } from '../../lib/http/index.ts';
import type { SqsEvent } from '../../lib/sqs/index.ts';
import { assertSurvivesCrashes, type World } from '../../lib/testing/index.ts';
import { apiGatewayV2 } from '../support/http-events.ts';

/** The clients are the queue: a request that is not answered with success is sent again, with the same key. */
const messages = [{ body: { payment: 'p-1' } }, { body: { payment: 'p-2' } }, { body: { payment: 'p-1' } }];

type Event = ReturnType<typeof apiGatewayV2>;
type Lambda = { getRemainingTimeInMillis(): number };

const paymentOf = (body: unknown): string => (body as { payment: string }).payment;

function clientOf(api: (event: Event, context: Lambda) => Promise<unknown>) {
  return async ({ Records }: SqsEvent, context: Lambda) => {
    const batchItemFailures: { itemIdentifier: string }[] = [];
    for (const { body, messageId } of Records) {
      const answered = (await api(apiGatewayV2({ body }), context).catch(() => ({}))) as { statusCode?: number };
      if (answered.statusCode !== 201) batchItemFailures.push({ itemIdentifier: messageId });
    }
    return { batchItemFailures };
  };
}

test.each(['retry', 'park'] as const)(
  '%s: killed at every await, no payment is made twice, and none is answered that was not made',
  {
    timeout: 60_000,
  },
  async (onAbandoned) => {
    const report = await assertSurvivesCrashes({
      messages,
      // Under 'retry' the provider honours the effect key; under 'park' it pays whatever it is asked to.
      provider: () => ({ paid: [] as { key: string; payment: string }[] }),
      handler: (world: World, provider) => {
        const handler = onceOverHttp(
          { ...world.options, operation: 'pay', caller: 'anyone', key: bodyField('payment'), onAbandoned },
          async ({ body }: Event, _: Lambda, claim) => {
            await world.io('provider.pay', () => {
              const known = onAbandoned === 'retry' && provider.paid.some(({ key }) => key === claim.effectKey);
              if (!known) provider.paid.push({ key: claim.effectKey, payment: paymentOf(JSON.parse(body ?? '')) });
            });
            return { statusCode: 201 };
          },
        );
        return clientOf(handler) as (event: never, context: never) => unknown;
      },
      effects: ({ paid }, { body }) => paid.filter(({ payment }) => payment === paymentOf(body)).length,
      // A client asks again sooner, and more often, than a queue delivers.
      visibilityTimeoutMs: 40_000,
      maxReceiveCount: 12,
      max: 400,
    });
    expect(report.runs).toBeGreaterThan(100);
    expect(report.boundaries).toContain('provider.pay');
  },
);
