import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { type Claim, memoryStore, once, step } from '../../../lib/pawl/index.ts';
import { virtualHost } from '../../support/virtual-host.ts';

/** What a handler is given, while it runs. */
async function withClaim(use: (claim: Claim) => unknown): Promise<void> {
  const store = Object.assign(memoryStore(), { secret: 'a-password-of-the-store' });
  const options = {
    operation: 'pay',
    store,
    key: (id: string) => id,
    onAbandoned: 'park',
    host: virtualHost(),
  } as const;
  await once<string, unknown>({ ...options, onEvent: () => undefined }, (_, claim) => use(claim)).outcome('p-1');
}

it('a claim shows nothing of what stands behind it, in no log and in no copy', async () => {
  await withClaim((claim) => {
    for (const shown of [
      inspect(claim, { showHidden: true, depth: 9 }),
      JSON.stringify(claim),
      inspect({ ...claim }),
    ]) {
      expect(shown).toContain('pay#p-1');
      expect(shown).not.toContain('a-password-of-the-store');
      expect(shown).not.toContain('claimId');
    }
  });
});

it('a copy of a claim has its signal and its time, and begins no step', async () => {
  await withClaim((claim) => {
    const copy = { ...claim };
    expect(copy.signal).toBe(claim.signal);
    expect(copy.remainingMs()).toBe(claim.remainingMs());
    expect(() => step(copy, 'charge', () => undefined, { onAbandoned: 'park' })).toThrow(
      'expected the claim that the handler was given, and no copy of it',
    );
  });
});
