import type { SqsBatchResponse } from '../../../lib/pawl/sqs/event.ts';
import { type FaultName, faultNames } from '../faults.ts';
import type { Sandbox } from '../lambda/sandbox.ts';
import type { Intent, Invocation } from '../parts.ts';
import type { Simulation } from '../simulation.ts';
import type { QueuedMessage } from '../sqs/queue.ts';
import type { Runs } from './runs.ts';

const ofEffects: ReadonlySet<FaultName> = new Set([
  'providerFails',
  'providerFailsApplied',
  'providerHangs',
  'providerHangsApplied',
  'providerLate',
  'providerBusy',
  'lookUpFails',
  'workFails',
]);

interface Parts {
  problem(invariant: number, text: string): void;
  readonly runs: Runs;
}

/** Watches that no message is lost, and that each invocation answers for exactly its own. */
export function createMessageChecks(simulation: Simulation, { problem, runs }: Parts) {
  const { world, scenario, stats } = simulation;
  /** Messages of which there is, or was, a copy in the dead-letter queue. */
  const copied = new Set<string>();
  /** Invocations whose answer named no message, and came so near to their end that it may have been Middy's, for a handler that still runs. */
  const late = new Set<string>();

  /**
   * Nothing keeps a message from being tried but the messages before it and beside it: providers and handlers fail, and not the
   * store, the queue or a worker. Any of those may use up the receives of a message that never runs. Only `eachMessage` decides what
   * becomes of the messages behind one that fails; elsewhere the author's own handler does.
   */
  const onlyEffectsFail =
    scenario.adapter === 'each-message' &&
    // Without a dead-letter queue of its own a consumer cannot bury the one that is in the way.
    scenario.hasDeadLetters &&
    scenario.traffic.poison === 0 &&
    faultNames.every((name) => ofEffects.has(name) || scenario.faults[name] === 0);

  function hasHappened({ key, payload }: Intent): boolean {
    return key !== undefined && simulation.provider.effectsOf(key, payload) > 0;
  }

  /** Whether a message may be gone. */
  function isSafe(messageId: string): boolean {
    const intent = simulation.traffic.intentOf(messageId);
    if (intent === undefined) return false;
    if (hasHappened(intent) || copied.has(messageId)) return true;
    if (scenario.onInFlight !== 'discard') return false;
    // A duplicate that is discarded leaves its first copy.
    for (const queue of [simulation.queue, simulation.deadLetters]) {
      for (const other of queue.messages()) {
        if (other.id !== messageId && intentOf(other)?.name === intent.name) return true;
      }
    }
    return false;
  }

  const intentOf = ({ body, id }: QueuedMessage) =>
    simulation.traffic.intentOf(id) ?? simulation.traffic.intentOfBody(body);

  function answered({ name, event, sandbox }: Invocation, response: SqsBatchResponse): void {
    const failures = response?.batchItemFailures;
    if (!Array.isArray(failures)) {
      problem(10, `${name} answered ${JSON.stringify(response)}`);
      return;
    }
    const listed = failures.map(({ itemIdentifier }) => itemIdentifier);
    world.note(sandbox.name, 'answers:', listed.length === 0 ? 'all done' : `again ${listed.join(' ')}`);
    const ids = event.Records.map(({ messageId }) => messageId);
    if (new Set(listed).size < listed.length) problem(10, `${name} lists a message twice: ${listed}`);
    for (const id of listed) {
      if (!ids.includes(id)) problem(10, `${name} lists ${id}, which it was not given`);
      // `once` hands on what a handler threw after its effect, and leaves it to its caller.
      if (scenario.adapter !== 'once' && !late.has(name) && runs.endingOf(id, name) === 'done')
        problem(10, `${name} lists ${id}, which it has done`);
    }
    for (const id of ids) {
      if (!listed.includes(id) && !isSafe(id)) problem(6, `${name} acknowledges ${id}, which is not safe`);
    }
  }

  return {
    answered,
    answeredLate(sandbox: Sandbox): void {
      const { name } = simulation.lambda.invocationOf(sandbox) ?? {};
      if (name !== undefined) late.add(name);
    },
    hasCopy: (messageId: string) => copied.has(messageId),
    deadLettered(sandbox: Sandbox, body: string, copy: QueuedMessage | undefined): void {
      // By its body, because a copy may have had to leave its attributes behind.
      for (const record of simulation.lambda.invocationOf(sandbox)?.event.Records ?? []) {
        if (record.body === body) copied.add(record.messageId);
      }
      if (copy !== undefined) stats.deadLettered++;
    },
    deleted({ id }: QueuedMessage): void {
      if (!isSafe(id)) problem(7, `${id} is deleted, and not safe`);
    },
    everythingEnded(ended: boolean): void {
      if (ended) return;
      const left = [...simulation.queue.messages()].map(({ id, receiveCount }) => `${id} (${receiveCount})`);
      problem(14, `not ended ${scenario.mayTakeMs} ms after the faults: ${left.join(', ')}`);
    },
    atTheEnd(): void {
      const dead = new Set([...simulation.deadLetters.messages()].map((message) => intentOf(message)?.name));
      for (const intent of simulation.traffic.intents()) {
        if (!hasHappened(intent) && !dead.has(intent.name)) problem(7, `${intent.name} is lost`);
        if (intent.key === undefined || !dead.has(intent.name) || runs.wasTried(intent.key)) continue;
        stats.neverRun++;
        if (onlyEffectsFail) problem(7, `${intent.name} is set aside, and was never run`);
      }
    },
  };
}
