import { type StepConfig, StepSemantics, withDurableExecution } from '@aws/durable-execution-sdk-js';
import { LocalDurableTestRunner } from '@aws/durable-execution-sdk-js-testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { memoryStore, once, reconcile, type StepOptions, step } from '../../../lib/pawl/index.ts';
import { virtualHost } from '../../support/virtual-host.ts';

/* What docs/guides/which-workflow.md says of an effect whose answer was lost: it was applied, and its caller got an error. */

/** A provider whose first answer is lost, and the keys that it was called with. */
function lossyProvider() {
  const applied: (string | undefined)[] = [];
  return {
    applied,
    async charge(key?: string): Promise<string> {
      applied.push(key);
      if (applied.length === 1) throw Object.assign(new Error('the connection was reset'), { name: 'TimeoutError' });
      return 'receipt';
    },
  };
}

describe('a step of a durable function', () => {
  beforeAll(() => LocalDurableTestRunner.setupTestEnvironment({ skipTime: true }));
  afterAll(() => LocalDurableTestRunner.teardownTestEnvironment());

  const noRetry = () => ({ shouldRetry: false });
  const { AtMostOncePerRetry } = StepSemantics;

  it.each<[string, StepConfig<string> | undefined, effects: number, status: string]>([
    ['as it is', undefined, 2, 'SUCCEEDED'],
    ['at most once per retry', { semantics: AtMostOncePerRetry }, 2, 'SUCCEEDED'],
    ['at most once, without a retry', { semantics: AtMostOncePerRetry, retryStrategy: noRetry }, 1, 'FAILED'],
  ])('%s', async (_, config, effects, status) => {
    const provider = lossyProvider();
    const handlerFunction = withDurableExecution((_event: unknown, durably) =>
      durably.step('charge', () => provider.charge(), config),
    );
    const run = await new LocalDurableTestRunner({ handlerFunction }).run({ payload: {} });
    expect([provider.applied.length, run.getStatus()]).toEqual([effects, status]);
  });
});

describe("pawl's step", () => {
  const applied = async () => ({ verdict: 'applied', result: 'receipt' }) as const;

  it.each<[string, StepOptions, effects: number, status: string]>([
    ['retry', { onAbandoned: 'retry' }, 2, 'completed'],
    ['park', { onAbandoned: 'park' }, 1, 'parked'],
    ['reconcile', { onAbandoned: reconcile({ ask: applied, settleMs: 0 }) }, 1, 'completed'],
  ])('%s', async (_, options, effects, status) => {
    const provider = lossyProvider();
    const [host, store] = [virtualHost(), memoryStore()];
    const settled = { operation: 'settle', store, host, key: (id: string) => id, onEvent: () => undefined };
    const settle = once({ ...settled, onAbandoned: 'retry', recordResult: true }, (_id, claim) =>
      step(claim, 'charge', ({ effectKey }) => provider.charge(effectKey), options),
    );
    await settle('a').catch(() => undefined);
    await settle('a').catch(() => undefined);
    expect([provider.applied.length, (await store.read('settle#a'))?.status]).toEqual([effects, status]);
    // The provider can tell that it is the same.
    expect(new Set(provider.applied).size).toBe(1);
    expect(provider.applied[0]).toBeDefined();
  });
});
