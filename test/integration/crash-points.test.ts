import { readFile } from 'node:fs/promises';
import { type Message, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { parkedClaims } from '../../lib/index.ts';
import { readBody, sandboxOf, startHttpServer } from '../../lib/rehearsal/http.ts';
import { claimsIn, completionsIn } from '../../lib/rehearsal/pawl/claim-writes.ts';
import { createPawlEvents } from '../../lib/rehearsal/pawl/events.ts';
import type { ProviderFault } from '../../lib/rehearsal/provider.ts';
import { dynamoStore } from '../../lib/stores/dynamodb/index.ts';
import { startGiftCards } from '../../shop/providers/gift-cards.ts';
import { createLedger } from '../../shop/providers/ledger.ts';
import { type Functions, startFunctions, type TestConsumer } from '../support/functions.ts';
import { claimsTable, localClient } from '../support/tables.ts';

/*
 * The table of the guarantee in README.md, cell by cell: a worker in a process of its own is killed with SIGKILL at each
 * point in the life of a message, under each policy, and then the provider, the claims table and the queues are asked
 * what came of it.
 */

/** `sends`: the worker's request is on its way, and is never served. `wrote`: it is served, and the worker never learns it. */
const points = {
  'sends-claim': 'before the claim is written',
  'wrote-claim': 'after the claim, before the effect',
  'sends-effect': 'during the effect, before the provider applied it',
  'wrote-effect': 'after the provider applied it, before its response',
  'sends-completion': 'after the response, before the completion is written',
  'wrote-completion': 'after the completion is written, before the worker knows',
  'sends-response': "after the worker knows, before Lambda's response",
} as const;
type Point = keyof typeof points;

const columns = {
  'retry-honoured': { head: "`'retry'`, provider honours the effect key", policy: 'retry', honoursKeys: true },
  'retry-ignored': { head: "`'retry'`, provider ignores it", policy: 'retry', honoursKeys: false },
  park: { head: "`'park'`", policy: 'park', honoursKeys: false },
  reconcile: { head: '`reconcile`, provider ignores it', policy: 'reconcile', honoursKeys: false },
} as const;
type Column = keyof typeof columns;

const didNot = 'parked (it did not happen)';
const did = 'parked (it happened)';
const promised: Readonly<Record<Point, Readonly<Record<Column, string>>>> = {
  'sends-claim': { 'retry-honoured': 'once', 'retry-ignored': 'once', park: 'once', reconcile: 'once' },
  'wrote-claim': { 'retry-honoured': 'once', 'retry-ignored': 'once', park: didNot, reconcile: 'once' },
  'sends-effect': { 'retry-honoured': 'once', 'retry-ignored': 'once', park: didNot, reconcile: 'once' },
  'wrote-effect': { 'retry-honoured': 'once', 'retry-ignored': '**twice**', park: did, reconcile: 'once' },
  'sends-completion': { 'retry-honoured': 'once', 'retry-ignored': '**twice**', park: did, reconcile: 'once' },
  'wrote-completion': { 'retry-honoured': 'once', 'retry-ignored': 'once', park: 'once', reconcile: 'once' },
  'sends-response': { 'retry-honoured': 'once', 'retry-ignored': 'once', park: 'once', reconcile: 'once' },
};

/** Longer than a dead worker's lease and its message's invisibility: the first look-up finds nothing, whatever was issued. */
const lookupLagMs = 8_000;

const allPoints = Object.keys(points) as Point[];
const allColumns = Object.keys(columns) as Column[];
const orderOf = (column: Column, point: Point) => `${column}-${point}`;
const cells = allColumns.flatMap((column) => allPoints.map((point) => ({ column, point })));

const measured = new Map<string, string>();
let killed = 0;
const events = createPawlEvents();

beforeAll(async () => {
  const dynamoEndpoint = inject('dynamoEndpoint');
  const client = localClient(dynamoEndpoint);
  const tableName = await claimsTable(client);
  await using stack = new AsyncDisposableStack();
  stack.defer(() => client.destroy());

  /** Each order takes one life, at its point. */
  const waiting = new Map(cells.map(({ column, point }) => [orderOf(column, point), point]));
  function takesLife(orderId: string | undefined, point: Point): boolean {
    return orderId !== undefined && waiting.get(orderId) === point && waiting.delete(orderId);
  }
  const takesLives = ([id]: readonly string[], point: Point) => takesLife(id?.split('#')[1], point);

  const functions: Functions = stack.use(
    await startFunctions({
      fixture: 'gift-cards.ts',
      onLog: events.read,
      dynamoEndpoint,
      tap: {
        onRequest: (call) => {
          if (takesLives(claimsIn(call), 'sends-claim')) return 'kill';
          return takesLives(completionsIn(call), 'sends-completion') ? 'kill' : 'pass';
        },
        onResponse: (call, answer) => {
          if (takesLives(claimsIn(call, answer), 'wrote-claim')) return 'kill';
          return takesLives(completionsIn(call, answer), 'wrote-completion') ? 'kill' : 'pass';
        },
      },
    }),
  );
  const beforeResponse = await startHttpServer(async (request, response) => {
    const orders: { orderId: string }[] = JSON.parse(String(await readBody(request))).map(JSON.parse);
    if (orders.some(({ orderId }) => takesLife(orderId, 'sends-response'))) functions.kill(sandboxOf(request) ?? '');
    response.end();
  });
  stack.defer(() => beforeResponse.stop());

  const ledger = createLedger();
  function nextFault(_: unknown, orderId: string): ProviderFault | undefined {
    if (takesLife(orderId, 'sends-effect')) return { kind: 'kill-before' };
    return takesLife(orderId, 'wrote-effect') ? { kind: 'kill-applied' } : undefined;
  }
  const consumers: TestConsumer[] = [];
  for (const column of allColumns) {
    const { policy, honoursKeys } = columns[column];
    const provider = await startGiftCards(ledger, {
      lookupLagMs,
      honoursKeys,
      nextFault,
      kill: (id) => functions.kill(id),
    });
    stack.defer(() => provider.stop());
    const consumer = await functions.startConsumer({
      name: column,
      environment: {
        POLICY: policy,
        SETTLE_MS: '8500',
        CLAIMS_TABLE: tableName,
        GIFT_CARD_API_URL: provider.endpoint,
        BEFORE_RESPONSE_URL: beforeResponse.endpoint,
      },
      timeoutMs: 3_000,
      visibilitySeconds: 4,
      // One message for each invocation: a cell must not die of its neighbour's kill.
      batchSize: 1,
      sandboxes: 2,
    });
    consumers.push(consumer);
    await Promise.all(allPoints.map((point) => functions.send(consumer, order(orderOf(column, point)))));
  }

  const { sqs } = functions;
  await vi.waitFor(
    async () => {
      const depths = await Promise.all(consumers.map(({ queue }) => sqs.depth(queue.name)));
      expect([...waiting.keys()]).toEqual([]);
      expect(depths).toEqual(consumers.map(() => ({ ready: 0, delayed: 0, inFlight: 0 })));
    },
    { timeout: 90_000, interval: 100 },
  );
  killed = functions.sandboxes.killed;

  const dead = (await Promise.all(consumers.map(({ deadLetters }) => readAll(functions, deadLetters.url)))).flat();
  const claims = parkedClaims({ operation: 'issue-gift-card', store: dynamoStore({ tableName, client }) });
  for (const { column, point } of cells) {
    const orderId = orderOf(column, point);
    const effects = ledger.countByOrder('gift-card').get(orderId) ?? 0;
    const { status } = (await claims.read(orderId)) ?? {};
    const reasons = dead
      .filter(({ Body }) => JSON.parse(Body ?? 'null').orderId === orderId)
      .map(({ MessageAttributes }) => MessageAttributes?.['pawl-reason']?.StringValue);
    measured.set(orderId, inWords({ effects, status, reasons }));
  }
});

/** What came of one message, as the README says it; anything that it does not speak of is shown as it is. */
function inWords(found: {
  effects: number;
  status: string | undefined;
  reasons: readonly (string | undefined)[];
}): string {
  const { effects, status, reasons } = found;
  if (status === 'completed' && reasons.length === 0 && effects === 1) return 'once';
  if (status === 'completed' && reasons.length === 0 && effects === 2) return '**twice**';
  const parked = status === 'parked' && reasons.length === 1 && reasons[0] === 'parked';
  if (parked && effects === 1) return did;
  return parked && effects === 0 ? didNot : JSON.stringify(found);
}

function order(orderId: string): object {
  const customer = { email: 'ada@example.com', name: 'Ada' };
  return { orderId, customer, amountCents: 500, currency: 'EUR', placedAt: '2026-01-01T00:00:00.000Z' };
}

async function readAll({ sqs }: Functions, QueueUrl: string): Promise<readonly Message[]> {
  const all: Message[] = [];
  for (;;) {
    const request = { QueueUrl, MaxNumberOfMessages: 10, MessageAttributeNames: ['All'], VisibilityTimeout: 60 };
    const { Messages = [] } = await sqs.client.send(new ReceiveMessageCommand(request));
    if (Messages.length === 0) return all;
    all.push(...Messages);
  }
}

it('kills one worker for each cell of the table', () => {
  expect(killed).toBe(cells.length);
});

it('asks the provider while its look-up does not show yet what it has issued', () => {
  expect(events.verdicts().tooEarly).toBeGreaterThan(0);
  expect(events.verdicts().applied).toBeGreaterThan(0);
});

describe.each(allColumns)('under %s', (column) => {
  it.each(allPoints)('a worker that dies at %s leaves what the README promises', (point) => {
    expect(measured.get(orderOf(column, point))).toBe(promised[point][column]);
  });
});

it('the table in README.md is what was measured', async () => {
  const row = (first: string, rest: readonly string[]) => `| ${[first, ...rest].join(' | ')} |`;
  const table = [
    row(
      'the worker dies …',
      allColumns.map((column) => columns[column].head),
    ),
    `|${'---|'.repeat(1 + allColumns.length)}`,
    ...allPoints.map((point) =>
      row(
        points[point],
        allColumns.map((column) => measured.get(orderOf(column, point)) ?? ''),
      ),
    ),
  ].join('\n');
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
  const between = /<!-- crash-points -->\n\n([\s\S]*?)\n\n<!-- \/crash-points -->/.exec(readme)?.[1];
  expect(between).toBe(table);
});
