/**
 * The options of the doors: each name once, with its kind, its range and its default.
 *
 * Owns: what `expectOptions` and `expectKinds` check, what the nearest name is looked for among, which options one door takes and another refuses, and
 * the defaults that constructs and doctor assume. The page of options and the tests of misspelt ones are derived from it. Does not own: what an option
 * means, which the docstring of its interface says (`ExactRows` holds both together); options of one function alone, which stand beside it. It imports
 * nothing.
 */

/** An option with a check of its own, such as a store or a policy. */
interface Own {
  readonly kind?: never;
  /** What a door says that has no use for it. @default whose option it is */
  readonly elsewhere?: string;
  readonly default?: string;
}

/** A whole number: a count, or a time in the unit of its name. */
export interface Whole {
  readonly kind: 'whole';
  /** @default 0 */
  readonly least?: number;
  readonly most?: number;
  /** What the least one has to hold, for the message. */
  readonly so?: string;
  /** What it may be besides. */
  readonly or?: "'forever'" | 'Infinity';
  readonly default?: number;
}

/** A part, from 0 to 1. It is checked beside the mode (`engine/observe/mode.ts`). */
interface Share {
  readonly kind: 'share';
}

/** `true` or `false`. */
interface Flag {
  readonly kind: 'flag';
  readonly default: boolean;
}

/** A function that pawl calls. */
interface Called {
  readonly kind: 'function';
  /** What it looks like, for the message. @default 'a function' */
  readonly like?: string;
}

/** One of some texts. */
interface Choice {
  readonly kind: 'choice';
  readonly of: readonly string[];
  readonly default: string;
}

export type OptionRow = Own | Whole | Share | Flag | Called | Choice;
export type OptionRows = Readonly<Record<string, OptionRow>>;

/** Of every door. */
export const claimOptions = {
  operation: {},
  store: {},
  onAbandoned: {},
  lease: {},
  skewMs: { kind: 'whole', default: 1000 },
  timeoutMs: { kind: 'whole', default: 0 },
  marginMs: { kind: 'whole', default: 1000 },
  retentionSeconds: {
    kind: 'whole',
    least: 60,
    so: 'the retention of the queue and of its dead-letter queue together',
    or: "'forever'",
    default: 30 * 24 * 3600,
  },
  maxAttempts: { kind: 'whole', least: 1, default: 20 },
  retryWindowSeconds: { kind: 'whole', default: 14 * 24 * 3600 },
  maxAbandoned: { kind: 'whole', least: 1, default: 3 },
  classify: { kind: 'function' },
  marksEffect: { kind: 'flag', default: false },
  recordResult: { kind: 'flag', default: true },
  // An item holds 400 KB, and a completion that never fits is an effect that repeats.
  maxResultBytes: { kind: 'whole', most: 300_000, default: 16_384 },
  attributes: { kind: 'function' },
  watched: { kind: 'flag', default: false },
  statements: { kind: 'flag', default: false },
  hideKeys: {},
  mode: {},
  enforce: { kind: 'share' },
  observeWaitMs: { kind: 'whole', default: 25 },
  onEvent: { kind: 'function' },
  host: {},
} as const satisfies OptionRows;

/** Of a door whose input has a key. */
export const keyOptions = { key: {}, fingerprint: {} } as const satisfies OptionRows;

/** Of consumers of SQS alone. */
export const queueOptions = {
  envelope: {},
  schema: {},
  backoffSeconds: {},
  // 25 claims share one request.
  concurrency: { kind: 'whole', least: 1, or: 'Infinity', default: 25 },
  onInFlight: { kind: 'choice', of: ['defer', 'discard'], default: 'defer' },
  deadLetters: {},
  aws: { elsewhere: 'it asks no queue; leave it out. The way to the claims is an option of the store' },
} as const satisfies OptionRows;

/** Of HTTP alone. */
export const requestOptions = {
  caller: {},
  required: {},
  isFinal: { kind: 'function', like: 'a function of the response' },
  documentation: {},
} as const satisfies OptionRows;

/** Of `eachTransaction` alone. */
export const transactionOptions = {
  onRefused: { kind: 'function', like: 'a function that returns an error' },
  onInheritedDoubt: { default: 'park' },
} as const satisfies OptionRows;

/** Of `startOnce` alone. */
export const workflowOptions = {
  workflow: {},
  waitForEnd: {},
  input: { kind: 'function', like: 'a function from the message to the input' },
} as const satisfies OptionRows;

/** What has a default there. */
type DefaultsOf<Rows extends OptionRows> = {
  readonly [Name in keyof Rows as Rows[Name] extends { readonly default: unknown } ? Name : never]: Rows[Name] extends {
    readonly default: infer Value;
  }
    ? Value extends number
      ? number
      : Value extends boolean
        ? boolean
        : Value
    : never;
};

/** The defaults of these options, by name. */
export function defaultsOf<const Rows extends OptionRows>(rows: Rows): DefaultsOf<Rows> {
  const given = Object.entries(rows).map(([name, row]) => [name, 'default' in row ? row.default : undefined] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined)) as DefaultsOf<Rows>;
}

type RowOf<Value> = [Value] extends [never]
  ? OptionRow
  : [Value] extends [boolean]
    ? Flag
    : [Value] extends [number | 'forever']
      ? Whole | Share
      : [Value] extends [string]
        ? Own | Choice
        : OptionRow;

/**
 * The rows of an interface, which are neither more nor fewer than its options: `rows satisfies ExactRows<Options, typeof rows>` does not compile where one
 * is missing, where one is no option, and where a number or a flag has a row of another kind.
 */
export type ExactRows<Options, Rows> = {
  readonly [Name in keyof Required<Options>]: RowOf<NonNullable<Required<Options>[Name]>>;
} & {
  readonly [Name in Exclude<keyof Rows, keyof Options>]: ['no option of the interface', Name];
};
