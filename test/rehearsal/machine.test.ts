import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createMachine, type Measure } from '../../lib/rehearsal/engine/machine.ts';
import { timeOf } from '../../lib/rehearsal/engine/time.ts';
import { MachineTooSlowError } from '../../lib/rehearsal/engine/too-slow.ts';

/** A machine whose clock and run queues the test sets. */
function machineWith() {
  const state = { now: 1_000, ours: 0, theirs: new Map<number, number>() };
  const machine = createMachine({
    now: () => state.now,
    waitedMs: (pid) => (pid === undefined ? state.ours : state.theirs.get(pid)),
  });
  return { state, machine };
}

describe('a measure', () => {
  test('counts what this process waited, and what the followed process waited from then on', () => {
    const { state, machine } = machineWith();
    state.theirs.set(7, 5_000);
    const measure = machine.measure();
    state.now += 1_000;
    state.ours += 100;
    expect(measure.stolenMs()).toBe(100);
    measure.follow(7);
    state.now += 1_000;
    state.theirs.set(7, 5_600);
    expect(measure.stolenMs()).toBe(700);
    measure.end();
  });

  test('counts a moment once in which both of them waited', () => {
    const { state, machine } = machineWith();
    state.theirs.set(7, 0);
    const measure = machine.measure();
    measure.follow(7);
    state.now += 1_000;
    state.ours += 800;
    state.theirs.set(7, 900);
    expect(measure.stolenMs()).toBe(900);
    measure.end();
  });

  test('never counts more than what has passed', () => {
    const { state, machine } = machineWith();
    const measure = machine.measure();
    state.now += 100;
    state.ours += 5_000;
    expect(measure.stolenMs()).toBe(100);
    measure.end();
  });

  test('counts nothing of a process that sleeps, and nothing of one that has ended', () => {
    const { state, machine } = machineWith();
    state.theirs.set(7, 40);
    const measure = machine.measure();
    measure.follow(7);
    state.now += 10_000;
    expect(measure.stolenMs()).toBe(0);
    state.theirs.delete(7);
    state.now += 1_000;
    expect(measure.stolenMs()).toBe(0);
    measure.end();
  });

  test('of all counts the processes that other measures follow, each moment once', () => {
    const { state, machine } = machineWith();
    for (const pid of [7, 8]) state.theirs.set(pid, 1_000 * pid);
    const all = machine.measure();
    all.follow('all');
    const others = [7, 8].map((pid) => {
      const one = machine.measure();
      one.follow(pid);
      return one;
    });
    expect(all.stolenMs()).toBe(0);
    state.now += 1_000;
    state.theirs.set(7, 7_300);
    state.theirs.set(8, 8_700);
    expect(all.stolenMs()).toBe(700);
    for (const one of [all, ...others]) one.end();
  });

  test('counts the time in which an answer of a server is late, once, and nothing of one that is not', async () => {
    const { state, machine } = machineWith();
    const measure = machine.measure();
    measure.follow(undefined, 'SANDBOX1');
    const another = machine.measure();
    another.follow(undefined, 'SANDBOX2');
    const all = machine.measure();
    all.follow('all');
    const first = Promise.withResolvers<string>();
    const second = Promise.withResolvers<string>();
    const answers = [machine.serving(first.promise, 'SANDBOX1')];
    state.now += 90;
    answers.push(machine.serving(second.promise, 'SANDBOX1'));
    expect(measure.stolenMs()).toBe(0);
    state.now += 110;
    expect(measure.stolenMs()).toBe(100);
    first.resolve('first');
    await answers[0];
    state.now += 50;
    second.resolve('second');
    expect(await Promise.all(answers)).toEqual(['first', 'second']);
    expect(measure.stolenMs()).toBe(150);
    state.now += 1_000;
    expect(measure.stolenMs()).toBe(150);
    // It is the time of the sandbox that waits for it, and nobody else's.
    expect([another.stolenMs(), all.stolenMs()]).toEqual([0, 150]);
    for (const one of [measure, another, all]) one.end();
  });

  test('hands out each bit once', () => {
    const { state, machine } = machineWith();
    const bits: number[] = [];
    const measure = machine.measure((ms) => bits.push(ms));
    for (const waited of [10, 30, 0]) {
      state.now += 100;
      state.ours += waited;
      machine.sample();
    }
    expect(bits).toEqual([10, 30]);
    measure.end();
    state.now += 100;
    state.ours += 100;
    machine.sample();
    expect(bits).toEqual([10, 30]);
  });
});

test('time that was taken away comes back, up to five times of what something has', () => {
  let stolen = 0;
  const measure: Measure = { stolenMs: () => stolen, follow: () => undefined, end: () => undefined };
  const time = timeOf(measure, 100_000);
  expect(time.leftMs()).toBeLessThanOrEqual(100_000);
  stolen = 150_000;
  expect(time.leftMs()).toBeGreaterThan(200_000);
  stolen = 3_600_000;
  expect(time.leftMs()).toBeLessThanOrEqual(500_000);
});

describe('a machine', () => {
  const rejects = (share: number) => {
    const machine = createMachine({ aWhileMs: 100, waitedMs: () => share * performance.now() });
    const going = new AbortController();
    onTestFinished(() => going.abort());
    return machine.tooSlow(going.signal);
  };

  test('that hardly runs the rehearsal is too slow', async () => {
    await expect(rejects(0.95)).rejects.toThrow(/too slow to judge an app: of the last .* and did not run/);
  });

  test('that runs it a fifth of the time is not', async () => {
    const slow = rejects(0.8);
    slow.catch(() => undefined);
    await expect(Promise.race([slow, sleep(600)])).resolves.toBeUndefined();
  });
});

describe('where the system does not say who waits', () => {
  const calibrated = async (startMs: number, isKnown = false) => {
    let now = 0;
    const machine = createMachine({
      now: () => now,
      waitedMs: () => (isKnown ? 0 : undefined),
      start: async () => {
        now += startMs;
      },
    });
    await machine.calibrate();
    return machine.slowness();
  };

  test('a process that takes long to start says how slow the machine is', async () => {
    expect(await calibrated(50)).toBe(1);
    expect(await calibrated(1_500)).toBe(10);
    expect(await calibrated(1_500, true)).toBe(1);
  });

  test('a machine on which nothing could be judged is refused, and the message says what to do', async () => {
    await expect(calibrated(11_000, true)).rejects.toThrow(MachineTooSlowError);
    await expect(calibrated(11_000)).rejects.toThrow(/took 11\.0 s to start\. End what else is running/);
  });

  test('what the timers of this process are late is counted', async () => {
    const machine = createMachine({ waitedMs: () => undefined });
    const measure = machine.measure();
    const until = performance.now() + 300;
    // This process has no turn.
    while (performance.now() < until);
    expect(measure.stolenMs()).toBeGreaterThan(100);
    measure.end();
  });
});
