import { afterAll, afterEach, beforeAll, expect, inject, test, vi } from 'vitest';
import { blocksOf } from '../../../../checks/docs/pages.ts';
import { fakeEvent } from '../../../../lib/testing/fakes/event.ts';
import { type Names, runnable } from '../../../docs/run-example.ts';
import { apiGatewayV1 } from '../../../support/http-events.ts';
import { context, failuresOf } from '../../../support/lambda.ts';
import { localClient } from '../../../support/tables.ts';
import { bothTables } from './support.ts';

/** The handlers of docs/guides/powertools-handlers.md as they are printed, before and after they have moved over, over one table of records. */

const blocks = blocksOf('docs/guides/powertools-handlers.md').filter(({ code }) =>
  code.includes('export const handler'),
);
type Handler = (event: unknown, context: unknown) => Promise<unknown>;

interface Row {
  readonly event: () => unknown;
  /** What the handler needs beside what it imports. */
  readonly given: (apply: (effect: string) => void) => Names;
  readonly effects: readonly string[];
  readonly expectDone: (response: unknown) => void;
}

const order = (orderId: string) => ({ orderId, email: `${orderId}@example.com` });
const expectAll = (response: unknown) => expect(failuresOf(response)).toEqual([]);

/** In the order of the page. */
const rows: readonly (readonly [string, Row])[] = [
  [
    'the batch of emails',
    {
      event: () => fakeEvent(order('o-1'), order('o-2')),
      given: (apply) => ({ mailer: { send: async ({ orderId }: { orderId: string }) => apply(orderId) } }),
      effects: ['o-1', 'o-2'],
      expectDone: expectAll,
    },
  ],
  [
    'the callback',
    {
      event: () => apiGatewayV1({ body: JSON.stringify({ transactionId: 't-1', amountCents: 100 }) }),
      given: (apply) => ({
        ledger: {
          async book({ transactionId }: { transactionId: string }) {
            apply(transactionId);
            return `entry-${transactionId}`;
          },
        },
      }),
      effects: ['t-1'],
      expectDone: (response) => expect(response).toMatchObject({ statusCode: 200, body: '{"entry":"entry-t-1"}' }),
    },
  ],
  [
    'the stream consumer',
    {
      event: () => ({
        Records: ['c-1', 'c-2'].map((id, at) => ({
          eventID: id,
          eventName: 'INSERT',
          eventSource: 'aws:dynamodb',
          dynamodb: { SequenceNumber: String(at), Keys: { customerId: { S: id } } },
        })),
      }),
      given: (apply) => ({ vouchers: { issue: async (customerId: string) => apply(customerId) } }),
      effects: ['c-1', 'c-2'],
      expectDone: expectAll,
    },
  ],
];

beforeAll(async () => {
  const { records, claims } = await bothTables(localClient(inject('dynamoEndpoint')));
  const environment = {
    IDEMPOTENCY_TABLE: records,
    CLAIMS_TABLE: claims,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'function',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL_DYNAMODB: inject('dynamoEndpoint'),
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  for (const method of ['log', 'info', 'warn', 'error'] as const)
    vi.spyOn(console, method).mockImplementation(() => undefined);
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
});
afterEach(() => vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', undefined));
afterAll(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

async function loaded(at: number, given: Names): Promise<Handler> {
  const block = blocks[at];
  if (block === undefined) throw new Error(`no block ${at} on the page`);
  return ((await (await runnable(block))(given)) as { readonly handler: Handler }).handler;
}

test('the page has each handler before and after', () => {
  expect(blocks).toHaveLength(2 * rows.length);
});

test.each(rows)(
  '%s: what one version has done the other does not do again, and what has failed it does',
  async (name, row) => {
    const at = rows.findIndex(([other]) => other === name);
    for (const [first, second] of [
      [2 * at, 2 * at + 1],
      [2 * at + 1, 2 * at],
    ] as const) {
      vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', `${first}-${name.replaceAll(' ', '-')}`);
      const effects: string[] = [];
      let fails = true;
      const given = row.given((effect) => {
        if (fails) throw new Error('no answer');
        effects.push(effect);
      });
      const before = await loaded(first, given);
      const after = await loaded(second, given);
      await before(row.event(), context()).catch(() => undefined);
      expect(effects).toEqual([]);
      fails = false;
      // The stream's keys begin with a prefix of their own: as many pairs of handlers, as many prefixes.
      const isSeen = name === 'the stream consumer' && first > 2 * at;
      row.expectDone(await before(row.event(), context()));
      row.expectDone(await after(row.event(), context()));
      row.expectDone(await before(row.event(), context()));
      expect(effects.sort()).toEqual(isSeen ? [] : row.effects);
    }
  },
);

test('a handler changes in five lines at most: paths, the policy, and the early timeout of Middy', () => {
  for (let at = 0; at < blocks.length; at += 2) {
    const [before = [], after = []] = blocks.slice(at, at + 2).map(({ code }) => code.split('\n'));
    const changed = after.filter((line) => !before.includes(line));
    expect(changed.length).toBeLessThanOrEqual(5);
    for (const line of changed) expect(line).toMatch(/'pawl\/powertools'|onAbandoned: 'retry'|timeoutEarlyInMillis: 0/);
    expect(after.length).toBe(before.length);
  }
});
