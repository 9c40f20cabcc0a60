/*
 * What is known of every official Middy middleware for queues and for HTTP beside pawl. The tests try each cell of this table, and
 * `docs/evidence/conformance.md` shows it.
 */

export const cores = [5, 6, 7] as const;
/** A major of `@middy/core`. */
export type Core = (typeof cores)[number];

export type Door = 'queue' | 'http';

/** Where a middleware stands, beside pawl's. */
export const positions = ['outside', 'inside', 'around', 'whole'] as const;
export type Position = (typeof positions)[number];

/** What a position is at each door, as it is written. */
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
 * What is expected. `works`: under the crash sweep no effect doubles and no message is lost. `refused`: nothing runs, and the error is this
 * sentence. `impossible`: the two contradict each other, for this reason, and no test can try it.
 */
export type Cell =
  | { readonly kind: 'works'; readonly note?: string; readonly reasons?: 'lost' }
  | { readonly kind: 'refused'; readonly sentence: string }
  | { readonly kind: 'impossible'; readonly reason: string };

/** Whether a replay is what the first client got: `same`, or `bare`, without what this middleware did to it. */
export type Replay = 'same' | 'bare';

export interface Row {
  /** Whose package it is. @default '@middy' */
  readonly scope?: '@middy' | '@aws-lambda-powertools';
  /** The package, without its scope. */
  readonly name: string;
  /** What of it is used, where it can be used in several ways. */
  readonly used?: string;
  readonly doors: readonly Door[];
  /** The majors of it that are on npm. A core is tried with the newest that is not newer than itself. */
  readonly majors: readonly number[];
  /** Where it is not simply `works`. */
  readonly cells?: Partial<Readonly<Record<Door, Partial<Readonly<Record<Position, Cell>>>>>>;
  /** Where core 5 differs. */
  readonly core5?: Partial<Readonly<Record<Door, Partial<Readonly<Record<Position, Cell>>>>>>;
  /** Where a replay lacks what this middleware adds; elsewhere it is the same. */
  readonly bare?: readonly Position[];
  /** Where it has rounded the numbers of a body beyond 2^53 before pawl compares it. Such a request is refused. */
  readonly rounds?: readonly Position[];
}

const all = [5, 6, 7];
const both: readonly Door[] = ['queue', 'http'];
const queue: readonly Door[] = ['queue'];
const http: readonly Door[] = ['http'];

const powertools = '@aws-lambda-powertools';

const works: Cell = { kind: 'works' };
/** The middleware hides from pawl what the handler threw: a `RetryableError` counts as an error that says nothing. */
const withoutReasons: Cell = { kind: 'works', reasons: 'lost' };

/** Pawl finds its key and its copies by the event: what an envelope held is none. */
const noQueue: Cell = { kind: 'refused', sentence: 'expected an SQS event and a Lambda context' };
const noRequest: Cell = {
  kind: 'refused',
  sentence: 'expected an event of API Gateway, a function URL or a load balancer',
};

const answeredByOthers: Cell = {
  kind: 'impossible',
  reason: 'It answers in the place of pawl, or of the handler, and Lambda or `once` takes that for success',
};

const untold: Cell = {
  kind: 'impossible',
  reason: 'Middy 5 does not tell pawl that another middleware has answered early',
};

/** Pawl needs the text of a body as it was sent: numbers are rounded by then, and two intents pass for one. */
const noText: Cell = { kind: 'refused', sentence: 'another middleware has parsed it' };

/** Middy skips every `after` when an answer comes early, as a replay does. */
const afterOnly: readonly Position[] = ['outside'];
/** Where the event comes to pawl as others have left it. */
const beforePawl: readonly Position[] = ['outside', 'around'];

export const table: readonly Row[] = [
  { name: 'do-not-wait-for-empty-event-loop', doors: both, majors: [5, 6] },
  { name: 'error-logger', doors: both, majors: all },
  { name: 'input-output-logger', doors: both, majors: all },
  { name: 'validator', doors: both, majors: all },
  { name: 'warmup', doors: both, majors: all },
  {
    name: 'warmup',
    used: 'which answers for real work once',
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
          reason: '`once` takes a returned value for success, and this middleware returns what failed',
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

/** One combination that is tried. */
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

/** Whether it answers an invocation itself, once. */
export const answersOnce = ({ name, used }: Row): boolean => name === 'warmup' && used !== undefined;

/** Whether what the handler throws does not come through to pawl. */
export function hidesReasons({ expected }: Tried): boolean {
  return expected.kind === 'works' && expected.reasons === 'lost';
}

/** A row's name, as a test and the page have it. */
export function labelOf({ scope, name, used }: Row): string {
  return `${scope === powertools ? `Powertools’ ${name}` : name}${used === undefined ? '' : ` (${used})`}`;
}

export function nameOf({ row, core, major, door, position }: Tried): string {
  return `${labelOf(row)} ${major} on core ${core}: ${pawlAt[door][position]}`;
}

/** What of Powertools is no middleware, and stands beside pawl in the author's code. */
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
