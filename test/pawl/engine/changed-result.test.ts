import { describe, expect, test } from 'vitest';
import { type Claim, memoryStore, once, reconcile, step } from '../../../lib/pawl/index.ts';
import { warnedBy } from '../../suites/mistakes/mistake.ts';

class Receipt {
  readonly id = 're_17';
}

let operations = 0;
/** A function of `once` with this result, of an operation of its own: a warning comes once. */
function returning(result: unknown, more: object = {}) {
  const operation = `changed-${++operations}`;
  const given = { operation, store: memoryStore(), key: (id: string) => id, onAbandoned: 'retry' as const };
  return once({ ...given, ...more }, async (_: string, _claim: Claim): Promise<unknown> => result);
}

describe('a result that JSON changes', () => {
  test.each([
    ['a date', { at: new Date(0) }, 'result.at is an instance of Date, and comes back as a string'],
    ['a map', { lines: new Map([['a', 1]]) }, 'result.lines is an instance of Map, and comes back as an empty object'],
    ['a set in a list', [1, new Set([1])], 'result[1] is an instance of Set, and comes back as an empty object'],
    ['an instance of a class', new Receipt(), 'result is an instance of Receipt, and comes back as a plain object'],
    ['bytes', { pdf: Buffer.from('x') }, 'result.pdf is an instance of Buffer, and comes back as a plain object'],
    ['no number', { a: [{ b: Number.NaN }] }, 'result.a[0].b is NaN, and comes back as null'],
    ['undefined in a list', ['a', undefined], 'result[1] is undefined, and comes back as null'],
    ['a function', { cancel: () => 1 }, 'result.cancel is a function, and comes back as nothing'],
    [
      'its own JSON',
      { total: { toJSON: () => 7 } },
      'result.total is an object with toJSON, and comes back as a number',
    ],
    [
      'a property of a list',
      { page: Object.assign([1, 2], { nextToken: 'abc' }) },
      'result.page.nextToken is a property of a list, and comes back as nothing',
    ],
    ['a hidden property', Object.defineProperty({}, 'total', { value: 7 }), 'result.total is a hidden property'],
    ['a property with a symbol as its name', [{ [Symbol('total')]: 7 }], 'result[0][…] is a hidden property'],
    ['under a name that may be personal', { 'ada@example.com': new Date(0) }, 'result[…] is an instance of Date'],
  ])('is warned of, with its place and its kind: %s', async (_, result, said) => {
    const call = returning(result);
    const lines = await warnedBy(async () => {
      expect(await call('7')).toBe(result);
      // Once for an operation.
      await call('8');
    });
    expect(lines).toContain(said);
    expect(lines).toMatch(
      /Return plain data: date\.toISOString\(\).*See node_modules\/pawl\/docs\/errors\.md#changed-result$/,
    );
    expect(lines.split('\n')).toHaveLength(1);
    expect(lines).not.toMatch(/1970|re_17|ada/);
  });

  test.each([
    ['plain data', { a: [1, 'b', null, true, { c: -1.5 }], d: undefined }],
    ['without a prototype', Object.assign(Object.create(null), { a: 1 })],
    ['nothing', undefined],
    ['a list whose property is undefined', Object.assign([1], { next: undefined })],
  ])('is not seen in what comes back as it was: %s', async (_, result) => {
    expect(await warnedBy(() => returning(result)('7'))).toBe('');
  });

  test.each([
    [
      'a cycle',
      () => {
        const cycle: { self?: unknown } = {};
        cycle.self = [cycle, cycle];
        return cycle;
      },
    ],
    [
      'a getter that throws',
      () => ({
        get a() {
          throw new Error('no');
        },
      }),
    ],
  ])('never fails what has happened: %s', async (_, make) => {
    const result = make();
    expect(await returning(result)('7')).toBe(result);
  });

  test('is no matter where results are not kept', async () => {
    expect(await warnedBy(() => returning({ at: new Date(0) }, { recordResult: false })('7'))).toBe('');
  });

  test('of a verdict is warned of as well', async () => {
    const ask = () => ({ verdict: 'applied', result: { at: new Date(0) } }) as const;
    const onAbandoned = reconcile({ ask, settleMs: 0 });
    const operation = 'changed-verdict';
    const call = once({ operation, store: memoryStore(), key: (id: string) => id, onAbandoned, onEvent() {} }, () =>
      Promise.reject(new Error('reset')),
    );
    await expect(call('7')).rejects.toThrow('reset');
    expect(await warnedBy(() => call('7'))).toContain('result.at is an instance of Date');
  });

  test('of a step is warned of as well', async () => {
    const lines = await warnedBy(() =>
      once(
        { operation: 'changed-step', store: memoryStore(), key: (id: string) => id, onAbandoned: 'retry' },
        async (_, claim) => void (await step(claim, 'book', () => ({ at: new Date(0) }), { onAbandoned: 'retry' })),
      )('7'),
    );
    expect(lines).toContain("step book of 'changed-step' returns what its replay does not: result.at is an instance");
  });
});
