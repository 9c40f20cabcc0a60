import { expect, it } from 'vitest';
import { type Act, carryOut } from '../../lib/cli/carry-out.ts';
import { runNamed } from '../../lib/cli/command-line.ts';
import { ioOf } from '../support/in-process.ts';

/* The one way in which a command acts on many things, and what the one runner makes of its error. */

interface Item {
  readonly id: string;
}
interface Done extends Item {
  readonly outcome: 'accepted' | 'not-open';
}

const results: readonly Done[] = [
  { id: 'a', outcome: 'accepted' },
  { id: 'b', outcome: 'not-open' },
];

function actOn(items: readonly Item[], more: Partial<Act<Item, Done>> = {}): Act<Item, Done> {
  return {
    parts: [
      {
        items,
        count: items.length,
        async *run() {
          yield* results.slice(0, items.length);
        },
      },
    ],
    thing: 'finding',
    verb: 'accepted',
    columns: [['ID', 0]],
    row: ({ id }) => [id],
    question: (findings) => `Accept ${findings}?`,
    isDone: ({ outcome }) => outcome === 'accepted',
    say: ({ id, outcome }) => (outcome === 'accepted' ? undefined : `Not accepted: ${id}`),
    left: 'Look again.',
    ...more,
  };
}

async function run(act: Act<Item, Done>, options: object = {}, typed?: string) {
  const { io, out, error } = ioOf(typed);
  const code = await carryOut({ yes: false, json: false, ...options }, io, act);
  return { code, out: out(), error: error() };
}

it('shows what it would do, asks, does it, and ends with 1 if something stays', async () => {
  expect(await run(actOn(results), {}, 'y')).toEqual({
    code: 1,
    out: 'ID\na\nb\nNot accepted: b\n1 finding accepted, 1 not.\n',
    error: 'Accept 2 findings? [y/N] ',
  });
  expect(await run(actOn(results.slice(0, 1)), { yes: true })).toMatchObject({ code: 0, error: '' });
});

it('does nothing without an agreement, and says so', async () => {
  const ran: string[] = [];
  const act = actOn(results);
  const parts = act.parts.map((part) => ({
    ...part,
    run(signal: AbortSignal) {
      ran.push('run');
      return part.run(signal);
    },
  }));
  expect(await run({ ...act, parts }, {}, 'n')).toMatchObject({
    code: 1,
    error: 'Accept 2 findings? [y/N] Nothing was changed.\n',
  });
  expect((await run({ ...act, parts }, { 'dry-run': true })).out).toContain(
    '2 findings would be accepted, 0 would stay.',
  );
  expect(ran).toEqual([]);
});

it('is lines of JSON for scripts: the plan, a result for each, and how many', async () => {
  const { out } = await run(actOn(results), { json: true, yes: true });
  const lines = out.trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    ...results.map((one) => ({ kind: 'plan', ...one })),
    ...results.map((one) => ({ kind: 'result', ...one })),
    { kind: 'summary', accepted: 1, stay: 1 },
  ]);
});

it('ends with 1 if it found nothing of what was named, and with 0 if there was nothing to name', async () => {
  expect(await run(actOn([], { expectsSome: true }))).toMatchObject({ code: 1 });
  expect(await run(actOn([]))).toMatchObject({ code: 0, out: '0 findings would be accepted, 0 would stay.\n' });
});

it('an act that fails in its middle has said what it did, and its error ends with 2, for a script too', async () => {
  const { io, ending, out, error } = ioOf();
  const act = actOn(results, {
    parts: [
      {
        items: results,
        count: 2,
        async *run() {
          yield* results.slice(0, 1);
          throw new RangeError('throttled');
        },
      },
    ],
  });
  const elsewhere = { rehearse: () => carryOut({ yes: true, json: false }, io, act) };
  expect(await runNamed(['rehearse', '--json'], { io, failed: ending.failed, elsewhere })).toBe(2);
  expect(error()).toBe('RangeError: throttled\n1 finding accepted, 1 not.\n');
  const last = out().trimEnd().split('\n').at(-1) ?? '';
  expect(JSON.parse(last)).toEqual({ kind: 'error', exitCode: 2, error: 'RangeError: throttled' });
});
