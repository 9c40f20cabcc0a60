import { createRandom } from '../../lib/rehearsal/engine/random.ts';

/*
 * What is sent, and what goes wrong, by the seed. A plan says nothing of a circumstance: the same goes wrong with an order without pawl and with it.
 *
 * Each order has one trouble. What an order comes to then follows from it alone, as long as its sandbox handles no other one: how often it has its effect, how its
 * deliveries end, what its client is told.
 */

export const apps = ['plain', 'middy', 'each', 'batch', 'http'] as const;
export type AppName = (typeof apps)[number];

/** `without`: the app without pawl. `never`: its table was never there. `away`: its table is taken away in the middle of each seed. */
export const circumstances = ['without', 'healthy', 'never', 'away'] as const;
export type Circumstance = (typeof circumstances)[number];

/** How a table is away: deleted, forbidden, or silent. */
const waysAway = ['ResourceNotFoundException', 'AccessDeniedException', 'hangs'] as const;
export type WayAway = (typeof waysAway)[number];
export const wayAwayOf = (seed: number): WayAway => waysAway[seed % waysAway.length] ?? 'hangs';

/** How often an order has its effect, by what goes wrong with it. */
const effectsOf = {
  none: 1,
  late: 1,
  'sent-twice': 2,
  'delivered-twice': 2,
  redelivered: 2,
  // The provider refuses, and has applied nothing.
  refused: 1,
  'fails-applied': 2,
  'no-answer': 2,
  'twice-and-fails': 3,
  'killed-before': 1,
  'killed-applied': 2,
  // The worker has its answer, and is killed: whether it ends before that is chance.
  'killed-answered': undefined,
  // It is killed at a request for pawl's table. Without pawl there is none.
  'killed-at-table': undefined,
  poison: 0,
} as const;
export type Trouble = keyof typeof effectsOf;

export function isSentTwice(trouble: Trouble): boolean {
  return trouble === 'sent-twice' || trouble === 'twice-and-fails';
}

export interface PlannedOrder {
  readonly n: number;
  readonly group: string;
  readonly trouble: Trouble;
  /** At which request for its record it is killed, and when. */
  readonly killedAt: { readonly request: number; readonly when: 'sent' | 'written' };
  /** How often it is to have its effect; nothing if that is no matter of the plan. */
  readonly effects: number | undefined;
}

export interface PlanOptions {
  readonly ordersPerSeed: number;
  readonly kills: boolean;
}

const kills: readonly [Trouble, ...Trouble[]] = [
  'killed-before',
  'killed-applied',
  'killed-applied',
  'killed-answered',
  'killed-at-table',
];
const others: readonly [Trouble, ...Trouble[]] = [
  ...(['none', 'none', 'late', 'sent-twice', 'sent-twice', 'delivered-twice', 'redelivered'] as const),
  ...(['refused', 'fails-applied', 'no-answer', 'twice-and-fails'] as const),
];

/** What an app has no part for: a client repeats a request instead; a FIFO queue delivers no message beside itself. */
const instead: Partial<Record<AppName, Partial<Record<Trouble, Trouble>>>> = {
  http: { 'delivered-twice': 'sent-twice', redelivered: 'sent-twice', poison: 'refused' },
  each: { 'delivered-twice': 'sent-twice', redelivered: 'sent-twice', poison: 'fails-applied' },
};

/** How often a poison order occurs: it costs its queue all receives. */
const seedsBetweenPoison = 7;

export function ordersOf(seed: number, app: AppName, options: PlanOptions): readonly PlannedOrder[] {
  const { ordersPerSeed } = options;
  const random = createRandom(seed * 1009 + apps.indexOf(app));
  return Array.from({ length: ordersPerSeed }, (_, n) => {
    const isKilled = options.kills && (n === 0 || (n === 1 && seed % 2 === 0));
    const isPoison = n === ordersPerSeed - 1 && seed % seedsBetweenPoison === 0;
    const drawn = isKilled ? random.pick(kills) : random.pick(others);
    const wanted = isPoison ? 'poison' : drawn;
    const trouble = instead[app]?.[wanted] ?? wanted;
    const killedAt = { request: random.below(2), when: random.chance(0.5) ? 'sent' : 'written' } as const;
    return { n, group: `g${n % 2}`, trouble, killedAt, effects: effectsOf[trouble] };
  });
}

/** An order in a circumstance, as its name says. */
export interface Named {
  readonly circumstance: Circumstance;
  readonly app: AppName;
  readonly seed: number;
  readonly n: number;
}

export function nameOf({ circumstance, app, seed, n }: Named): string {
  return `${circumstance}-${app}-${seed}-${n}`;
}

const name = new RegExp(`\\b(${circumstances.join('|')})-(${apps.join('|')})-(\\d+)-(\\d+)\\b`, 'g');

/** The orders that a text names. */
export function namedIn(text: string): readonly Named[] {
  return Array.from(text.matchAll(name), ([, circumstance, app, seed, n]) => ({
    circumstance: circumstance as Circumstance,
    app: app as AppName,
    seed: Number(seed),
    n: Number(n),
  }));
}
