/** What one run of the local stack found out, as its JSON line says it. */
export interface SeedResult {
  readonly seed: number;
  /** The exit code. */
  readonly code: number;
  readonly killed: number;
  readonly deliveries: number;
  readonly emails: number;
  readonly giftCards: number;
  readonly payments: number;
  readonly ledgerEntries: number;
  readonly drift: number;
  readonly parked: number;
  readonly setAside: number;
  /** Of those set aside: their handler never ran. Results from before it was counted have none. */
  readonly neverRun?: number;
  readonly unfinished: number;
  readonly lost: number;
  readonly doubled: number;
  readonly repeated: number;
  readonly seconds: number;
}

const counted = [
  'killed',
  'deliveries',
  'emails',
  'giftCards',
  'payments',
  'ledgerEntries',
  'drift',
  'parked',
  'setAside',
  'neverRun',
  'unfinished',
  'lost',
  'doubled',
  'repeated',
  'seconds',
] as const;

type Counts = Readonly<Record<(typeof counted)[number], number>>;

/** All of them together, and the seeds that ended badly. */
export function summaryOf(
  results: readonly SeedResult[],
): Counts & { readonly seeds: number; readonly failed: readonly number[] } {
  const sum = (name: (typeof counted)[number]) => results.reduce((total, result) => total + (result[name] ?? 0), 0);
  const counts = Object.fromEntries(counted.map((name) => [name, Math.round(sum(name))])) as Counts;
  return { seeds: results.length, ...counts, failed: results.filter(({ code }) => code !== 0).map(({ seed }) => seed) };
}
