import { afterEach, describe, expect, it, vi } from 'vitest';
import { keptUntil } from '../../../lib/pawl/kernel/outliving.ts';
import { someDay } from '../../support/virtual-host.ts';

afterEach(() => vi.unstubAllEnvs());

describe('the environment of a function', () => {
  it.each([
    ['lambda-managed-instances', '64', true],
    // One of them is enough.
    ['lambda-managed-instances', undefined, true],
    [undefined, '1', true],
    ['on-demand', undefined, false],
    ['provisioned-concurrency', undefined, false],
    ['snap-start', undefined, false],
    [undefined, undefined, false],
  ] as const)(
    'of type %s, with %s as its concurrency: its code outlives invocations: %s',
    async (type, concurrency, outlives) => {
      vi.resetModules();
      vi.stubEnv('AWS_LAMBDA_INITIALIZATION_TYPE', type);
      vi.stubEnv('AWS_LAMBDA_MAX_CONCURRENCY', concurrency);
      const { nodeHost } = await import('../../../lib/pawl/host.ts');
      expect(nodeHost.outlivesInvocations).toBe(outlives);
    },
  );
});

describe('what a worker holds', () => {
  const now = () => someDay;

  it('is kept for a minute after the deadline, where its code outlives that', () => {
    expect(keptUntil({ now, outlivesInvocations: true }, someDay + 30_000)).toBe(someDay + 90_000);
  });

  it('is kept for a minute after the longest invocation, where no deadline is known', () => {
    expect(keptUntil({ now, outlivesInvocations: true })).toBe(someDay + 960_000);
  });

  it('ends with the invocation elsewhere', () => {
    expect(keptUntil({ now, outlivesInvocations: false }, someDay + 30_000)).toBeUndefined();
    expect(keptUntil({ now }, someDay + 30_000)).toBeUndefined();
  });
});
