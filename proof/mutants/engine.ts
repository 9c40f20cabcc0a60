import type { Claim } from '../../lib/pawl/engine/claim.ts';
import type { WriteResult } from '../../lib/pawl/rules/store.ts';
import { breaks, type Mutant } from './mutant.ts';

/** Breakages of what runs a handler under a claim, and of what an operator does. */

type Acquire = typeof import('../../lib/pawl/engine/acquire.ts');
type Engine = typeof import('../../lib/pawl/engine/engine.ts');
type OpenClaim = typeof import('../../lib/pawl/engine/open-claim.ts');
type Operate = typeof import('../../lib/pawl/operate/resolve.ts');
type Resolve = typeof import('../../lib/pawl/rules/resolve.ts');
type Run = typeof import('../../lib/pawl/engine/run.ts');
type Step = typeof import('../../lib/pawl/engine/next-step.ts');
type Work = typeof import('../../lib/pawl/engine/work.ts');

const ofAcquire = (what: string, breakage: (original: Acquire) => Partial<Acquire>): Mutant =>
  breaks<Acquire>(what, 'lib/pawl/engine/acquire.ts', breakage);
const ofRun = (what: string, breakage: (original: Run) => Partial<Run>): Mutant =>
  breaks<Run>(what, 'lib/pawl/engine/run.ts', breakage);
const ofStep = (what: string, broken: (original: Step['NextStep']) => Step['NextStep']): Mutant =>
  breaks<Step>(what, 'lib/pawl/engine/next-step.ts', ({ NextStep }) => ({ NextStep: broken(NextStep) }));
const ofWork = (what: string, broken: (original: Work['Work']) => Work['Work']): Mutant =>
  breaks<Work>(what, 'lib/pawl/engine/work.ts', ({ Work }) => ({ Work: broken(Work) }));

/** Asks for claims of a store whose writes are answered in another way. */
function answering(acquire: Acquire['acquire'], answer: (written: Promise<WriteResult>) => Promise<WriteResult>) {
  const broken: Acquire['acquire'] = (engine, asked) => {
    const { store } = engine.settings;
    const answered = {
      read: (id: string) => store.read(id),
      write: (...args: Parameters<typeof store.write>) => answer(store.write(...args)),
    };
    return acquire({ ...engine, settings: { ...engine.settings, store: answered } }, asked);
  };
  return broken;
}

/** Gives handlers another `claim.effect`. */
function withEffect(
  run: Run['run'],
  effectOf: (claim: Claim, original: Claim['effect']) => Claim['effect'],
): Run['run'] {
  return (engine, grant, handler, input) => {
    const broken: typeof handler = (given, claim) =>
      handler(given, Object.assign(claim, { effect: effectOf(claim, claim.effect) }));
    return run(engine, grant, broken, input);
  };
}

