import { describe, expect, test } from 'vitest';
import { memoryStore, once } from '../../lib/index.ts';
import { untyped, warnedBy } from './mistake.ts';

let operations = 0;
/** A function of `once`, of an operation of its own: a warning comes once. */
function calls(more: object = {}, fn: () => unknown = () => 'done') {
  const operation = `calls-${++operations}`;
  const store = memoryStore();
  const options = { operation, store, key: (input: { id: string }) => input.id, onAbandoned: 'retry', onEvent() {} };
  return Object.assign(once<{ id: string }, unknown>(untyped({ ...options, ...more }), fn), { operation, store });
}

/** How a call was refused. */
async function refusal(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'it was not refused',
    ({ message }: Error) => message,
  );
}

describe('a call of once', () => {
  test.each([
    [{ context: {} }, 'context'],
    [{ ctx: {} }, 'ctx'],
    [{ foo: 1 }, 'foo'],
    [{ remainingMs: () => 30_000, signal: AbortSignal.abort() }, 'signal'],
    [{ redelivred: true }, 'redelivred'],
  ])('refuses an option that is none, by both of its ways, and runs nothing: %o', async (given, name) => {
    let runs = 0;
    const call = calls({}, () => ++runs);
    await warnedBy(async () => {
      for (const way of [call, call.outcome]) {
        const said = await refusal(way({ id: '1' }, untyped(given)));
        expect(said).toContain(`a call of once: there is no option '${name}'`);
        expect(said).toMatch(/See docs\/errors\.md#unknown-option$/);
      }
    });
    expect(runs).toBe(0);
  });
});
