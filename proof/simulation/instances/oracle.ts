import type { ClaimEvent } from '../../../lib/pawl/engine/events.ts';
import type { SqsBatchResponse, SqsRecord } from '../../../lib/pawl/sqs/event.ts';
import { fromItem } from '../../../lib/pawl/stores/dynamodb/item.ts';
import type { Item } from '../dynamodb/table.ts';
import type { Sandbox } from '../lambda/sandbox.ts';
import type { Heard, Violation } from '../parts.ts';
import type { World } from '../world/world.ts';
import type { InstancesScenario } from './scenario.ts';

const counted = [
  'invocations',
  'timeouts',
  'runs',
  'overran',
  'effects',
  // Applied when the invocation of their handler had ended.
  'lateEffects',
  // Beyond the first of a key, where the author chose a short lease and its renewals could not be written.
  'doubled',
  'processes',
  'deadLettered',
  'redriven',
  'resolved',
  'completed',
  'parked',
  'storeRequests',
  'queueRequests',
  'faults',
  'mostAtOnce',
] as const;

/** What happened, in numbers. */
export interface InstancesStats extends Record<(typeof counted)[number], number> {
  /** What the library said of its claims, by type. */
  readonly events: Partial<Record<ClaimEvent['type'], number>>;
}

export function noInstancesStats(): InstancesStats {
  const numbers = Object.fromEntries(counted.map((name) => [name, 0])) as Record<(typeof counted)[number], number>;
  return { ...numbers, events: {} };
}

const keyOfId = (id: string) => id.slice(id.indexOf('#') + 1);
export const keyOf = ({ body }: { readonly body: string }): string => JSON.parse(body).orderId;

export type InstancesOracle = ReturnType<typeof createInstancesOracle>;

/** Sees everything, and is asked by nobody. The numbers are those of `Violation`. */
export function createInstancesOracle(world: World, scenario: InstancesScenario, stats: InstancesStats) {
  const violations: Violation[] = [];
  const effects = new Map<string, number>();
  const deadLettered = new Set<string>();
  /** Keys with a short lease of which a renewal failed. Whoever decides about one cannot see that its worker is alive. */
  const unrenewed = new Set<string>();

  function problem(invariant: number, text: string): void {
    world.note('ORACLE', `invariant ${invariant} is broken:`, text);
    violations.push({ invariant, text, at: world.time });
  }

  const effectsOf = (key: string) => effects.get(key) ?? 0;
  const isSafe = (key: string) => effectsOf(key) > 0 || deadLettered.has(key);

  return {
    violations,
    problem,
    effectsOf,
    heard(_: Sandbox, __: object, answer: Heard) {
      if ('error' in answer && (answer.error as Error).name === 'ValidationException') {
        problem(0, `DynamoDB was asked for something invalid: ${answer.error}`);
      }
    },
    storeFails() {},
    event(sandbox: Sandbox, { type, id }: ClaimEvent) {
      if (!sandbox.alive) return;
      world.note(sandbox.name, type, id);
      stats.events[type] = (stats.events[type] ?? 0) + 1;
      if (type === 'store-unavailable' && scenario.leaseMs !== undefined) unrenewed.add(keyOfId(id));
    },
    wrote(_: Sandbox, __: Item | undefined, after: Item) {
      const { id, status } = fromItem(after);
      world.note('table', status, id);
      const key = keyOfId(id);
      if (status === 'completed' && effectsOf(key) === 0) problem(2, `${key} is completed, and was never applied`);
    },
    applied(key: string) {
      effects.set(key, effectsOf(key) + 1);
      stats.effects++;
      world.note('provider', 'applies the effect of', key);
      const isDecided = scenario.policy === 'reconcile' || scenario.hasOperator;
      if (effectsOf(key) < 2) return;
      if (isDecided && unrenewed.has(key)) stats.doubled++;
      else problem(1, `the effect of ${key} was applied ${effectsOf(key)} times`);
    },
    deadLettered(_: Sandbox, body: string) {
      deadLettered.add(keyOf({ body }));
      stats.deadLettered++;
    },
    /** A response that came in time. */
    answered(records: readonly SqsRecord[], response: unknown) {
      const failures = (response as SqsBatchResponse).batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
      for (const { messageId, body } of records) {
        const key = keyOf({ body });
        if (!failures.includes(messageId) && !isSafe(key)) problem(6, `${key} is acknowledged, and is not safe`);
      }
    },
  };
}
