import { identify } from '../../../lib/pawl/rules/identity.ts';
import type { ClaimRecord } from '../../../lib/pawl/rules/record.ts';
import { fromItem } from '../../../lib/pawl/stores/dynamodb/item.ts';
import { operation } from '../consumers/options.ts';
import { type Sandbox, sha256 } from '../lambda/sandbox.ts';
import type { Oracle, Violation } from '../parts.ts';
import type { Simulation } from '../simulation.ts';
import { createGrants } from './grants.ts';
import { createMessageChecks } from './messages.ts';
import { createRuns } from './runs.ts';
import { transitionProblems } from './transitions.ts';

export function createOracle(simulation: Simulation): Oracle {
  const { world, scenario, stats } = simulation;
  const violations: Violation[] = [];
  const ids = new Map<string, string>();
  const effectKeys = new Map<string, string>();
  /** How many effects of a key nobody may complain about. */
  const allowed = new Map<string, number>();

  function problem(invariant: number, text: string): void {
    world.note('ORACLE', `invariant ${invariant} is broken:`, text);
    violations.push({ invariant, text, at: world.time });
  }

  function idOf(key: string): string {
    let id = ids.get(key);
    if (id === undefined) {
      id = identify(operation, key, { sha256 }).id;
      ids.set(key, id);
    }
    return id;
  }

  function recordOf(key: string): ClaimRecord | undefined {
    const item = simulation.table.items.get(idOf(key));
    return item && fromItem(item);
  }

  const grants = createGrants();
  const runs = createRuns(simulation, {
    problem,
    recordOf,
    acknowledged: (sandbox, key) => grants.acknowledged(sandbox, idOf(key)),
    hasLost: (sandbox, key) => grants.hasLost(sandbox, idOf(key)),
    isTakenOver: grants.isTakenOver,
  });
  const messages = createMessageChecks(simulation, { problem, runs });

  return {
    violations,
    problem,
    wrote(writer, before, after) {
      const [from, to] = [before && fromItem(before), fromItem(after)];
      world.note(
        'table',
        `${from ? from.status : 'nothing'} becomes ${to.status}:`,
        `${to.id} fence ${to.fence}, by ${writer.name} as ${to.claimId}`,
      );
      const facts = {
        writer: writer.name,
        now: writer.clock(),
        // A clock may be set while a write is on its way.
        skewMs: scenario.faults.clockJumps > 0 ? 0 : scenario.skewMs,
        clocksAreRight: !runs.clocksWereWrong(),
        effects: (id: string) => simulation.provider.effectsOf(keyOf(id)),
      };
      for (const { invariant, text } of transitionProblems(from, to, facts)) {
        problem(invariant, `${text}: ${JSON.stringify(from)} → ${JSON.stringify(to)}`);
      }
      grants.wrote(writer, from, to);
    },
    heard(sandbox, input, answer) {
      if ('error' in answer && (answer.error as Error).name === 'ValidationException') {
        problem(0, `DynamoDB was asked for something invalid: ${answer.error}`);
      }
      grants.heard(sandbox, input, answer);
    },
    event(sandbox, event) {
      const { type, id } = event;
      if (!sandbox.alive) return;
      world.note(sandbox.name, type, id);
      if (event.type === 'late-answer') messages.answeredLate(sandbox);
      if (event.type === 'completion-lost') runs.confirmed(keyOf(id));
      if (event.type === 'in-flight') runs.metAnother(sandbox, keyOf(id));
      if (event.type === 'stale-claim') isStale(sandbox, id, event.fence);
      stats.events[type] = (stats.events[type] ?? 0) + 1;
    },
    runStarted: runs.started,
    effectStarted: runs.effectStarted,
    isRunning: runs.isRunning,
    storeFails: runs.storeFails,
    effectSent(sandbox, request) {
      const { key, effectKey } = request;
      const known = effectKeys.get(key);
      if (known !== undefined && known !== effectKey) problem(12, `${key} has the effect keys ${known}, ${effectKey}`);
      effectKeys.set(key, effectKey);
      runs.effectSent(sandbox, request);
    },
    effectApplied({ key }, times) {
      const most = allowed.get(key) ?? 1;
      if (times <= most) return;
      const { policy, provider } = scenario;
      if (policy === 'retry' && !provider.honoursKeys) stats.doubled++;
      // Whoever decided, a reconciler or an operator, could not see what a worker that stood still was going to do.
      else if ((policy === 'reconcile' || allowed.has(key)) && !provider.honoursKeys && runs.mayBeTooEarly(key))
        stats.doubled++;
      else problem(1, `the effect of ${key} was applied ${times} times, where ${most} is the most`);
    },
    deadLettered: messages.deadLettered,
    answered: messages.answered,
    deleted: messages.deleted,
    hasCopy: messages.hasCopy,
    clockWentWrong: runs.clockWentWrong,
    allowsAnother(key, verdict) {
      if (verdict !== 'applied') allowed.set(key, simulation.provider.effectsOf(key) + 1);
      runs.resolved(key);
    },
    everythingEnded: messages.everythingEnded,
    atTheEnd: messages.atTheEnd,
  };

  /** A sandbox says that a claim is not its own any more. */
  function isStale(sandbox: Sandbox, id: string, fence: number): void {
    const item = simulation.table.items.get(id);
    if (item === undefined) return;
    const { claimId, status, fence: current, resolution } = fromItem(item);
    const isIts = claimId.startsWith(`${sandbox.name}.`) && current === fence && resolution === undefined;
    const stands = status === 'in-flight' || status === 'completed';
    if (isIts && stands) problem(4, `${sandbox.name} takes its own claim of ${id} for somebody else's`);
  }

  function keyOf(id: string): string {
    for (const { key } of simulation.traffic.intents()) if (key !== undefined && idOf(key) === id) return key;
    return '';
  }
}
