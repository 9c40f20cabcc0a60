import { lineOf, propertyOf, recordedError } from 'pawl/kernel';
import type { LockOperator } from 'pawl/locks';
import type { ActedBy, Operator } from 'pawl/operate';
import type { FindingSettlement, Findings } from 'pawl/statements';
import { acts } from './acts.ts';
import {
  type ActLine,
  type ClaimsList,
  type ConsoleState,
  type LocksList,
  lockStates,
  type Overview,
  type QueueName,
  type QueueNow,
  type RedriveTargets,
  type RehearsalSource,
} from './api.ts';
import { findingList } from './finding-list.ts';
import type { HistorySource } from './history.ts';
import { letterBox } from './letters.ts';
import { type LockListOptions, lockList } from './lock-list.ts';
import { byOperation, distinct, grouped, matching, openList, sorted } from './open-list.ts';
import { verdictOf } from './plans.ts';
import { BadRequest, countOf, fenceOf, filterOf, finderOf, planWantedOf, sortOf, textOf } from './wanted.ts';

/** A table of claims, and what an operator does with it. */
export interface Desk {
  readonly operate: Operator;
  /** What statements have found. @default no finding is shown */
  readonly findings?: Findings | undefined;
  /** What settles findings by remedies. @default the page runs no remedy */
  readonly settlement?: FindingSettlement | undefined;
  /** Who holds which resources. @default no lock is shown */
  readonly locks?: LockOperator | undefined;
  /** How far the work of a lock's holder is. @default it is not shown */
  readonly progressOf?: LockListOptions['progressOf'];
}

export interface DeskOptions extends Desk {
  readonly queues: readonly QueueName[];
  /** The works under locks whose progress is shown, by name. */
  readonly works: readonly string[];
  readonly history: HistorySource;
  readonly now: () => number;
  readonly newId: () => string;
  /** Aborted when the console ends: acts begin nothing new. */
  readonly signal: AbortSignal;
}

/** What a request says, once it may ask. */
export interface Call {
  readonly query: URLSearchParams;
  /** The JSON of a POST. */
  readonly body: unknown;
}

/** What a call comes to: one value, or a line for each step of an act. */
type Response =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'lines'; readonly lines: AsyncGenerator<ActLine> };

export interface Route {
  /** It changes claims or queues: the console needs `write`. */
  readonly writes?: true;
  readonly run: (call: Call) => Promise<Response>;
}

/** How old the list of open claims may be that a page is shown from. */
const listAgeMs = 10_000;
const defaultPage = 50;
const largestPage = 200;

/** What the page can ask for of the console as a whole. All of it only reads. */
export function ownRoutes(
  state: () => ConsoleState,
  rehearsal: RehearsalSource | undefined,
): ReadonlyMap<string, Route> {
  const routes = new Map<string, Route>([['GET /api/state', answering(async () => state())]]);
  if (rehearsal === undefined) return routes;
  return routes
    .set(
      'GET /api/rehearsal',
      answering(async () => ({ rehearsal: rehearsal.view() })),
    )
    .set(
      'GET /api/rehearsal/report',
      answering(async () => ({ report: rehearsal.report() })),
    );
}

/**
 * What the page can ask for of a table of claims. A GET reads. All that receives, sends or decides is a POST.
 *
 * Owns: how what an operator can see and do looks to the page. Does not own: any rule, which is in `pawl/operate`, `pawl/locks` and `pawl/statements`; who may ask (`security.ts`).
 */
