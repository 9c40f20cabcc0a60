import type { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { expect, test } from 'vitest';
import { emailConsumer } from '../../lambda/email-consumer.ts';
import { giftCardConsumer } from '../../lambda/gift-card-consumer.ts';
import { giftCardProvider } from '../../lambda/gift-cards.ts';
import { deadLetterQueue } from '../../lib/pawl/sqs/index.ts';
import { assertSurvivesCrashes, type SweptMessage, type World } from '../../lib/testing/index.ts';
import { firstOf } from '../support/whole.ts';
import { orderIdOf } from './providers.ts';

/*
 * The app's own consumers, as they are deployed but for their wiring. Of the gift cards' provider the HTTP requests are swept,
 * of SES the calls of its client.
 */

const orderOf = (orderId: string): SweptMessage => ({
  body: {
    orderId,
    customer: { email: 'maria@example.com', name: 'Maria' },
    amountCents: 5000,
    currency: 'EUR',
    placedAt: '2026-11-21T09:30:00Z',
  },
});

/** Two orders, one of which the producer has sent twice. */
const messages = [orderOf('order-1'), orderOf('order-2'), orderOf('order-1')];

const wiringOf = ({ options, deadLetterQueueUrl }: World) => ({
  ...options,
  deadLetters: deadLetterQueue(deadLetterQueueUrl),
});

/** What SES has sent: the order ids. Like SES it remembers nothing, and sends whatever it is asked to. */
const fakeSes = () => ({ sent: [] as string[] });

function sesClient(world: World, { sent }: ReturnType<typeof fakeSes>): Pick<SESv2Client, 'send'> {
  const send = ({ input }: SendEmailCommand) =>
    world.io('ses.SendEmail', () => {
      sent.push(input.EmailTags?.[0]?.Value ?? '');
      return {};
    });
  return { send: send as SESv2Client['send'] };
}

test('send-email: no mail is sent twice, none is lost, and what is in doubt is parked', async () => {
  const report = await assertSurvivesCrashes({
    messages,
    provider: fakeSes,
    handler: (world, ses) =>
      emailConsumer({ ...wiringOf(world), ses: sesClient(world, ses), sender: 'shop@example.com' }),
    effects: ({ sent }, message) => sent.filter((orderId) => orderId === orderIdOf(message)).length,
    max: firstOf(250, { first: 60 }),
  });
  expect(report.boundaries.filter((name) => name === 'ses.SendEmail')).toHaveLength(2);
  expect(report.fates.acknowledged).toBeGreaterThan(0);
  expect(report.fates.parked).toBeGreaterThan(0);
});

/** A gift card provider that ignores keys: the consumer must come out right by asking alone. Its look-up lags by half a second. */
function fakeGiftCards({ now }: { now: () => number }) {
  const issued: { readonly orderId: string; readonly key: string; readonly at: number }[] = [];
  return {
    issued,
    request(url: URL, { method, headers, body }: RequestInit): Response {
      if (method === 'POST') {
        const { orderId } = JSON.parse(String(body));
        issued.push({ orderId, key: new Headers(headers).get('idempotency-key') ?? '', at: now() });
        return new Response('{}', { status: 201 });
      }
      const key = decodeURIComponent(url.pathname.split('/').at(-1) ?? '');
      const seen = issued.some((card) => card.key === key && now() >= card.at + 500);
      return new Response('{}', { status: seen ? 200 : 404 });
    },
  };
}

test('issue-gift-card: every card is issued exactly once, by asking', async () => {
  const report = await assertSurvivesCrashes({
    messages,
    provider: fakeGiftCards,
    handler: (world, cards) =>
      giftCardConsumer({
        ...wiringOf(world),
        giftCards: giftCardProvider('https://gift-cards.example.com', (url, init) =>
          world.io(`${init.method ?? 'GET'} gift card`, async () => cards.request(url, init)),
        ),
      }),
    effects: ({ issued }, message) => issued.filter(({ orderId }) => orderId === orderIdOf(message)).length,
    max: firstOf(250, { first: 60 }),
  });
  expect(report.boundaries.filter((name) => name === 'POST gift card')).toHaveLength(2);
  // Two faults are not enough to make anybody give up.
  expect(report.fates).toEqual({ acknowledged: messages.length * report.runs, parked: 0, deadLettered: 0, stuck: 0 });
});
