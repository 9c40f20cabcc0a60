import { readFile, writeFile } from 'node:fs/promises';
import { type Message, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { postgresStore } from '../../../lib/pawl/postgres/index.ts';
import { dynamoStore, sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { readBody } from '../../../lib/rehearsal/engine/http.ts';
import { sandboxOf, startCalledServer } from '../../../lib/rehearsal/engine/lambda/callers.ts';
import type { TapCall } from '../../../lib/rehearsal/engine/servers/tap.ts';
import type { ProviderFault } from '../../../lib/rehearsal/provider.ts';
import { claimsIn, claimWrites, completionsIn, type SeenWrite } from '../../../shop/faults/claim-writes.ts';
import { startGiftCards } from '../../../shop/providers/gift-cards.ts';
import { createLedger, type Ledger } from '../../../shop/providers/ledger.ts';
import { createPawlEvents, type PawlEvents } from '../../../shop/traffic/pawl-events.ts';
import { readStories } from '../../../site/time-lines/story.ts';
import type { Standing } from '../../fixtures/standing-pool.ts';
import { eventually } from '../../support/eventually.ts';
import { type Functions, startFunctions, type TestConsumer } from '../../support/functions.ts';
import { createDatabase } from '../../support/postgres-database.ts';
import { resolverOf } from '../../support/resolver-of.ts';
import { claimsTable, localClient } from '../../support/tables.ts';
import { type Act, createTimeLines, inEveryRun, lines, type Story } from '../../support/time-line.ts';

/*
 * The table of the guarantee in README.md, cell by cell: a worker in a process of its own is killed with SIGKILL at each
 * point in the life of a message, under each policy, and then the provider, the claims table and the queues are asked
 * what came of it. Once with the claims in DynamoDB, and once with the claims in PostgreSQL: the table is one.
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

/** How long things take, in milliseconds. */
const times = {
  functionTimeoutMs: 3_000,
  visibilityMs: 4_000,
  /** Longer than a dead worker's lease and its message's invisibility: the first look-up finds nothing, whatever was issued. */
  lookupLagMs: 8_000,
  settleMs: 8_500,
};
/** By how much all of them are stretched where the machine is too slow for them. */
const stretches = [1, 3];

const allPoints = Object.keys(points) as Point[];
const allColumns = Object.keys(columns) as Column[];
const orderOf = (column: Column, point: Point) => `${column}-${point}`;
const cells = allColumns.flatMap((column) => allPoints.map((point) => ({ column, point })));

const stores = ['DynamoDB', 'PostgreSQL'] as const;
type Store = (typeof stores)[number];
const here = stores.filter((store) => store === 'DynamoDB' || inject('postgresUrl') !== '');

/** What was found with the claims in one store. */
interface Run {
  /** What came of each order. */
  readonly measured: ReadonlyMap<string, string>;
  readonly killed: number;
  readonly events: PawlEvents;
  /** What each worker did. */
  readonly timeLines: ReturnType<typeof createTimeLines>;
}

const runs = new Map<Store, Run>();

function runOf(store: Store): Run {
  const run = runs.get(store);
  if (run === undefined) throw new Error(`there is no run over ${store}`);
  return run;
}

/**
 * A worker that was slow has met another end than the one that was planned for it: what came of it is no verdict on pawl. Then all is done again, with
 * more time for everything.
 */
beforeAll(async () => {
  for (const store of here) {
    for (const stretch of stretches) {
      const run = await measure(store, stretch);
      if (run === undefined) continue;
      runs.set(store, run);
      break;
    }
    if (!runs.has(store)) {
      throw new Error(`This machine is too slow to judge: a worker was not done in ${times.functionTimeoutMs * 3} ms.`);
    }
  }
}, 600_000);

/** Runs every cell. @returns nothing, if a worker that was not killed was not done in a part of its time */
async function measure(store: Store, stretch: number): Promise<Run | undefined> {
  const measured = new Map<string, string>();
  const events = createPawlEvents();
  const timeLines = createTimeLines();
  const timeoutMs = times.functionTimeoutMs * stretch;
  const dynamoEndpoint = inject('dynamoEndpoint');
  const client = localClient(dynamoEndpoint);
  const tableName = await claimsTable(client);
  await using stack = new AsyncDisposableStack();
  stack.defer(() => client.destroy());
  const database = store === 'PostgreSQL' ? stack.use(await createDatabase(inject('postgresUrl'))) : undefined;

  /** Each order takes one life, at its point. */
  const waiting = new Map(cells.map(({ column, point }) => [orderOf(column, point), point]));
  function takesLife(orderId: string | undefined, point: Point): boolean {
    return orderId !== undefined && waiting.get(orderId) === point && waiting.delete(orderId);
  }
  const written = { completed: 'completes', released: 'releases', parked: 'parks', 'in-flight': 'claims' } as const;

  /** The order that a sandbox works on: it gets one message at a time. */
  const workingOn = new Map<string, string>();
  const takesLives = (ids: readonly string[], point: Point, { sandbox }: TapCall) => {
    const orderId = ids[0]?.split('#')[1];
    if (orderId === undefined || !takesLife(orderId, point)) return false;
    timeLines.note(orderId, sandbox, 'dies');
    return true;
  };
  /** Kills a sandbox from outside the tap. */
  function kill(sandbox: string): void {
    timeLines.note(workingOn.get(sandbox) ?? '', sandbox, 'dies');
    functions.kill(sandbox);
  }

  /** Notes the writes of a request: those on their way, or those that were applied. */
  function noteWrites(sandbox: string | undefined, when: Standing['when'], writes: readonly SeenWrite[]): void {
    for (const { id, status } of writes) {
      const orderId = id.split('#')[1] ?? '';
      if (sandbox !== undefined) workingOn.set(sandbox, orderId);
      if (when === 'wrote') timeLines.note(orderId, sandbox, written[status as keyof typeof written]);
      else if (status === 'in-flight') timeLines.note(orderId, sandbox, 'asks');
      else if (status === 'completed') timeLines.note(orderId, sandbox, 'records');
    }
  }

  /** Notes what only the worker's own log says. */
  function noteLine(line: string): void {
    const act = actOf(line);
    if (act !== undefined) timeLines.note(act.orderId, undefined, act.act);
  }

  const functions: Functions = stack.use(
    await startFunctions({
      fixture: 'gift-cards.ts',
      onLog(line) {
        events.read(line);
        noteLine(line);
      },
      dynamoEndpoint,
      tap: {
        onRequest: (call) => {
          noteWrites(call.sandbox, 'sends', claimWrites(call));
          if (takesLives(claimsIn(call), 'sends-claim', call)) return 'kill';
          return takesLives(completionsIn(call), 'sends-completion', call) ? 'kill' : 'pass';
        },
        onResponse: (call, answer) => {
          noteWrites(call.sandbox, 'wrote', claimWrites(call, answer));
          if (takesLives(claimsIn(call, answer), 'wrote-claim', call)) return 'kill';
          return takesLives(completionsIn(call, answer), 'wrote-completion', call) ? 'kill' : 'pass';
        },
      },
    }),
  );
  const beforeResponse = await startCalledServer(async (request, response) => {
    const orders: { orderId: string }[] = JSON.parse(String(await readBody(request))).map(JSON.parse);
    const sandbox = sandboxOf(request) ?? '';
    for (const { orderId } of orders) timeLines.note(orderId, sandbox, 'responds');
    if (orders.some(({ orderId }) => takesLife(orderId, 'sends-response'))) kill(sandbox);
    response.end();
  });
  stack.defer(() => beforeResponse.stop());

  const atStatement = await startCalledServer(async (request, response) => {
    const { when, writes }: Standing = JSON.parse(String(await readBody(request)));
    const sandbox = sandboxOf(request) ?? '';
    noteWrites(sandbox, when, writes);
    for (const { id, status } of writes) {
      const part = status === 'in-flight' ? 'claim' : status === 'completed' ? 'completion' : undefined;
      if (part !== undefined && takesLife(id.split('#')[1], `${when}-${part}`)) kill(sandbox);
    }
    response.end();
  });
  stack.defer(() => atStatement.stop());

  const ledger = createLedger();
  const notedLedger: Ledger = {
    ...ledger,
    append(entry) {
      timeLines.note(entry.orderId, entry.sandbox, 'applies');
      ledger.append(entry);
    },
  };
  function nextFault(_: unknown, orderId: string): ProviderFault | undefined {
    timeLines.note(orderId, undefined, 'calls');
    if (takesLife(orderId, 'sends-effect')) return { kind: 'kill-before' };
    return takesLife(orderId, 'wrote-effect') ? { kind: 'kill-applied' } : undefined;
  }
  const consumers: TestConsumer[] = [];
  for (const column of allColumns) {
    const { policy, honoursKeys } = columns[column];
    const provider = await startGiftCards(notedLedger, {
      lookupLagMs: times.lookupLagMs * stretch,
      honoursKeys,
      nextFault,
      kill,
    });
    stack.defer(() => provider.stop());
    const consumer = await functions.startConsumer({
      name: column,
      environment: {
        POLICY: policy,
        SETTLE_MS: String(times.settleMs * stretch),
        CLAIMS_TABLE: tableName,
        GIFT_CARD_API_URL: provider.endpoint,
        BEFORE_RESPONSE_URL: beforeResponse.endpoint,
        ...(database && { DATABASE_URL: database.url, STATEMENTS_URL: atStatement.endpoint }),
      },
      timeoutMs,
      visibilitySeconds: (times.visibilityMs * stretch) / 1000,
      // One message for each invocation: a cell must not die of its neighbour's kill.
      batchSize: 1,
      sandboxes: 2,
    });
    consumers.push(consumer);
    await Promise.all(allPoints.map((point) => functions.send(consumer, order(orderOf(column, point)))));
  }

  const { sqs } = functions;
  await eventually(
    'every worker has died at its point, and every queue is empty',
    async () => {
      const depths = await Promise.all(consumers.map(({ queue }) => sqs.depth(queue.name)));
      expect([...waiting.keys()]).toEqual([]);
      expect(depths).toEqual(consumers.map(() => ({ ready: 0, delayed: 0, inFlight: 0 })));
    },
    100,
  );
  const { killed } = functions.sandboxes;

  const dead = (await Promise.all(consumers.map(({ deadLetters }) => readAll(functions, deadLetters.url)))).flat();
  const claims = resolverOf({
    operation: 'issue-gift-card',
    store: database
      ? postgresStore({ pool: database.pool })
      : dynamoStore({ tableName, aws: sdk({ dynamodb: client }) }),
  });
  for (const { column, point } of cells) {
    const orderId = orderOf(column, point);
    const effects = ledger.countByOrder('gift-card').get(orderId) ?? 0;
    const { status } = (await claims.read(orderId)) ?? {};
    const reasons = dead
      .filter(({ Body }) => JSON.parse(Body ?? 'null').orderId === orderId)
      .map(({ MessageAttributes }) => MessageAttributes?.['pawl-reason']?.StringValue);
    measured.set(orderId, inWords({ effects, status, reasons }));
  }
  const slowest = Math.max(...cells.map(({ column, point }) => longestWork(timeLines.storyOf(orderOf(column, point)))));
  const wasInTime = functions.sandboxes.timedOut === 0 && slowest < timeoutMs / 2 && events.verdicts().tooEarly > 0;
  return wasInTime ? { measured, killed, events, timeLines } : undefined;
}

/** How long the slowest worker of a story was at work, in milliseconds. */
function longestWork(story: Story): number {
  const spans = [...Map.groupBy(story, ({ worker }) => worker).values()].map(
    (acts) => (acts.at(-1)?.at ?? 0) - (acts[0]?.at ?? 0),
  );
  return Math.max(0, ...spans);
}

/** What a line of a worker's log says that no server sees. */
function actOf(line: string): { readonly orderId: string; readonly act: Act } | undefined {
  const start = line.indexOf('{"pawl":');
  if (start === -1 || !line.endsWith('}')) return undefined;
  const { pawl, id, verdict, settled } = JSON.parse(line.slice(start));
  const orderId = String(id).split('#')[1] ?? '';
  if (pawl === 'dead-lettered') return { orderId, act: 'dead-letters' };
  if (pawl !== 'reconciled') return undefined;
  if (verdict === 'applied') return { orderId, act: 'hears applied' };
  return { orderId, act: settled === true ? 'hears not applied' : 'hears too early' };
}

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

describe.each(here)('with the claims in %s', (store) => {
  it('kills one worker for each cell of the table', () => {
    expect(runOf(store).killed).toBe(cells.length);
  });

  it('asks the provider while its look-up does not show yet what it has issued', () => {
    const { tooEarly, applied } = runOf(store).events.verdicts();
    expect(tooEarly).toBeGreaterThan(0);
    expect(applied).toBeGreaterThan(0);
  });

  describe.each(allColumns)('under %s', (column) => {
    it.each(allPoints)('a worker that dies at %s leaves what the README promises', (point) => {
      expect(runOf(store).measured.get(orderOf(column, point))).toBe(promised[point][column]);
    });
  });

  it('the table of the guarantee is what was measured', async () => {
    const { measured } = runOf(store);
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
    for (const path of ['README.md', 'docs/explanation/promise.md']) {
      const page = await readFile(new URL(`../../../${path}`, import.meta.url), 'utf8');
      const between = /<!-- crash-points -->\n\n([\s\S]*?)\n\n<!-- \/crash-points -->/.exec(page)?.[1];
      expect(between, path).toBe(table);
    }
  });
});

it('the time-lines of the site tell what happened', async () => {
  const { timeLines } = runOf('DynamoDB');
  const path = new URL('../../../docs/evidence/crash-points.json', import.meta.url);
  const stories = new Map(
    cells.map((cell) => [orderOf(cell.column, cell.point), timeLines.storyOf(orderOf(cell.column, cell.point))]),
  );
  if (process.env['PAWL_WRITE'] !== undefined) {
    await writeFile(
      path,
      `${JSON.stringify(Object.fromEntries([...stories].map(([cell, story]) => [cell, lines(story)])), null, 2)}\n`,
    );
  }
  const drawn = readStories();
  expect([...drawn.keys()]).toEqual([...stories.keys()]);
  for (const [cell, story] of stories) expect(inEveryRun(drawn.get(cell) as Story), cell).toEqual(inEveryRun(story));
});
