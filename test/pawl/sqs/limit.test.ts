import { expect, it } from 'vitest';
import { createLimit } from '../../../lib/pawl/sqs/limit.ts';

/** Tasks that end when told to, and who began in which order. */
function tasks() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    begun,
    task: (name: string) => () =>
      new Promise<string>((resolve) => {
        begun.push(name);
        ends.set(name, () => resolve(name));
      }),
    async end(name: string): Promise<void> {
      ends.get(name)?.();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

it('runs so many at once, in the order in which they came', async () => {
  const { begun, task, end } = tasks();
  const { inTurn } = createLimit(2);
  for (const name of ['a', 'b', 'c']) inTurn(task(name));
  await end('');
  expect(begun).toEqual(['a', 'b']);
  await end('b');
  expect(begun).toEqual(['a', 'b', 'c']);
});

it('runs one with a rank after all others, the lower rank first, and each of them alone', async () => {
  const { begun, task, end } = tasks();
  const { inTurn } = createLimit(3);
  inTurn(task('a'));
  inTurn(task('third attempt'), 3);
  inTurn(task('second attempt'), 2);
  await end('');
  expect(begun).toEqual(['a']);
  await end('a');
  expect(begun).toEqual(['a', 'second attempt']);
  await end('second attempt');
  expect(begun).toEqual(['a', 'second attempt', 'third attempt']);
});

it('lets nothing begin beside one with a rank, not even what comes later', async () => {
  const { begun, task, end } = tasks();
  const { inTurn } = createLimit(3);
  inTurn(task('second attempt'), 2);
  inTurn(task('late'));
  await end('');
  expect(begun).toEqual(['second attempt']);
  await end('second attempt');
  expect(begun).toEqual(['second attempt', 'late']);
});

it('goes on after a task that has failed', async () => {
  const { inTurn } = createLimit(1);
  const failed = inTurn(() => Promise.reject(new Error('no')));
  await expect(failed).rejects.toThrow('no');
  expect(await inTurn(async () => 7)).toBe(7);
});

it('lets the next one begin beside what is left of a task that has left its turn, and one with a rank only after that', async () => {
  const { begun, task, end } = tasks();
  const { inTurn } = createLimit(1);
  let leave = () => {};
  inTurn((leaves) => {
    leave = leaves;
    return task('a')();
  });
  inTurn(task('b'));
  inTurn(task('second attempt'), 2);
  await end('');
  expect(begun).toEqual(['a']);
  leave();
  leave();
  await end('');
  expect(begun).toEqual(['a', 'b']);
  await end('b');
  expect(begun).toEqual(['a', 'b']);
  await end('a');
  expect(begun).toEqual(['a', 'b', 'second attempt']);
});

it('begins each item when a turn is free for it, and before all that asks for a turn meanwhile', async () => {
  const { begun, task, end } = tasks();
  const { inTurn, each } = createLimit(2);
  const drawn: string[] = [];
  function* items() {
    for (const name of ['a', 'b', 'c', 'd']) {
      drawn.push(name);
      yield name;
    }
  }
  const all = each(items(), async (name) => {
    await inTurn(task(name));
    if (name === 'a') await inTurn(task('a again'));
  });
  inTurn(task('second attempt'), 2);
  await end('');
  expect(begun).toEqual(['a', 'b']);
  // What waits was not even drawn.
  expect(drawn).toEqual(['a', 'b']);
  for (const name of ['a', 'b', 'c', 'd']) await end(name);
  expect(begun).toEqual(['a', 'b', 'c', 'd', 'a again']);
  await end('a again');
  await all;
  expect(begun.at(-1)).toBe('second attempt');
});

it('goes on with the next item beside what is left of one that has left its turn', async () => {
  const { begun, task, end } = tasks();
  const { inTurn, each } = createLimit(1);
  let hasEnded = false;
  const all = each(['a', 'b'], (name) =>
    inTurn((leave) => {
      const ended = task(name)();
      leave();
      return ended;
    }),
  ).then(() => {
    hasEnded = true;
  });
  await end('');
  expect(begun).toEqual(['a', 'b']);
  await end('b');
  expect(hasEnded).toBe(false);
  await end('a');
  await all;
});

it('rejects with what the first item rejects with, and goes on with the others', async () => {
  const { inTurn, each } = createLimit(1);
  const ran: number[] = [];
  const failing = each([1, 2, 3], (item) =>
    inTurn(async () => {
      ran.push(item);
      if (item === 1) throw new Error('no');
    }),
  );
  await expect(failing).rejects.toThrow('no');
  await inTurn(async () => undefined);
  expect(ran).toEqual([1, 2, 3]);
});
