import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Circumstances, Outcome } from '../../../lib/rehearsal/engine/lambda/lambda.ts';
import { watchForBroken } from '../../../lib/rehearsal/file/broken.ts';

const usual: Circumstances = { killed: false, loaded: true, spoke: false, machine: 'gave' };

interface End extends Partial<Circumstances> {
  readonly kind: 'crashed' | 'timed-out';
  /** The sandbox had called something. */
  readonly called?: boolean;
  /** The rehearsal had done something to a call of it. */
  readonly disturbed?: boolean;
}

/** Whether a function is broken whose invocations end so, one after the other. */
async function verdictOn(ends: readonly End[]): Promise<'broken' | 'works'> {
  const disturbed = new Set<string>();
  const { watch, called, failed } = watchForBroken({ watch: {}, wasDisturbed: (sandbox) => disturbed.has(sandbox) });
  for (const [index, { kind, called: hasCalled, disturbed: isDisturbed, ...circumstances }] of ends.entries()) {
    const sandbox = `SANDBOX${index}`;
    if (hasCalled) called(sandbox);
    if (isDisturbed) disturbed.add(sandbox);
    const outcome: Outcome = { kind };
    watch.onEnd?.({ sandbox, construct: 'App/Fn', event: {} }, outcome, { ...usual, ...circumstances });
  }
  return Promise.race([failed.catch(() => 'broken' as const), sleep(10).then(() => 'works' as const)]);
}

const times = (count: number, end: End) => Array.from({ length: count }, () => end);

describe('a function is broken', () => {
  test.each<{ readonly name: string; readonly ends: readonly End[] }>([
    { name: 'that ends by itself', ends: times(2, { kind: 'crashed' }) },
    { name: 'that cannot be loaded', ends: times(2, { kind: 'crashed', loaded: false }) },
    {
      name: 'that cannot be loaded, and called and printed before it ended',
      ends: times(2, { kind: 'crashed', loaded: false, called: true, spoke: true }),
    },
    {
      name: 'whose code has no handler, at the first time, and also if the rehearsal killed it',
      ends: [{ kind: 'crashed', loaded: false, killed: true, unloadable: 'its asset has no index.js' }],
    },
    { name: 'that never responds', ends: times(4, { kind: 'timed-out' }) },
  ])('$name', async ({ ends }) => {
    expect(await verdictOn(ends)).toBe('broken');
  });
});

test('a function whose timeout the rehearsal has shortened is told so, with what to do', async () => {
  const { watch, failed } = watchForBroken({ watch: {}, wasDisturbed: () => false }, (construct) => ({
    ...{ logicalId: 'Fn', construct, from: 30, to: 6 },
  }));
  for (const sandbox of ['S1', 'S2', 'S3', 'S4']) {
    watch.onEnd?.({ sandbox, construct: 'App/Fn', event: {} }, { kind: 'timed-out' }, usual);
  }
  await expect(failed).rejects.toThrow(
    /any of 4 invocations\. The rehearsal has shortened its timeout from 30 s to 6 s\. .* set functionTimeoutSeconds to 30/,
  );
});

describe('a function is not broken', () => {
  test.each<{ readonly name: string; readonly end: End }>([
    { name: 'that the rehearsal killed', end: { kind: 'crashed', killed: true } },
    { name: 'that the rehearsal killed as it was loaded', end: { kind: 'crashed', killed: true, loaded: false } },
    { name: 'whose calls the rehearsal disturbed', end: { kind: 'timed-out', disturbed: true } },
    { name: 'that called something and ended', end: { kind: 'crashed', called: true } },
    { name: 'that printed a line and ended', end: { kind: 'crashed', spoke: true } },
    { name: 'that called something and never responded', end: { kind: 'timed-out', called: true } },
    { name: 'that the machine gave no time', end: { kind: 'timed-out', machine: 'starved' } },
    { name: 'that the machine gave no time to be loaded', end: { kind: 'crashed', loaded: false, machine: 'starved' } },
  ])('$name', async ({ end }) => {
    expect(await verdictOn(times(6, end))).toBe('works');
  });
});