export function routesOf({
  operate,
  findings: kept,
  settlement,
  locks: desk,
  progressOf,
  works,
  queues: known,
  history,
  now,
  newId,
  signal,
}: DeskOptions): ReadonlyMap<string, Route> {
  const list = openList(operate, now);
  const letters = letterBox(operate, now, signal);
  const findings = findingList(kept, now);
  const locks = lockList({ locks: desk, operate, progressOf, works, now });
  const acting = acts({
    ...{ operate, locks: desk, settlement, list, letters, findings, newId, now, signal },
    targetOf: (queueUrl) => known.find(({ url }) => url === queueUrl)?.to,
    onActed() {
      list.forget();
      locks.forget();
    },
  });

  async function overview(): Promise<Overview> {
    const [{ at, claims, truncated }, queues, standing, counted] = await Promise.all([
      list.read(listAgeMs),
      Promise.all(known.map(queueNow)),
      locks.now(listAgeMs),
      history.read(),
    ]);
    return { at, operations: byOperation(claims), queues, locks: standing, truncated, history: counted };
  }

  async function queueNow(queue: QueueName): Promise<QueueNow> {
    try {
      return { ...queue, depth: await operate.queueDepth(queue.url), error: undefined };
    } catch (error) {
      return { ...queue, depth: undefined, error: lineOf(recordedError(error)) };
    }
  }

  async function claims({ query }: Call): Promise<ClaimsList> {
    const maxAgeMs = query.has('fresh') ? 0 : listAgeMs;
    const { at, claims: all, truncated } = await list.read(maxAgeMs);
    const found = matching(
      all,
      filterOf((name) => query.get(name)),
    );
    const { offset, size } = pageOf(query, found.length);
    const inOrder = sorted(found, sortOf(query.get('sort')), query.has('reverse'));
    return {
      at,
      total: all.length,
      matching: found.length,
      truncated,
      operations: distinct(all.map(({ operation }) => operation)),
      reasons: distinct(all.map(({ reason }) => reason)),
      claims: inOrder.slice(offset, offset + size),
      groups: grouped(found),
    };
  }

  async function standing({ query }: Call): Promise<LocksList> {
    const maxAgeMs = query.has('fresh') ? 0 : listAgeMs;
    const state = lockStates.find((one) => one === query.get('state'));
    return locks.read({ state, q: query.get('q') ?? undefined, maxAgeMs, ...pageOf(query, Number.MAX_SAFE_INTEGER) });
  }

  /** @throws BadRequest unless it is a queue of this console */
  function queueOf(body: unknown): string {
    const asked = textOf(body, 'queueUrl');
    const found = known.find(({ url }) => url === asked);
    if (found === undefined) throw new BadRequest('queueUrl: the console has no such queue.');
    return found.url;
  }

  async function targetsOf(queueUrl: string): Promise<RedriveTargets> {
    const own = known.flatMap(({ url, to }) => (url === queueUrl && to !== undefined ? [to] : []));
    try {
      return { sources: distinct([...own, ...(await operate.sourcesOf(queueUrl))]), error: undefined };
    } catch (error) {
      return { sources: own, error: lineOf(recordedError(error)) };
    }
  }

  async function stepsResolved(body: unknown) {
    const given = propertyOf(body, 'steps');
    if (typeof given !== 'object' || given === null) throw new BadRequest('steps is missing.');
    const steps = Object.entries(given).map(([name, said]) => [name, stepVerdict(said)] as const);
    const result = await operate.resolve({ id: textOf(body, 'id') }, Object.fromEntries(steps), {
      ...actedBy(body),
      fence: fenceOf(body),
    });
    list.forget();
    return result;
  }

  return new Map<string, Route>([
    ['GET /api/overview', answering(overview)],
    ['GET /api/claims', answering(claims)],
    [
      'GET /api/claim',
      answering(async ({ query }) => {
        const claim = await operate.readClaim({ id: query.get('id') ?? '' }, { results: query.has('results') });
        return { at: now(), claim };
      }),
    ],
    ['GET /api/locks', answering(standing)],
    ['GET /api/lock', answering(async ({ query }) => ({ at: now(), lock: await locks.one(query.get('id') ?? '') }))],
    ['GET /api/findings', answering(() => findings.read())],
    ['POST /api/dead-letters', answering(async ({ body }) => letters.look(queueOf(body), finderOf(body)))],
    ['POST /api/dead-letters/last', answering(async ({ body }) => ({ last: letters.last(queueOf(body)) }))],
    [
      'POST /api/dead-letters/body',
      answering(async ({ body }) => {
        const found = letters.body(queueOf(body), textOf(body, 'messageId'));
        if (found === undefined) throw new BadRequest('The message was not there at the last look. Look again.');
        return found;
      }),
    ],
    ['POST /api/dead-letters/targets', answering(async ({ body }) => targetsOf(queueOf(body)))],
    [
      'POST /api/plan',
      {
        writes: true,
        ...answering(async ({ body }) => {
          const wanted = planWantedOf(body);
          if (wanted.kind === 'redrive' || wanted.kind === 'discard') queueOf(body);
          return acting.plan(wanted);
        }),
      },
    ],
    [
      'POST /api/act',
      {
        writes: true,
        async run({ body }) {
          return { kind: 'lines', lines: acting.begin(textOf(body, 'planId'), actedBy(body)) };
        },
      },
    ],
    ['POST /api/resolve-steps', { writes: true, ...answering(({ body }) => stepsResolved(body)) }],
  ]);
}

function pageOf(query: URLSearchParams, matching: number): { readonly offset: number; readonly size: number } {
  return {
    offset: countOf(query.get('offset'), { least: 0, most: matching }),
    size: query.has('size') ? countOf(query.get('size'), { least: 1, most: largestPage }) : defaultPage,
  };
}

function answering(run: (call: Call) => Promise<unknown>): Route {
  return { run: async (call) => ({ kind: 'value', value: await run(call) }) };
}

/** @throws BadRequest */
function actedBy(body: unknown): ActedBy {
  return { by: textOf(body, 'by').trim(), note: textOf(body, 'note').trim() };
}

/** @throws BadRequest */
function stepVerdict(said: unknown) {
  if (typeof said === 'string') return verdictOf(said);
  if (propertyOf(said, 'verdict') !== 'applied') throw new BadRequest('Only a step that was applied has a result.');
  return { verdict: 'applied', result: propertyOf(said, 'result') } as const;
}
