import { describe, expect, it } from 'vitest';
import { createEnding, type EndReason, Stopped } from '../../lib/cli/ending.ts';

/** How a command ends before its end, without a process: what is said, and which exit code it has. */

function driven() {
  const said: string[] = [];
  const exits: number[] = [];
  const ending = createEnding({ say: (text) => void said.push(text), exit: (code) => void exits.push(code) });
  return { ending, said, exits };
}

const codes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129, closed: 141 } as const satisfies Record<EndReason, number>;
const each = Object.entries(codes) as (readonly [EndReason, number])[];

/** An act that waits until it may end. */
function act(ending: ReturnType<typeof createEnding>, done: () => string | undefined, more: object = {}) {
  const gate = Promise.withResolvers<void>();
  const running = ending.during({ done, ...more }, () => gate.promise);
  running.catch(() => undefined);
  return { running, gate };
}

describe.each(each)('a command that %s ends', (why, code) => {
  it('ends at once while it only reads, and says that nothing was changed', () => {
    const { ending, said, exits } = driven();
    ending.end(why);
    expect(exits).toEqual([code]);
    expect(said).toHaveLength(1);
    expect(said[0]).toMatch(/^Stopped: .*Nothing was changed\.$/);
  });

  it('finishes the act that is under way, begins no other one, and says what it did', async () => {
    const { ending, said, exits } = driven();
    const { running, gate } = act(ending, () => '2 claims resolved.');
    ending.end(why);
    expect(exits).toEqual([]);
    expect(ending.signal.aborted).toBe(true);
    gate.resolve();
    await expect(running).rejects.toThrow(Stopped);
    await expect(ending.during({}, async () => 'the next act')).rejects.toThrow(Stopped);
    expect(ending.settle(2)).toBe(code);
    expect(said.at(-1)).toMatch(/^Stopped: .*2 claims resolved\.$/);
  });

  it('is ended in the middle by a second signal, and says what is left; a closed output is no second one', () => {
    const { ending, said, exits } = driven();
    act(ending, () => '2 messages redriven.', { left: () => 'One is on both queues.' });
    ending.end(why);
    ending.end('closed');
    expect(exits).toEqual([]);
    ending.end('SIGINT');
    expect(exits).toEqual([130]);
    expect(said.at(-1)).toBe('Ended in the middle. 2 messages redriven. One is on both queues.');
  });
});

it('a command that serves has its own exit code after a signal, which is its end; a closed output is none', async () => {
  for (const [why, code] of each) {
    const { ending } = driven();
    const { running, gate } = act(ending, () => undefined, { serves: true });
    ending.end(why);
    gate.resolve();
    await running;
    expect(ending.settle(0)).toBe(why === 'closed' ? code : 0);
  }
});

it('a command that fails says what its acts have done, and nothing where they have done nothing', async () => {
  const { ending, said } = driven();
  ending.failed();
  expect(said).toEqual([]);
  const failing = ending.during({ done: () => '1 claim resolved.' }, () => Promise.reject(new Error('throttled')));
  await expect(failing).rejects.toThrow('throttled');
  ending.failed();
  expect(said).toEqual(['1 claim resolved.']);
  expect(ending.settle(2)).toBe(2);
});
