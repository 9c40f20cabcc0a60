import { describe, expect } from 'vitest';
import { bodyField, deadLetterQueue, eachMessage, messageId } from '../../../lib/pawl/sqs/index.ts';
import { assertSurvivesCrashes, type CrashSweepOptions, crashSweep, SweepError } from '../../../lib/testing/index.ts';
import { promise, thrownBy } from './kit.ts';

const page = 'docs/guides/testing.md';
const caught = 'docs/reference/testing.md';
type Bank = { readonly paid: { readonly id: string; readonly key: string }[] };

/** Sweeps a handler of two orders, of which one is sent twice. `honours`: the provider knows its effect keys again. */
function sweepOf(
  own: object,
  { honours = false, ...rest }: Partial<CrashSweepOptions<Bank>> & { honours?: boolean } = {},
): CrashSweepOptions<Bank> {
  return {
    messages: [{ body: { id: 'a' } }, { body: { id: 'a' } }, { body: { id: 'b' } }],
    provider: () => ({ paid: [] }),
    handler: (world, bank) =>
      eachMessage<{ id: string }>(
        {
          ...world.options,
          operation: 'pay',
          key: bodyField('id'),
          onAbandoned: 'retry',
          deadLetters: deadLetterQueue(world.deadLetterQueueUrl),
          ...own,
        },
        async ({ body }, claim) => {
          await world.io('bank.pay', async () => {
            if (honours && bank.paid.some(({ key }) => key === claim.effectKey)) return;
            bank.paid.push({ id: body.id, key: claim.effectKey });
          });
        },
      ),
    effects: (bank, { body }) => bank.paid.filter(({ id }) => id === (body as { id: string }).id).length,
    max: 120,
    ...rest,
  };
}

describe('the crash sweep', () => {
  promise(
    page,
    '`assertSurvivesCrashes` throws a `SweepError`. Its message tells the story of one run',
    'nothing is found in a handler that parks, nor in one whose provider honours the effect key',
    async () => {
      expect((await crashSweep(sweepOf({ onAbandoned: 'park' }))).findings).toEqual([]);
      await assertSurvivesCrashes(sweepOf({}, { honours: true }));
    },
  );

  promise(
    caught,
    "`onAbandoned: 'retry'`, but the provider ignores the key | doubled",
    'retry with a provider that ignores the key is doubled, and its story can be replayed',
    async () => {
      const error = await thrownBy(() => assertSurvivesCrashes(sweepOf({})));
      expect(error).toBeInstanceOf(SweepError);
      const [first] = (error as SweepError).report.doubled;
      expect(first).toBeDefined();
      const again = await crashSweep(sweepOf({}, { ...(first && { replay: first }) }));
      expect(again.doubled.length).toBeGreaterThan(0);
      expect(again.runs).toBe(1);
    },
  );

  promise(
    caught,
    '`key: messageId()` … and a producer that sends twice | doubled, always',
    'a key that is the message id is doubled without any fault',
    async () => {
      const report = await crashSweep(sweepOf({ key: messageId() }, { honours: true }));
      expect(report.doubled.some(({ faults }) => faults.length === 0)).toBe(true);
    },
  );

  promise(
    page,
    'A sweep that can see nothing throws an error. That is so if it counts no effect, if it sees no call to a provider, or if `effects` returns anything but whole numbers',
    'a sweep that sees no effect, or counts none, is an error',
    async () => {
      let found = 0;
      const error = await thrownBy(async () => {
        found = (await crashSweep(sweepOf({}, { effects: () => 0 }))).lost.length;
      });
      expect(error !== undefined || found > 0).toBe(true);
      expect(await thrownBy(() => crashSweep(sweepOf({}, { effects: () => Number.NaN })))).toBeInstanceOf(TypeError);
      expect(await thrownBy(() => crashSweep(sweepOf({}, { effects: () => ({}) })))).toBeInstanceOf(Error);
    },
  );
});
