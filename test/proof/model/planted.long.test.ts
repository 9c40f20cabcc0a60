import { describe, expect, it } from 'vitest';
import { decide } from '../../../lib/pawl/rules/decide.ts';
import type { ClaimRecord } from '../../../lib/pawl/rules/record.ts';
import { outcomeOfError, settle } from '../../../lib/pawl/rules/settle.ts';
import { checkpointed } from '../../../lib/pawl/rules/steps.ts';
import { acknowledged, dispositionOfRefused, missedItsTurn } from '../../../lib/pawl/sqs/disposition.ts';
import { configs, smaller } from '../../../proof/model/config.ts';
import { type Protocol, production } from '../../../proof/model/protocol.ts';
import { search } from '../../../proof/model/search.ts';
import { modelOf } from '../../../proof/model/world.ts';

/** Decides upon something else than what is there. */
function seeing(change: (found: ClaimRecord) => ClaimRecord): typeof decide {
  return (found, ...rest) => {
    const decided = decide(found && change(found), ...rest);
    return decided.write ? { ...decided, write: { ...decided.write, seen: found } } : decided;
  };
}

/** What each breakage is to be found by, and where. */
const planted: readonly (readonly [what: string, where: string, promise: string, broken: Partial<Protocol>])[] = [
  [
    'a write that looks at nothing',
    'park',
    'invariant 4',
    { unchanged: (seen, found) => seen === undefined || found !== undefined },
  ],
  [
    'a late worker that settles whoever holds the claim',
    'park',
    'invariant 4',
    { settle: (claimId, found, ...rest) => settle(found?.claimId ?? claimId, found, ...rest) },
  ],
  [
    'a lease that is not waited for',
    'retry, key honoured',
    'invariant 13',
    { decide: (found, request, rules, now) => decide(found, request, { ...rules, skewMs: -1e9 }, now) },
  ],
  [
    'no allowance for clocks that differ',
    'park, three workers, skew',
    'invariant 13',
    { decide: (found, request, rules, now) => decide(found, request, { ...rules, skewMs: 0 }, now) },
  ],
  [
    'a dead worker that is taken over after the retry window',
    'retry, limits',
    'the retry window',
    {
      decide: (found, request, rules, now) =>
        decide(found, request, found?.status === 'in-flight' ? { ...rules, retryWindowSeconds: 1e9 } : rules, now),
    },
  ],
  [
    'a claim given back although its effect is in doubt',
    'park',
    'invariant 1',
    {
      outcomeOfError: (error, known, phase) =>
        outcomeOfError(error, known, phase === 'unmarked' ? 'before' : phase, { onAbandoned: 'retry' }),
    },
  ],
  [
    'a fingerprint that is not compared',
    'another intent',
    'invariant 6',
    { decide: seeing((found) => ({ ...found, fingerprint: undefined })) },
  ],
  [
    'a doubt that is forgotten with the release',
    'reconcile',
    'invariant 1',
    {
      settle(...args) {
        const next = settle(...args);
        return typeof next === 'object' && next.status === 'released' ? { ...next, unknownAt: undefined } : next;
      },
    },
  ],
  [
    'a duplicate in flight that is acknowledged',
    'park',
    'invariant 6',
    {
      dispositionOfRefused: (refused, ...rest) =>
        refused.kind === 'in-flight' ? acknowledged : dispositionOfRefused(refused, ...rest),
    },
  ],
  [
    'a record whose states are told apart by claim, status and lease, where each checkpoint gives a millisecond away',
    'steps, renewed lease',
    'invariant 4',
    {
      unchanged(seen, found) {
        if (seen === undefined || found === undefined) return seen === found;
        return (['claimId', 'status', 'leaseUntil'] as const).every((name) => seen[name] === found[name]);
      },
      checkpointed(...args) {
        const next = checkpointed(...args);
        return typeof next === 'object' ? { ...next, leaseUntil: next.leaseUntil - 1 } : next;
      },
    },
  ],
  [
    'a door of transactions that runs what another door left in doubt',
    'door changes to transactions',
    'invariant 1',
    {
      decide: (found, request, rules, now) =>
        decide(found, request, rules.atomic ? { ...rules, onAbandoned: 'retry' } : rules, now),
    },
  ],
  [
    'a claim that a worker of any door left, taken for one of transactions',
    'door changes to transactions',
    'invariant 1',
    { decide: seeing((found) => ({ ...found, atomic: found.fence })) },
  ],
  [
    'a parked claim that is granted again',
    'park',
    'invariant 11',
    {
      decide: seeing((found) =>
        found.status === 'parked' ? { ...found, status: 'released', unknownAt: undefined } : found,
      ),
    },
  ],
  [
    'messages that are done and come again',
    'park',
    'nothing went wrong',
    { dispositionOfRun: () => missedItsTurn, dispositionOfRefused: () => missedItsTurn },
  ],
];

describe('the search finds what is broken', () => {
  it.each(planted)(
    '%s (%s)',
    (_, name, promise, broken) => {
      const config = configs.find((one) => one.name === name);
      if (config === undefined) throw new TypeError(`no configuration is called ${name}`);
      const { violation } = search(modelOf(smaller(config), { ...production, ...broken }), { mostStates: 300_000 });
      expect(violation?.promise).toBe(promise);
      // The shortest story starts with the first delivery, and ends with the promise that was broken.
      expect(violation?.story).toMatch(/^ +1 {2}message 1 is delivered to worker A/);
    },
    60_000,
  );
});
