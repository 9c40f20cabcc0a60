import { randomUUID } from 'node:crypto';
import {
  type Claim,
  type ClaimEvent,
  type ClaimStore,
  nodeHost,
  type OnceOutcome,
  once,
  renewedLease,
} from 'pawl/internal';
import { type Clock, createClock } from '../clock.ts';
import { wasApplied } from './claim-stage.ts';
import { operation } from './records.ts';

/** How long a worker of the laws holds a claim, and how far clocks may differ, in milliseconds. */
export const leaseMs = 60_000;
const skewMs = 1000;
/** From here on, another worker takes over a claim that was granted at the same time of its own clock. */
export const takeoverMs = leaseMs + skewMs + 1;

/** A worker asked for a claim: its handler runs now, or the call has ended without running it. */
export type Decided = { readonly kind: 'runs'; readonly claim: Claim } | Settled;

/** How a call of `once` ended. */
type Settled =
  | { readonly kind: 'returned'; readonly outcome: OnceOutcome<string> }
  | { readonly kind: 'threw'; readonly error: unknown };

/** One call of `once`, whose handler ends when the law says so. */
export interface Attempt {
  readonly decided: Promise<Decided>;
  /** The handler returns. Resolves when the call has ended. @throws what the store has thrown meanwhile */
  succeed(value: string): Promise<void>;
  /** The handler throws. Resolves when the call has ended. @throws what the store has thrown meanwhile */
  fail(error: Error): Promise<void>;
}

interface Call {
  readonly key: string;
  readonly run: (claim: Claim) => Promise<string>;
}

/** A worker with a clock of its own, on a store. */
export interface Worker {
  readonly events: readonly ClaimEvent[];
  /** Asks for the claim of this key. */
  begin(key: string): Attempt;
  /** `begin`, for a claim that the law takes for granted. @throws Error when the handler does not run */
  win(key: string): Promise<Attempt & { readonly claim: Claim }>;
  /** Moves the worker's clock on. Its heartbeats and time-outs happen on the way. */
  advance(ms: number): Promise<void>;
  now(): number;
}

export function createWorker(store: ClaimStore, onAbandoned: 'retry' | 'park' = 'retry'): Worker {
  const clock = createClock();
  const events: ClaimEvent[] = [];
  const watched = watch(store);
  const host = {
    now: clock.now,
    after: clock.after,
    random: () => 0.5,
    randomId: randomUUID,
    sha256: nodeHost.sha256,
  };
  const call = once<Call, string>(
    {
      operation,
      key: ({ key }) => key,
      store: watched.store,
      onAbandoned,
      lease: renewedLease(leaseMs),
      skewMs,
      host,
      onEvent: (event) => void events.push(event),
    },
    ({ run }, claim) => run(claim),
  ).outcome;
  const begin = (key: string) => beginWith((run) => Promise.race([call({ key, run }), watched.broken]), watched.check);

  return {
    events,
    begin,
    now: clock.now,
    async win(key) {
      const attempt = begin(key);
      const decided = await attempt.decided;
      if (decided.kind !== 'runs') throw new Error(`the worker did not win the claim: ${inWords(decided)}`);
      return { ...attempt, claim: decided.claim };
    },
    async advance(ms) {
      await advance(clock, ms, watched.quiet);
    },
  };
}

function beginWith(call: (run: Call['run']) => Promise<OnceOutcome<string>>, check: () => void): Attempt {
  const handler = Promise.withResolvers<string>();
  const started = Promise.withResolvers<Decided>();
  const run = (claim: Claim) => {
    started.resolve({ kind: 'runs', claim });
    return handler.promise;
  };
  const settled = call(run).then(
    (outcome): Settled => ({ kind: 'returned', outcome }),
    (error: unknown): Settled => ({ kind: 'threw', error }),
  );
  return {
    decided: Promise.race([started.promise, settled]),
    async succeed(value) {
      handler.resolve(value);
      await settled;
      check();
    },
    async fail(error) {
      handler.reject(error);
      await settled;
      check();
    },
  };
}

/** What became of a call, for a message. */
export function inWords(decided: Decided): string {
  if (decided.kind === 'runs') return `its handler runs, with fence ${decided.claim.fence}`;
  return decided.kind === 'returned' ? decided.outcome.outcome : String(decided.error);
}

/** A store that refuses so often in a row does not say what stands there. After one more refusal the worker would wait, and the clock of a law stands still. */
const mostRefusals = 3;

/** A response that a law loses on purpose. Any other error of a store fails the law. */
export class LostResponseError extends Error {}

/**
 * The same store, which says when nothing is under way. A worker that meets an error waits for a while and tries again, and the clock of a law
 * stands still: so an error of the store reaches the law.
 */
function watch(store: ClaimStore) {
  const underWay = new Set<Promise<unknown>>();
  const broken = Promise.withResolvers<never>();
  // Nothing may wait for it.
  broken.promise.catch(() => undefined);
  let errors: readonly unknown[] = [];
  let refusals = 0;
  let refused = '';

  function breakWith(error: unknown): void {
    if (error instanceof LostResponseError) return;
    errors = [...errors, error];
    broken.reject(error);
  }

  function follow<T>(call: Promise<T>): Promise<T> {
    const ended = call.catch(breakWith).finally(() => underWay.delete(ended));
    underWay.add(ended);
    return call;
  }

  const watched: ClaimStore = {
    read: (id) => follow(store.read(id)),
    async write(write) {
      const result = await follow(store.write(write));
      const claim = `${write.next.id} ${write.next.claimId}`;
      // A refusal that shows the write itself is an answer as well: the store's client has sent it again.
      const isAnswered = wasApplied(result, write.next, true);
      refusals = isAnswered ? 0 : claim === refused ? refusals + 1 : 1;
      refused = claim;
      if (refusals <= mostRefusals) return result;
      const error = new Error(`the store refused ${refusals} writes in a row: a refusal must say what stands there`);
      breakWith(error);
      throw error;
    },
  };

  /** @throws the first error of the store, if it had any */
  function check(): void {
    if (errors.length > 0) throw errors[0];
  }

  /** Waits until no call is under way, and what follows from the last one has happened. */
  async function quiet(): Promise<void> {
    do {
      await Promise.all(underWay);
      await turn();
    } while (underWay.size > 0);
  }

  return { store: watched, broken: broken.promise, check, quiet };
}

/** Moves a clock on, and waits for the calls to the store that its timers make. */
async function advance(clock: Clock, ms: number, quiet: () => Promise<void>): Promise<void> {
  const end = clock.now() + ms;
  await quiet();
  while (clock.nextAt() <= end) {
    clock.step();
    await quiet();
  }
  clock.goTo(end);
}

/** Lets everything happen that is ready. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
