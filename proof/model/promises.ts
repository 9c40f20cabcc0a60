import { isDeepStrictEqual } from 'node:util';
import type { ClaimRecord } from '../../lib/pawl/rules/record.ts';
import type { ClaimWrite } from '../../lib/pawl/rules/store.ts';
import { ms, unit } from './time.ts';
import { at, type Key, type Model, type Worker, type World, type Writer } from './world.ts';

/** A promise of the protocol that was not kept. The number is the invariant's. */
export class Broken extends Error {
  override readonly name = 'Broken';
  readonly promise: string;
  constructor(promise: string, message: string) {
    super(`${promise}: ${message}`);
    this.promise = promise;
  }
}

/** Invariant 1, at the moment when a provider has applied an effect; and 13, where 1 ends. */
export function checkEffect({ config }: Model, world: World, key: Key): void {
  if (key.applied - key.forgotten < 2) return;
  // Where the policy has changed, that of the last attempt counts: it is the one that knew of an earlier one and ran.
  const policy = at(config.policies, key.policy);
  const stops = policy === 'park' || config.honoursKey || (policy === 'reconcile' && !world.beyond);
  if (stops) throw new Broken('invariant 1', `the effect was applied ${key.applied} times`);
  if (!key.told) throw new Broken('invariant 13', 'the effect was applied twice, and nothing was reported');
}

/** Invariant 1, for a step, which is under 'park'. */
export function checkStep(applied: number, step: number): void {
  if (applied > 1) throw new Broken('invariant 1', `step ${step + 1} was applied ${applied} times`);
}

/** Invariants 3, 8 and 9, when a worker is about to start an effect, or to ask a provider about one. */
export function checkStart({ config, identities }: Model, world: World, worker: Worker): void {
  const { batch, dispositions, buried, waits, grant } = worker;
  const { message } = at(batch, dispositions.length);
  const { key, intent } = at(config.messages, message);
  const what = waits.for === 'ask' ? 'the provider was asked' : 'an effect was started';
  if (!worker.onRecord || grant?.record.id !== at(identities, key).id) {
    throw new Broken('invariant 3', `${what} before the store had acknowledged the claim`);
  }
  if (waits.for === 'ask') return;
  const { intent: first = intent } = at(world.keys, key);
  if (first !== intent) throw new Broken('invariant 9', `the key of intent ${first} ran with intent ${intent}`);
  if (!config.fifo) return;
  for (let before = 0; before < message; before++) {
    const through = batch.findIndex((one) => one.message === before);
    const done =
      through >= 0 &&
      through < dispositions.length &&
      (dispositions[through]?.kind === 'acknowledged' || buried.includes(through));
    if (done || at(world.messages, before).status !== 'queued') continue;
    throw new Broken('invariant 8', `message ${message + 1} of a group ran before message ${before + 1} was done`);
  }
}

/** Invariants 2, 4, 5 and 11, and what a compare-and-set is for, when a write was applied. */
export function checkWrite(model: Model, world: World, key: number, { next, seen }: ClaimWrite, by: Writer): void {
  const { record: found, applied, forgotten } = at(world.keys, key);
  if (seen !== found && !isDeepStrictEqual(seen, found)) {
    throw new Broken('invariant 4', 'a write replaced another record than the one it was decided upon');
  }
  if (next.status === 'completed' && applied <= forgotten) {
    throw new Broken('invariant 2', 'a claim was completed whose effect has not happened');
  }
  if (found === undefined) return;
  if (next.fence < found.fence) throw new Broken('invariant 4', `the fence went from ${found.fence} to ${next.fence}`);
  if (by.why === 'claim') checkGrant(model, world, found, next);
  if (by.why === 'own' && found.claimId !== by.claimId) {
    throw new Broken('invariant 4', 'a stale claim id changed a record');
  }
  const isFinal = found.status === 'completed' || found.status === 'rejected';
  if (isFinal && ms(world.now) < (found.expiresAt ?? Infinity) * 1000) {
    throw new Broken('invariant 5', `a ${found.status} claim went to ${next.status}`);
  }
  if (found.status !== 'parked') return;
  const proof = by.why === 'own' && next.status === 'completed';
  if ((by.why !== 'operator' && !proof) || next.resolution === undefined) {
    throw new Broken('invariant 11', `a parked claim went to ${next.status} without a decision`);
  }
}

function checkGrant(model: Model, world: World, found: ClaimRecord, next: ClaimRecord): void {
  const { skewMs, invocation, config } = model;
  if (next.status === 'in-flight' && next.fence <= found.fence) {
    throw new Broken('invariant 4', 'a claim was granted without a new fence');
  }
  // By the beginning of its invocation, before which nothing is decided.
  const askedAt = unit(next.leaseUntil) - invocation;
  const isDoubted = found.unknownAt !== undefined || found.status === 'in-flight';
  if (next.status === 'in-flight' && isDoubted && askedAt - unit(found.firstSeenAt) >= config.retryWindow) {
    throw new Broken('the retry window', 'an effect in doubt was granted again after it');
  }
  if (found.status !== 'in-flight' || world.beyond) return;
  const holder = world.workers.find(({ claimId }) => claimId === found.claimId);
  // By the clock of its holder. Whoever takes over may be ahead of that by the allowance, and waits as much longer.
  const leaseEnds = holder && found.leaseUntil - holder.offset * skewMs;
  if (leaseEnds !== undefined && ms(world.now) < leaseEnds) {
    throw new Broken('invariant 13', 'a claim was taken from a worker within its lease');
  }
}

/** Invariant 6, when a message is acknowledged. */
export function checkAcknowledged({ config }: Model, world: World, message: number): void {
  const { key, intent } = at(config.messages, message);
  const { applied, intent: first } = at(world.keys, key);
  const { copied, status } = at(world.messages, message);
  if (copied || status === 'dead' || (applied > 0 && (first ?? intent) === intent)) return;
  throw new Broken('invariant 6', `message ${message + 1} was acknowledged, and its effect has not happened`);
}

/** What has to be so when nothing is left to do. */
export function checkEnd({ config }: Model, world: World): void {
  if (!world.calm) return;
  const ordinary = config.messages.every(({ key, intent }) => intent === world.keys[key]?.intent);
  if (ordinary && world.messages.some(({ status }) => status !== 'done')) {
    throw new Broken('nothing went wrong', 'and yet a message was dead-lettered');
  }
  if (world.keys.some(({ applied }) => applied !== 1)) {
    throw new Broken('nothing went wrong', 'and yet an effect did not happen exactly once');
  }
}
