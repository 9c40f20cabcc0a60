import { expect, test } from 'vitest';
import { bodyField, onceOverHttp } from '../../lib/http/index.ts';
import { assertSurvivesCrashes, type World } from '../../lib/testing/index.ts';
import { apiGatewayV2 } from '../support/http-events.ts';

/** Two payments, the first of which its client asks for twice. Each asks again until it gets a final answer, with the same key. */
const messages = [{ body: { payment: 'p-1' } }, { body: { payment: 'p-2' } }, { body: { payment: 'p-1' } }];

type Event = ReturnType<typeof apiGatewayV2>;
type Lambda = { getRemainingTimeInMillis(): number };

const paymentOf = (body: unknown): string => (body as { payment: string }).payment;

test.each(['retry', 'park'] as const)(
  '%s: killed at every await, no payment is made twice, and none is answered that was not made',
  { timeout: 60_000 },
  async (onAbandoned) => {
    const report = await assertSurvivesCrashes({
      messages,
      callers: { event: ({ body }) => apiGatewayV2({ body: JSON.stringify(body) }) },
      // Under 'retry' the provider honours the effect key; under 'park' it pays whatever it is asked to.
      provider: () => ({ paid: [] as { key: string; payment: string }[] }),
      handler: (world: World, provider) =>
        onceOverHttp(
          { ...world.options, operation: 'pay', caller: 'anyone', key: bodyField('payment'), onAbandoned },
          async ({ body }: Event, _: Lambda, claim) => {
            await world.io('provider.pay', () => {
              const known = onAbandoned === 'retry' && provider.paid.some(({ key }) => key === claim.effectKey);
              if (!known) provider.paid.push({ key: claim.effectKey, payment: paymentOf(JSON.parse(body ?? '')) });
            });
            return { statusCode: 201 };
          },
        ),
      effects: ({ paid }, { body }) => paid.filter(({ payment }) => payment === paymentOf(body)).length,
      max: 400,
    });
    expect(report.runs).toBeGreaterThan(100);
    expect(report.boundaries).toContain('provider.pay');
    expect(report.fates.acknowledged).toBeGreaterThan(0);
    if (onAbandoned === 'park') expect(report.fates.parked).toBeGreaterThan(0);
  },
);
