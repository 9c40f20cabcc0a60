import type { TapAnswer, TapCall, TapHooks } from '../../lib/rehearsal/engine/servers/tap.ts';
import { claimsIn, claimWrites, completionsIn } from './claim-writes.ts';

/** A moment in the life of a claim at which its worker is killed. */
export type ClaimKillPoint =
  /** The claim is written; the worker never learns it. */
  | 'claim-written'
  /** The worker has just learnt that it holds the claim. */
  | 'claim-answered'
  /** The completion is on its way to the table. */
  | 'completion-sent'
  /** The completion is written; the worker never learns it. */
  | 'completion-written';

export const claimKillPoints = [
  'claim-written',
  'claim-answered',
  'completion-sent',
  'completion-written',
] as const satisfies readonly ClaimKillPoint[];

/** Kills the workers of claims. */
export interface ClaimKills extends TapHooks {
  /** The claims whose worker has not been killed yet. */
  readonly left: ReadonlyMap<string, ClaimKillPoint>;
}

/**
 * Kills the worker of each of these claims once, at its point.
 *
 * @param points by the ids of the claims
 * @param writesIn the writes of claims in a request; with its response, those that were applied. @default those to DynamoDB
 */
export function createClaimKills(
  points: ReadonlyMap<string, ClaimKillPoint>,
  writesIn: typeof claimWrites = claimWrites,
): ClaimKills {
  const left = new Map(points);
  const claimed = (call: TapCall, answer?: TapAnswer) => claimsIn(call, answer, writesIn);
  const completed = (call: TapCall, answer?: TapAnswer) => completionsIn(call, answer, writesIn);
  /** Whether the worker of one of these claims is to be killed here. Each only once. */
  const takesLife = (ids: readonly string[], point: ClaimKillPoint): boolean => {
    const victim = ids.find((id) => left.get(id) === point);
    return victim !== undefined && left.delete(victim);
  };
  return {
    left,
    onRequest: (call) => (takesLife(completed(call), 'completion-sent') ? 'kill' : 'pass'),
    onResponse(call, answer) {
      // A claim that was refused belongs to another worker: to kill this one would show nothing.
      if (takesLife(claimed(call, answer), 'claim-written')) return 'kill';
      return takesLife(completed(call, answer), 'completion-written') ? 'kill' : 'pass';
    },
    onAnswered: (call, answer) => (takesLife(claimed(call, answer), 'claim-answered') ? 'kill' : 'pass'),
  };
}
