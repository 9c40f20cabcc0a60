import { surroundingsOf } from './calls.ts';
import { invoke } from './invocation.ts';
import { breakRun, type IdleWorker, type RunState, tell } from './run-state.ts';
import { createSandbox } from './sandbox.ts';
import type { Delivered } from './traffic.ts';
import { worldOf } from './world.ts';

/** The events of a claim whose message had its turn. */
const attending: ReadonlySet<string> = new Set([
  'granted',
  'taken-over',
  'key-reused',
  'still-parked',
  'undeliverable',
]);

/** Hands work to a worker, and the result to the traffic. Never rejects: nothing waits for it. */
export async function work<Provider>(run: RunState<Provider>, delivered: Delivered): Promise<void> {
  run.invocations++;
  run.running++;
  try {
    const worker = run.idle.pop() ?? startWorker(run);
    const { sandbox, handler } = worker;
    tell(run, sandbox.worker, delivered.story);
    run.current = sandbox;
    const { clock, settings } = run;
    const result = await invoke(sandbox, handler, delivered.event, { clock, timeoutMs: settings.functionTimeoutMs });
    const what = run.traffic.conclude(delivered, result);
    if (what !== undefined) tell(run, sandbox.worker, what);
    if (result.kind !== 'died') run.idle.push(worker);
  } catch (error) {
    breakRun(run, error);
  } finally {
    run.running--;
  }
}

/** A cold start: the handler's modules are loaded anew. */
function startWorker<Provider>(run: RunState<Provider>): IdleWorker {
  const { settings, outside, provider } = run;
  const sandbox = createSandbox(surroundingsOf(run), ++run.workers);
  const world = worldOf(sandbox, {
    ...outside,
    lateMs: settings.lateMs,
    tell: (worker, what) => tell(run, worker, what),
    heard({ type, id }) {
      if (attending.has(type)) run.attended.add(id);
      if (type === 'parked' || type === 'still-parked') run.parked.add(id);
    },
  });
  return { sandbox, handler: sandbox.inside(() => settings.handler(world, provider)) };
}
