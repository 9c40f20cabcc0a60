import type { ClaimRecord } from '../../../lib/pawl/rules/record.ts';
import type { Sandbox } from '../lambda/sandbox.ts';
import type { EffectRequest, Ending, Job, Run } from '../parts.ts';
import type { Simulation } from '../simulation.ts';

export interface Surveyor {
  problem(invariant: number, text: string): void;
  /** What the table holds now. */
  recordOf(key: string): ClaimRecord | undefined;
  /** What the table has told this sandbox of its own claim. */
  acknowledged(sandbox: Sandbox, key: string): ClaimRecord | undefined;
  hasLost(sandbox: Sandbox, key: string): boolean;
  isTakenOver(claimId: string): boolean;
}

/** A run, and the grant that it has been told of. */
interface Granted extends Run {
  readonly grantFence: number;
}

export type Runs = ReturnType<typeof createRuns>;

/** Watches who runs what, and whether they may. */
export function createRuns(simulation: Simulation, surveyor: Surveyor) {
  const { problem, recordOf, acknowledged, hasLost, isTakenOver } = surveyor;
  const { world, scenario, stats } = simulation;
  const { policy } = scenario;
  const runsOf = new Map<string, Granted[]>();
  const runsIn = new Map<string, Run[]>();
  const payloads = new Map<string, string>();
  /** Keys whose handler was started at least once, whatever was decided since. */
  const tried = new Set<string>();
  const late = new Set<string>();
  /** Keys whose effect is known to have happened, although the table does not say so. */
  const confirmed = new Set<string>();
  /** Invocations, and the keys of which they met another copy at work. */
  const met = new Set<string>();
  /** Invocations whose renewals may not have been written. */
  const troubled = new Set<string>();
  let clocksWrong = false;

  const leaseIsRenewed =
    scenario.leaseMs !== undefined || (scenario.adapter === 'once' && !scenario.handler.givesRemainingTime);
  /** Whether this sandbox may act although its lease is over: 13. */
  function isExcused(sandbox: Sandbox): boolean {
    const invocation = simulation.lambda.invocationOf(sandbox);
    const unrenewed = leaseIsRenewed && troubled.has(invocation?.name ?? '');
    return (invocation?.paused ?? true) || clocksWrong || unrenewed;
  }

  /** Demands that a sandbox holds the claim of what it is doing. */
  function holds(sandbox: Sandbox, { key }: { readonly key: string }, what: string): void {
    const known = acknowledged(sandbox, key);
    // Parked meanwhile under its own claim id, by whoever found it abandoned: a worker that stood still goes on all the same.
    const hasBeenParked = known?.status === 'parked' && isExcused(sandbox);
    if (known?.status !== 'in-flight' && !hasBeenParked) {
      problem(3, `${sandbox.name} ${what} ${key} without a claim: it knows of ${known?.status ?? 'nothing'}`);
      return;
    }
    const record = recordOf(key);
    const isIts = record?.status === 'in-flight' && record.claimId === known?.claimId;
    // Over, and not taken over yet: what it does now may come too late for whoever counts from the end of the lease.
    const isOver = isIts && isExcused(sandbox) && record.leaseUntil <= sandbox.clock();
    if (isIts && !isOver) return;
    late.add(key);
    stats.lateActs++;
    world.note(sandbox.name, 'acts late on', key);
    if (!isExcused(sandbox)) {
      problem(13, `${sandbox.name} ${what} ${key}, and its claim is ${record?.status}, of ${record?.claimId}`);
    }
  }

  /** Demands that there is time left for what a sandbox begins. A batch handler begins whenever it likes. */
  function inTime(sandbox: Sandbox, key: string, leastMs: number, what: string): void {
    const { leaseUntil = 0 } = acknowledged(sandbox, key) ?? {};
    if (scenario.adapter === 'sqs-once') return;
    const remainingMs = leaseUntil - scenario.marginMs - sandbox.clock();
    if (remainingMs <= leastMs) problem(13, `${sandbox.name} ${what} ${key} with ${remainingMs} ms left`);
  }

  function effectStarted(sandbox: Sandbox, { key }: Job): void {
    inTime(sandbox, key, 0, 'starts the effect of');
    if (scenario.adapter === 'each-message' && hasLost(sandbox, key)) {
      problem(13, `${sandbox.name} starts the effect of ${key}, and has seen that the claim is somebody else's`);
    }
  }

  /** What may have killed a worker must not take others along. `sqsOnce` waits for that twice, and no longer. */
  function mayRunBeside(run: Run, others: readonly Run[]): void {
    if (scenario.adapter !== 'each-message') return;
    const isSuspect = ({ sandbox, job }: Run) => isTakenOver(acknowledged(sandbox, job.key)?.claimId ?? '');
    for (const other of others) {
      if (other.ending !== undefined || !(isSuspect(run) || isSuspect(other))) continue;
      problem(0, `${run.job.key} runs beside ${other.job.key} in ${run.invocation}, and one of them may be deadly`);
    }
  }

  function started(sandbox: Sandbox, job: Job, fence?: number): Run {
    const { key, payload, messageId } = job;
    const { name: invocation = '' } = simulation.lambda.invocationOf(sandbox) ?? {};
    world.note(sandbox.name, 'runs the handler of', `${key} (${messageId})`);
    stats.runs++;
    holds(sandbox, job, 'runs');
    inTime(sandbox, key, scenario.timeoutMs, 'runs');
    const known = acknowledged(sandbox, key);
    if (fence !== undefined && known !== undefined && known.fence !== fence) {
      problem(4, `the handler of ${key} is told the fence ${fence}, and has the claim ${known.fence}`);
    }
    const first = payloads.get(key);
    if (first !== undefined && first !== payload) problem(9, `${key} runs with the payloads ${first} and ${payload}`);
    payloads.set(key, payload);
    const earlier = runsOf.get(key) ?? [];
    const grantFence = known?.fence ?? 0;
    for (const run of earlier) mayFollow(run, sandbox, grantFence);
    inOrder(job, invocation);

    let ending: Ending | undefined;
    let endedLate = false;
    const startedAt = sandbox.clock();
    /** What ends after its time is not waited for: it may be recorded as in doubt, and end well a moment later. */
    const isOver = () => {
      const { leaseUntil = 0 } = acknowledged(sandbox, key) ?? {};
      const end = Math.min(leaseUntil - scenario.marginMs, startedAt + (scenario.timeoutMs || Infinity));
      return sandbox.clock() >= end - 1;
    };
    const run: Granted = {
      grantFence,
      job,
      sandbox,
      invocation,
      end(next) {
        if (!sandbox.alive) return;
        ending = next;
        endedLate = isOver();
        world.note(sandbox.name, 'its handler ends:', `${key} ${next}`);
      },
      get ending() {
        return ending;
      },
      get endedLate() {
        return endedLate;
      },
    };
    runsOf.set(key, [...earlier, run]);
    tried.add(key);
    const beside = runsIn.get(invocation) ?? [];
    mayRunBeside(run, beside);
    runsIn.set(invocation, [...beside, run]);
    return run;
  }

  /** Whether a provider's "not applied" may have been believed too early: somebody acted after their lease, or a clock was wrong (13). */
  const mayBeTooEarly = (key: string) => clocksWrong || late.has(key);

  /** Whether a handler may run after (or beside) an earlier run of the same key. */
  function mayFollow(earlier: Granted, sandbox: Sandbox, grantFence: number): void {
    const { key } = earlier.job;
    // It was granted before, and stood still; a clock that is wrong by more than the allowance took its claim from it too early.
    if (clocksWrong && grantFence < earlier.grantFence) return;
    const who = `${sandbox.name} runs ${key} after ${earlier.sandbox.name}`;
    if (earlier.ending === undefined && earlier.sandbox.alive) {
      if (!isExcused(earlier.sandbox) && !isExcused(sandbox)) problem(1, `${who}, which is still running it`);
      if (policy === 'park') problem(1, `${who}, which is still running it, under 'park'`);
      return;
    }
    const ending = earlier.ending ?? 'died';
    const inDoubt = ending === 'died' || ending === 'unknown' || ending === 'done';
    if (policy === 'park' && inDoubt) problem(1, `${who}, of which it is in doubt (${ending}), under 'park'`);
    if (policy === 'reconcile' && ending === 'done' && !mayBeTooEarly(key)) problem(1, `${who}, which has done it`);
  }

  /** 8: what came before it in its group is finished. */
  function inOrder({ messageId }: Job, invocation: string): void {
    const mine = simulation.queue.message(messageId);
    if (!scenario.fifo || mine === undefined) return;
    for (const one of simulation.queue.messages()) {
      if (one.group !== mine.group || one.order >= mine.order || isFinished(one.id, invocation)) continue;
      problem(8, `${messageId} of ${mine.group} runs in ${invocation}, before ${one.id}, which is not finished`);
    }
  }

  function isFinished(messageId: string, invocation: string): boolean {
    const { key } = simulation.traffic.intentOf(messageId) ?? {};
    if (key === undefined) return simulation.oracle.hasCopy(messageId);
    const { status } = recordOf(key) ?? {};
    if (status === 'completed' || confirmed.has(key) || simulation.oracle.hasCopy(messageId)) return true;
    // Its author chose to acknowledge what comes while its first copy is still being handled.
    if (scenario.onInFlight === 'discard' && (status === 'in-flight' || met.has(`${invocation} ${key}`))) return true;
    return (runsOf.get(key) ?? []).some(({ ending }) => ending === 'done');
  }

  return {
    started,
    effectStarted,
    storeFails(sandbox: Sandbox): void {
      const invocation = simulation.lambda.invocationOf(sandbox);
      if (invocation) troubled.add(invocation.name);
    },
    effectSent: (sandbox: Sandbox, request: EffectRequest) => holds(sandbox, request, 'asks for the effect of'),
    mayBeTooEarly,
    confirmed: (key: string) => void confirmed.add(key),
    metAnother(sandbox: Sandbox, key: string): void {
      met.add(`${simulation.lambda.invocationOf(sandbox)?.name} ${key}`);
    },
    wasTried: (key: string) => tried.has(key),
    isRunning: (key: string) =>
      (runsOf.get(key) ?? []).some(({ ending, sandbox }) => ending === undefined && sandbox.alive),
    /** How this message fared in this invocation. */
    endingOf: (messageId: string, invocation: string) => {
      const { key = '' } = simulation.traffic.intentOf(messageId) ?? {};
      const mine = (run: Run) => run.invocation === invocation && run.job.messageId === messageId;
      const run = runsOf.get(key)?.find(mine);
      return run?.endedLate ? undefined : run?.ending;
    },
    clockWentWrong() {
      clocksWrong = true;
    },
    clocksWereWrong: () => clocksWrong,
    /** An operator has decided: what was before does not count any more. */
    resolved: (key: string) => void runsOf.delete(key),
  };
}
