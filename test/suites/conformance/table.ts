/*
 * Every official Middy middleware for queues and for HTTP, beside pawl. The tests try each cell, and the tables of
 * `docs/evidence/conformance.md` are made from this table.
 */

export const cores = [5, 6, 7] as const;
/** A major of `@middy/core`. */
export type Core = (typeof cores)[number];

export type Door = 'queue' | 'http';

/** Where the other middleware stands. */
export const positions = ['outside', 'inside', 'around', 'whole'] as const;
export type Position = (typeof positions)[number];

/** How each position is written at each door. */
export const pawlAt: Readonly<Record<Door, Readonly<Record<Position, string>>>> = {
  queue: {
    outside: '.use(theirs).use(sqsOnce(…))',
    inside: '.use(sqsOnce(…)).use(theirs)',
    around: 'middy(eachMessage(…)).use(theirs)',
    whole: 'once(…, middy(…).use(theirs))',
  },
  http: {
    outside: '.use(theirs).use(httpOnce(…))',
    inside: '.use(httpOnce(…)).use(theirs)',
    around: 'middy(onceOverHttp(…)).use(theirs)',
    whole: 'onceOverHttp(…, middy(…).use(theirs))',
  },
};

/**
 * The expected result.
 *
 * - `works`: under the crash sweep no effect doubles and no message is lost.
 * - `refused`: nothing runs, and the error is this sentence.
 * - `impossible`: the two contradict each other for this reason, so no test can try them together.
 */
export type Cell =
  | { readonly kind: 'works'; readonly note?: string; readonly reasons?: 'lost' }
  | { readonly kind: 'refused'; readonly sentence: string }
  | { readonly kind: 'impossible'; readonly reason: string };

/** Whether a replay equals the first client's response: `same`, or `bare`, which lacks this middleware's changes. */
type Replay = 'same' | 'bare';

export interface Row {
  /** The package's scope. @default '@middy' */
  readonly scope?: '@middy' | '@aws-lambda-powertools';
  /** The package, without its scope. */
  readonly name: string;
  /** The way in which it is used, if there are several. */
  readonly used?: string;
  readonly doors: readonly Door[];
  /** The majors that npm has. Each core is tried with the newest major that is not newer than the core. */
  readonly majors: readonly number[];
  /** The positions at which it does not simply work. */
  readonly cells?: Partial<Readonly<Record<Door, Partial<Readonly<Record<Position, Cell>>>>>>;
  /** The positions at which core 5 differs. */
  readonly core5?: Partial<Readonly<Record<Door, Partial<Readonly<Record<Position, Cell>>>>>>;
  /** The positions at which a replay lacks this middleware's changes. */
  readonly bare?: readonly Position[];
  /** The positions at which it rounds numbers beyond 2^53 before pawl sees the body. pawl refuses such a request. */
  readonly rounds?: readonly Position[];
}

const all = [5, 6, 7];
const both: readonly Door[] = ['queue', 'http'];
const queue: readonly Door[] = ['queue'];
const http: readonly Door[] = ['http'];

const powertools = '@aws-lambda-powertools';

const works: Cell = { kind: 'works' };
/** The middleware hides the handler's error from pawl: a `RetryableError` counts as an unknown error. */
const withoutReasons: Cell = { kind: 'works', reasons: 'lost' };

/** pawl reads its key and its copies from the event. The content of an envelope is not an event. */
const noQueue: Cell = { kind: 'refused', sentence: 'expected an event of SQS' };
const noRequest: Cell = {
  kind: 'refused',
  sentence: 'expected an event of API Gateway, a function URL or a load balancer',
};

const answeredByOthers: Cell = {
  kind: 'impossible',
  reason: 'It responds instead of pawl or the handler, and Lambda or `once` takes that response for success',
};

const untold: Cell = {
  kind: 'impossible',
  reason: 'Middy 5 does not tell pawl that another middleware has returned early',
};

/** pawl needs the body's text as it was sent. After parsing, numbers are rounded, and two intents can look the same. */
const noText: Cell = { kind: 'refused', sentence: 'another middleware has parsed it' };

/** If a middleware returns early, as a replay does, Middy skips every `after`. */
const afterOnly: readonly Position[] = ['outside'];
/** The positions at which other middlewares change the event before pawl sees it. */
const beforePawl: readonly Position[] = ['outside', 'around'];

