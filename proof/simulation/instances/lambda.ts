import { createSandbox, type Sandbox } from '../lambda/sandbox.ts';
import type { Handler, LambdaEvent } from '../parts.ts';
import { instancesFunction } from './function.ts';
import { perProcess } from './scenario.ts';
import type { InstancesSimulation } from './simulation.ts';

/** What its caller sees of an invocation. */
type Ended =
  | { readonly kind: 'answered'; readonly response: unknown }
  | { readonly kind: 'failed' | 'timed-out' | 'killed' };

interface Process {
  readonly sandbox: Sandbox;
  readonly handler: Handler;
  /** Handlers that have not returned, whatever became of their invocations. */
  atWork: number;
  /** What kills the invocations that are under way. */
  readonly underWay: Set<(ended: Ended) => void>;
}

export interface Instances {
  /** Handlers that have not returned, in all processes. */
  readonly atWork: number;
  /** Calls the function, if a process has room. @returns whether one has */
  invoke(event: LambdaEvent, done: (ended: Ended) => void): boolean;
}

/**
 * A stand-in for Lambda Managed Instances: processes that are never frozen and serve many invocations at once. When an invocation times out its caller
 * is told so, and the code runs on. Now and then a process ends, with all that it does.
 */
export function startInstances(simulation: InstancesSimulation): Instances {
  const { world, scenario, strikes, stats } = simulation;
  const { random } = world;
  const processes: Process[] = [];

  function start(): Process {
    const offset = Math.round(random.between(1 - scenario.skewMs / 2, scenario.skewMs / 2 - 1));
    const sandbox = createSandbox(world, `p${++stats.processes}`, offset);
    const started = {
      sandbox,
      handler: instancesFunction(simulation, sandbox),
      atWork: 0,
      underWay: new Set<() => void>(),
    };
    processes.push(started);
    if (strikes('killAtTime')) world.after(random.between(0, 2 * scenario.functionTimeoutMs), () => kill(started));
    return started;
  }

  function kill(one: Process): void {
    if (world.time > scenario.faultsEndMs) return;
    world.note(one.sandbox.name, 'is killed');
    one.sandbox.kill();
    processes.splice(processes.indexOf(one), 1);
    for (const end of [...one.underWay]) end({ kind: 'killed' });
  }

  function invoke(event: LambdaEvent, done: (ended: Ended) => void): boolean {
    const free = processes.filter(({ underWay }) => underWay.size < perProcess);
    const one =
      free.length > 0 && random.chance(0.95)
        ? random.pick(free as [Process])
        : processes.length < 3
          ? start()
          : free[0];
    if (one === undefined) return false;
    const { sandbox } = one;
    const deadline = world.time + scenario.functionTimeoutMs;
    stats.invocations++;
    world.note(
      sandbox.name,
      'is invoked with',
      event.http?.body ?? event.Records.map(({ messageId }) => messageId).join(' '),
    );

    function end(ended: Ended): void {
      if (!one?.underWay.delete(end)) return;
      if (ended.kind === 'timed-out') stats.timeouts++;
      done(ended);
    }

    one.underWay.add(end);
    one.atWork++;
    stats.mostAtOnce = Math.max(stats.mostAtOnce, one.atWork);
    world.after(scenario.functionTimeoutMs, () => end({ kind: 'timed-out' }));
    const returned = (ended: Ended) => () => {
      one.atWork--;
      end(ended);
    };
    sandbox.deliver(() =>
      one
        .handler(event, { getRemainingTimeInMillis: () => Math.floor(deadline - world.time) })
        .then((response) => sandbox.deliver(returned({ kind: 'answered', response })))
        .catch(() => sandbox.deliver(returned({ kind: 'failed' }))),
    );
    return true;
  }

  return {
    get atWork() {
      return processes.reduce((sum, { atWork }) => sum + atWork, 0);
    },
    invoke,
  };
}
