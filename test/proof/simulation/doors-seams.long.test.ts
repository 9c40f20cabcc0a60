import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  leavingWhatWasHandedOn,
  notingStrangers,
  refusingStrangers,
  takingParsedBodies,
} from '../../../proof/simulation/planted/at-the-seams.ts';
import { runByWhatIsTruthy } from '../../../proof/simulation/planted/old-run.ts';
import { createPlanting } from '../../../proof/simulation/planting.ts';

type Planting = ReturnType<typeof createPlanting>;
type Responses = typeof import('../../../lib/pawl/middy/responses.ts');
type SqsOnceModule = typeof import('../../../lib/pawl/middy/sqs-once.ts');
type HttpResponses = typeof import('../../../lib/pawl/http/response.ts');
type RecordOutcome = typeof import('../../../lib/pawl/engine/record-outcome.ts');
type BatchMatesModule = typeof import('../../../lib/pawl/sqs/batch-mates.ts');
type ClaimMessage = typeof import('../../../lib/pawl/sqs/claim-message.ts');
type Receive = typeof import('../../../lib/pawl/sqs/receive.ts');
type AuthorError = typeof import('../../../lib/pawl/sqs/author-error.ts');
type DispositionModule = typeof import('../../../lib/pawl/sqs/disposition.ts');
type Run = typeof import('../../../lib/pawl/engine/run.ts');
type Settle = typeof import('../../../lib/pawl/rules/settle.ts');

interface Breakage {
  readonly what: string;
  /** Where the search begins: not long before the first seed that finds it, of all from 1 on. */
  readonly from: number;
  /** The invariants by which it may be found. */
  readonly breaks: readonly number[];
  readonly put: (plant: Planting['plant']) => void;
}

/** What was wrong once where the library meets other middlewares, other answers and other people's mistakes. */
const breakages: readonly Breakage[] = [
  {
    what: 'a middleware around sqsOnce that answers only for what was handed on',
    from: 850,
    breaks: [6],
    put: (plant) =>
      plant<SqsOnceModule>('../../lib/pawl/middy/sqs-once.ts', ({ sqsOnce }) => ({
        sqsOnce: leavingWhatWasHandedOn(sqsOnce),
      })),
  },
  {
    what: 'results for sorted records that are told by the order before',
    from: 50,
    breaks: [2, 6],
    put: (plant) =>
      plant<Responses>('../../lib/pawl/middy/responses.ts', ({ understand }) => ({
        understand: (response, handed) => understand(response, { ...handed, left: handed.copies }),
      })),
  },
  {
    what: 'an answer that is not understood, and taken for success',
    from: 200,
    breaks: [2],
    put: (plant) =>
      plant<Responses>('../../lib/pawl/middy/responses.ts', ({ understand }) => ({
        understand(response, handed) {
          const results = understand(response, handed);
          return results.misunderstood ? understand(undefined, handed) : results;
        },
      })),
  },
  {
    what: 'a status that is none, and taken for "nothing was applied"',
    from: 100,
    breaks: [1],
    put: (plant) =>
      plant<HttpResponses>('../../lib/pawl/http/response.ts', ({ responseOf, saysNothingApplied }) => ({
        responseOf(event, answered) {
          const { statusCode } = Object(answered);
          const isNumber = Number.isInteger(Number(statusCode));
          return isNumber ? { ...Object(answered), statusCode: Number(statusCode) } : responseOf(event, answered);
        },
        saysNothingApplied: (response) => response.statusCode < 200 || saysNothingApplied(response),
      })),
  },
  {
    what: 'an early answer in place of a batch handler at work, and believed',
    from: 20,
    breaks: [2, 6],
    put: (plant) =>
      plant<Responses>('../../lib/pawl/middy/responses.ts', ({ understand }) => ({
        understand: (...args) => ({ ...understand(...args), namesMessages: true }),
      })),
  },
  {
    what: 'an early answer in place of a handler of HTTP at work, and believed',
    from: 1,
    breaks: [1],
    put: (plant) =>
      plant<RecordOutcome>('../../lib/pawl/engine/record-outcome.ts', ({ fail }) => ({
        fail: ({ settings }, grant, thrown, phase) => {
          const isStillRunning = thrown instanceof Error && thrown.name === 'StillRunningError';
          return fail({ settings }, grant, isStillRunning ? thrown.cause : thrown, phase);
        },
      })),
  },
  {
    what: 'a mate in the batch that decides whose a key is',
    from: 290,
    breaks: [7],
    put: (plant) => {
      const strangers = new WeakSet<object>();
      plant<BatchMatesModule>('../../lib/pawl/sqs/batch-mates.ts', ({ BatchMates }) => ({
        BatchMates: notingStrangers(BatchMates, strangers),
      }));
      plant<ClaimMessage>('../../lib/pawl/sqs/claim-message.ts', ({ claimMessage }) => ({
        claimMessage: refusingStrangers(claimMessage, strangers),
      }));
    },
  },
  {
    what: "a bug in the author's key function that dead-letters every message",
    from: 60,
    breaks: [7],
    put(plant) {
      plant<AuthorError>('../../lib/pawl/sqs/author-error.ts', () => ({
        isInvalidMessage: (thrown): thrown is never => true,
      }));
      plant<DispositionModule>('../../lib/pawl/sqs/disposition.ts', ({ dispositionOfInvalid }) => ({
        dispositionOfInvalid: (error) =>
          dispositionOfInvalid(Object.assign(error, { problem: 'invalid-message' as const })),
      }));
    },
  },
  {
    what: 'bodies that another middleware has parsed, and that are dead-lettered for it',
    from: 520,
    breaks: [6, 7],
    put: (plant) =>
      plant<Receive>('../../lib/pawl/sqs/receive.ts', ({ receive }) => ({ receive: takingParsedBodies(receive) })),
  },
  {
    what: 'a completion that keeps the checkpoints of its steps, and does not fit',
    from: 520,
    breaks: [1],
    put: (plant) =>
      plant<Settle>('../../lib/pawl/rules/settle.ts', ({ settle }) => ({
        settle(claimId, found, ...rest) {
          const next = settle(claimId, found, ...rest);
          if (typeof next === 'string' || next.status !== 'completed') return next;
          return { ...next, checkpoints: found?.checkpoints };
        },
      })),
  },
  {
    what: 'an effect that fails with no error at all, and counts as none',
    from: 311,
    breaks: [1],
    put: (plant) => plant<Run>('../../lib/pawl/engine/run.ts', () => ({ run: runByWhatIsTruthy })),
  },
];

// Handlers that are answered for early: the library says so, once in each cold start.
beforeEach(() => void vi.spyOn(console, 'warn').mockImplementation(() => undefined));

describe('the simulation of doors, at the seams, finds', () => {
  const { plant, firstBroken, uproot } = createPlanting(
    async () => (await import('../../../proof/simulation/doors/simulate.ts')).simulateDoors,
  );
  afterEach(uproot);

  it.each(breakages)(
    '$what',
    async ({ put, from, breaks }) => {
      put(plant);
      expect(breaks).toContain(await firstBroken(100, from));
    },
    120_000,
  );
});