export const table: readonly Row[] = [
  { name: 'do-not-wait-for-empty-event-loop', doors: both, majors: [5, 6] },
  { name: 'error-logger', doors: both, majors: all },
  { name: 'input-output-logger', doors: both, majors: all },
  { name: 'validator', doors: both, majors: all },
  { name: 'warmup', doors: both, majors: all },
  {
    name: 'warmup',
    used: 'which responds to one real event',
    doors: both,
    majors: all,
    cells: {
      queue: { outside: answeredByOthers, around: answeredByOthers, whole: answeredByOthers },
      http: { whole: answeredByOthers },
    },
    core5: { queue: { inside: untold }, http: { inside: untold } },
  },
  { name: 'cloudwatch-metrics', doors: both, majors: [5] },
  { name: 'ssm', doors: both, majors: all },
  { name: 'secrets-manager', doors: both, majors: [5, 6] },
  {
    name: 'event-normalizer',
    doors: queue,
    majors: [5, 6],
    cells: { queue: { outside: noText, around: noText } },
  },
  {
    name: 'sqs-json-body-parser',
    doors: queue,
    majors: [2],
    cells: { queue: { outside: noText, around: noText } },
  },
  {
    name: 'sqs-partial-batch-failure',
    doors: queue,
    majors: [5, 6],
    cells: {
      queue: {
        inside: withoutReasons,
        whole: {
          kind: 'impossible',
          reason: '`once` takes a returned value for success, and this middleware returns the list of failures',
        },
      },
    },
  },
  { name: 'http-content-encoding', doors: http, majors: [5, 7], bare: afterOnly },
  { name: 'http-content-negotiation', doors: http, majors: all },
  { name: 'http-cors', doors: http, majors: all, bare: afterOnly },
  {
    name: 'http-error-handler',
    doors: http,
    majors: all,
    cells: { http: { whole: withoutReasons } },
  },
  { name: 'http-event-normalizer', doors: http, majors: all },
  { name: 'http-header-normalizer', doors: http, majors: all },
  { name: 'http-json-body-parser', doors: http, majors: all, rounds: beforePawl },
  { name: 'http-multipart-body-parser', doors: http, majors: all },
  { name: 'http-partial-response', doors: http, majors: [4, 7], bare: afterOnly },
  { name: 'http-response-serializer', doors: http, majors: all, bare: afterOnly },
  { name: 'http-router', doors: http, majors: all },
  { name: 'http-security-headers', doors: http, majors: all, bare: afterOnly },
  { name: 'http-urlencode-body-parser', doors: http, majors: all },
  { name: 'http-urlencode-path-parser', doors: http, majors: [5, 7] },
  { scope: powertools, name: 'logger', used: 'injectLambdaContext', doors: both, majors: [2] },
  { scope: powertools, name: 'metrics', used: 'logMetrics', doors: both, majors: [2] },
  { scope: powertools, name: 'tracer', used: 'captureLambdaHandler', doors: both, majors: [2] },
  { scope: powertools, name: 'parser', used: 'a schema of the event', doors: queue, majors: [2] },
  {
    scope: powertools,
    name: 'parser',
    used: 'a schema of the event, with its JSON',
    doors: both,
    majors: [2],
    cells: { queue: { outside: noText, around: noText } },
    rounds: beforePawl,
  },
  {
    scope: powertools,
    name: 'parser',
    used: 'an envelope',
    doors: both,
    majors: [2],
    cells: {
      queue: { outside: noQueue, around: noQueue },
      http: { outside: noRequest, around: noRequest },
    },
  },
];

/** One combination that a test tries. */
export interface Tried {
  readonly row: Row;
  readonly core: Core;
  /** The major of the middleware. */
  readonly major: number;
  readonly door: Door;
  readonly position: Position;
  readonly expected: Cell;
  readonly replay: Replay;
}

export function cellOf(row: Row, door: Door, position: Position, core: Core): Cell {
  const special = core === 5 ? row.core5?.[door]?.[position] : undefined;
  return special ?? row.cells?.[door]?.[position] ?? works;
}

/** The newest major of a middleware that is not newer than a core. */
export function majorFor({ majors }: Row, core: Core): number {
  return Math.max(...majors.filter((major) => major <= core));
}

/** Every cell of the table at one door, for every core. */
export function triedAt(door: Door): readonly Tried[] {
  return table
    .filter((row) => row.doors.includes(door))
    .flatMap((row) =>
      cores.flatMap((core) =>
        positions.map((position): Tried => {
          const major = majorFor(row, core);
          const replay = row.bare?.includes(position) ? 'bare' : 'same';
          return { row, core, major, door, position, expected: cellOf(row, door, position, core), replay };
        }),
      ),
    );
}

/** Whether it responds to one invocation by itself. */
export const answersOnce = ({ name, used }: Row): boolean => name === 'warmup' && used !== undefined;

/** Whether it hides the handler's error from pawl. */
export function hidesReasons({ expected }: Tried): boolean {
  return expected.kind === 'works' && expected.reasons === 'lost';
}

/** A row's name, in the tests and on the page. */
export function labelOf({ scope, name, used }: Row): string {
  return `${scope === powertools ? `Powertools’ ${name}` : name}${used === undefined ? '' : ` (${used})`}`;
}

export function nameOf({ row, core, major, door, position }: Tried): string {
  return `${labelOf(row)} ${major} on core ${core}: ${pawlAt[door][position]}`;
}

/** A function of Powertools that is not a middleware, and stands beside pawl in the author's code. */
export interface Beside {
  readonly id:
    | 'batch in sqsOnce'
    | 'once in batch'
    | 'idempotency in eachMessage'
    | 'once in idempotency'
    | 'schema of zod';
  readonly name: string;
  readonly reasons?: 'lost';
}

export const beside: readonly Beside[] = [
  { id: 'batch in sqsOnce', name: '`processPartialResponse` behind `sqsOnce`', reasons: 'lost' },
  { id: 'once in batch', name: '`once` in the record handler of `processPartialResponse`' },
  { id: 'idempotency in eachMessage', name: '`makeIdempotent` inside `eachMessage`' },
  { id: 'once in idempotency', name: '`once` inside `makeIdempotent`, which throws unless the outcome is `completed`' },
  { id: 'schema of zod', name: 'the schema of a `parser`, as the `schema` of `eachMessage`' },
];