export const engine: readonly Mutant[] = [
  ofAcquire('a handler runs before the store has acknowledged its claim', ({ acquire }) => ({
    acquire: answering(acquire, async (written) => {
      written.catch(() => undefined);
      return { applied: true };
    }),
  })),
  ofAcquire('a refused claim is taken for granted', ({ acquire }) => ({
    acquire: answering(acquire, async (written) => {
      await written;
      return { applied: true };
    }),
  })),
  ofAcquire('what may have killed a worker runs beside others', ({ acquire }) => ({
    acquire: (one, asked) => acquire(one, { ...asked, mayTakeOver: true }),
  })),
  breaks<Engine>('a completion is tried once', 'lib/pawl/engine/engine.ts', ({ changeClaim }) => ({
    changeClaim: (one, grant, transition, options) => changeClaim(one, grant, transition, { ...options, tries: 1 }),
  })),
  breaks<Engine>('a listener that throws looks like a store that fails', 'lib/pawl/engine/engine.ts', () => ({
    emit({ settings: { operation, host, onEvent } }, identity, fact) {
      onEvent({ operation, id: identity?.id ?? '', at: host.now(), ...fact });
    },
  })),
  breaks<OpenClaim>('the attempt is part of the effect key', 'lib/pawl/engine/open-claim.ts', ({ openClaim }) => ({
    openClaim(...args) {
      const open = openClaim(...args);
      const { effectKey, attempt } = open.claim;
      Object.assign(open.claim, { effectKey: `${effectKey}-${attempt}` });
      return open;
    },
  })),
  breaks<typeof import('../../lib/pawl/engine/settle-doubt.ts')>(
    'a provider is not asked about an attempt in doubt',
    'lib/pawl/engine/settle-doubt.ts',
    () => ({ settleDoubt: async () => undefined }),
  ),
  breaks<typeof import('../../lib/pawl/rules/result.ts')>(
    'a result that cannot be stored undoes its effect',
    'lib/pawl/rules/result.ts',
    ({ completion }) => ({
      completion(value, maxBytes, wanted) {
        if (wanted) JSON.stringify(value);
        return completion(value, maxBytes, wanted);
      },
    }),
  ),
  breaks<typeof import('../../lib/pawl/kernel/heartbeat.ts')>(
    'a heartbeat outlives its handler',
    'lib/pawl/kernel/heartbeat.ts',
    ({ startHeartbeat }) => ({
      startHeartbeat(...args) {
        startHeartbeat(...args);
        return () => undefined;
      },
    }),
  ),

  ofRun('an effect starts however little time is left', () => ({ tooLate: () => undefined })),
  ofRun('a claim completes without its effect, which could not start', ({ run }) => ({
    run: withEffect(run, (claim, effect) => (start) => {
      if (claim.remainingMs() <= 0) throw new Error('too late');
      return effect(start);
    }),
  })),
  ofRun('a second effect under one claim', ({ run }) => ({
    run: withEffect(run, (_, effect) => {
      let used = false;
      return async (start) => {
        if (used) return start();
        used = true;
        return effect(start);
      };
    }),
  })),
  ofRun('a claim completes with a step in doubt, where its error is caught', () => ({ doubtLeft: () => undefined })),
  ofRun('what the handler throws decides over its effect', ({ failureOf }) => ({
    failureOf(effect, end, ...rest) {
      const counts = effect.kind !== 'failed' || end.kind === 'returned';
      return failureOf(counts ? effect : { kind: 'none' }, end, ...rest);
    },
  })),
  ofRun('what the handler throws decides over an effect that has not ended', ({ failureOf }) => ({
    failureOf: (effect, ...rest) => failureOf(effect.kind === 'under-way' ? { kind: 'none' } : effect, ...rest),
  })),
  ofRun('what is in doubt is retried because something else said so first', ({ failureOf }) => ({
    failureOf: (effect, end, rested, knownOf) =>
      failureOf(effect, end, rested, (thrown) => {
        const known = knownOf(thrown);
        return known === 'in-doubt' ? 'unknown' : known;
      }),
  })),

  ofWork(
    'an effect that nobody waits for goes on after its claim',
    (Work) =>
      class extends Work {
        override follow<T>(started: Promise<T>) {
          started.catch(() => undefined);
          return started;
        }
      },
  ),
  ofWork(
    'an effect that never settles keeps its own outcome from being recorded',
    (Work) =>
      class extends Work {
        override rest(host: Parameters<InstanceType<Work['Work']>['rest']>[0]) {
          return super.rest(host, () => Number.MAX_SAFE_INTEGER);
        }
      },
  ),

  ofStep(
    "a step under 'park' does not say that it begins",
    (NextStep) =>
      class extends NextStep {
        #isFirst = true;
        override async reach(...args: Parameters<InstanceType<Step['NextStep']>['reach']>) {
          const isLeftOut = this.#isFirst && args[0] === 'started';
          this.#isFirst = false;
          return isLeftOut ? 'applied' : super.reach(...args);
        }
      },
  ),
  ofStep(
    'a claim completes without a step that could not start',
    (NextStep) =>
      class extends NextStep {
        override get work() {
          return Object.assign(super.work, { leaveUnstarted: () => undefined });
        }
      },
  ),
  ofStep(
    'a step begins however long it took to say so',
    (NextStep) =>
      class extends NextStep {
        #asked = false;
        override isStartable() {
          const isFirst = !this.#asked;
          this.#asked = true;
          return isFirst ? super.isStartable() : true;
        }
      },
  ),
  ofStep(
    'a step in doubt counts as one that applied nothing',
    (NextStep) =>
      class extends NextStep {
        #began = false;
        override reach(...[state, ...rest]: Parameters<InstanceType<Step['NextStep']>['reach']>) {
          const said = this.#began && state === 'started' ? 'open' : state;
          this.#began ||= state === 'started';
          return super.reach(said, ...rest);
        }
      },
  ),

  ofResolve('a resolution speaks for steps that it does not name', ({ saidOf }) => ({
    saidOf(found, verdict) {
      const said = saidOf(found, verdict);
      if (said.kind === 'complete' || typeof verdict === 'string') return said;
      if (!said.inDoubt.some((name) => name in verdict)) return said;
      return saidOf(found, Object.fromEntries(said.inDoubt.map((name) => [name, verdict[name] ?? 'not-applied'])));
    },
  })),
  ofResolve('one word resolves several steps in doubt', ({ saidOf }) => ({
    saidOf(found, verdict) {
      const said = saidOf(found, verdict);
      if (said.kind === 'complete' || typeof verdict !== 'string') return said;
      return saidOf(found, Object.fromEntries(said.inDoubt.map((name) => [name, verdict])));
    },
  })),
  breaks<Operate>(
    'a resolution of an earlier doubt changes a later one',
    'lib/pawl/operate/resolve.ts',
    ({ resolve }) => ({
      resolve: (desk, name, verdict, { fence: _, ...by }, doubtedAt) => resolve(desk, name, verdict, by, doubtedAt),
    }),
  ),
  breaks<Operate>(
    "an operator's decision overwrites a claim that is not parked",
    'lib/pawl/operate/resolve.ts',
    ({ resolve }) => ({
      resolve({ store, ...desk }, ...rest) {
        const read: typeof store.read = async (id) => {
          const found = await store.read(id);
          return found && { ...found, status: 'parked' };
        };
        return resolve({ ...desk, store: { ...store, read } }, ...rest);
      },
    }),
  ),
];

function ofResolve(what: string, breakage: (original: Resolve) => Partial<Resolve>): Mutant {
  return breaks<Resolve>(what, 'lib/pawl/rules/resolve.ts', breakage);
}
