import type { OwnFaults } from '../../lib/rehearsal/file/own-faults.ts';
import type { ProviderFault } from '../../lib/rehearsal/provider.ts';
import { type AppName, type Named, namedIn, nameOf, type PlannedOrder, wayAwayOf } from './plan.ts';

/*
 * Carries the plan out, at the taps of the rehearsal.
 *
 * Owns: at which call each trouble strikes, and when a table is away. Each trouble strikes once, in every circumstance at the same call of its order.
 */

export interface Strikes {
  readonly faults: OwnFaults;
  /** All tables are there again. */
  readonly bringBack: () => void;
  /** The name of the table that is to be away, of each app. */
  readonly awayTables: Map<AppName, string>;
}

/** How long a table that hangs keeps a request, in milliseconds: longer than any function runs. */
const hangsForMs = 12_000;

/** @param planOf the order of a name; nothing if the plan has none */
export function strikesOf(planOf: (named: Named) => PlannedOrder | undefined, ordersPerSeed: number): Strikes {
  const calls = new Map<string, number>();
  const nth = (what: string) => {
    const count = calls.get(what) ?? 0;
    calls.set(what, count + 1);
    return count;
  };
  /** For each app whose table is away, the seed in which it is. */
  const away = new Map<AppName, number>();
  const awayTables = new Map<AppName, string>();
  const awayIn = (body: string) => [...away].find(([app]) => body.includes(awayTables.get(app) ?? '?'))?.[1];

  /** Whether the worker of one of these orders is to be killed at this request for its record. */
  const diesAtTable = (body: string, when: 'sent' | 'written') =>
    namedIn(body).some((named) => {
      const planned = planOf(named);
      if (planned?.trouble !== 'killed-at-table') return false;
      const { request, when: at } = planned.killedAt;
      return nth(`${when} ${nameOf(named)}`) === request && at === when;
    });

  const once = (named: Named, what: string, trouble: PlannedOrder['trouble']) =>
    planOf(named)?.trouble === trouble && nth(`${what} ${nameOf(named)}`) === 0;

  return {
    awayTables,
    bringBack: () => away.clear(),
    faults: {
      provider(intent) {
        const [named] = namedIn(intent);
        const planned = named && planOf(named);
        if (planned === undefined) return undefined;
        const { circumstance, app, seed } = named as Named;
        if (circumstance === 'away' && nth(`seed ${app} ${seed}`) === ordersPerSeed / 2) away.set(app, seed);
        const isFirst = nth(`call ${intent}`) === 0;
        return isFirst || planned.trouble === 'poison' ? faultOf[planned.trouble] : undefined;
      },
      delivery: () => ({
        deliversTwice: ({ Body = '' }) => namedIn(Body).some((named) => once(named, 'twice', 'delivered-twice')),
        forgetsDeletion: ({ Body = '' }) => namedIn(Body).some((named) => once(named, 'again', 'redelivered')),
      }),
      dynamodb: {
        onRequest({ body }) {
          if (diesAtTable(body, 'sent')) return 'kill';
          const seed = awayIn(body);
          return seed !== undefined && wayAwayOf(seed) === 'hangs' ? { delayMs: hangsForMs } : 'pass';
        },
        rewrite({ body }) {
          const seed = awayIn(body);
          const way = seed === undefined ? 'hangs' : wayAwayOf(seed);
          if (way === 'hangs') return undefined;
          const error = { __type: `com.amazonaws.dynamodb.v20120810#${way}`, message: 'the table is away' };
          return { body: undefined, status: 400, answer: () => JSON.stringify(error) };
        },
        onResponse: ({ body }) => (diesAtTable(body, 'written') ? 'kill' : 'pass'),
      },
    },
  };
}

const faultOf: Partial<Record<PlannedOrder['trouble'], ProviderFault>> = {
  late: { kind: 'late', delayMs: 300 },
  refused: { kind: 'error-before', status: 503 },
  poison: { kind: 'error-before', status: 503 },
  'fails-applied': { kind: 'error-applied', status: 500 },
  'twice-and-fails': { kind: 'error-applied', status: 500 },
  'no-answer': { kind: 'drop-applied' },
  'killed-before': { kind: 'kill-before' },
  'killed-applied': { kind: 'kill-applied' },
  'killed-answered': { kind: 'kill-answered' },
};
