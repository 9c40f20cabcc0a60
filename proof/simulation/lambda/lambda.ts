import type { Handler, Invocation, Lambda, LambdaEvent, Outcome } from '../parts.ts';
import type { Simulation } from '../simulation.ts';
import { createSandbox, type Sandbox } from './sandbox.ts';

const mostIdle = 3;

/** A stand-in for one function in Lambda: sandboxes that are started, frozen between invocations, and killed. */
export function createLambda(simulation: Simulation, functionOf: (sandbox: Sandbox) => Handler): Lambda {
  const { world, strikes, scenario, oracle, stats } = simulation;
  const { random } = world;
  const idle: { readonly sandbox: Sandbox; readonly handler: Handler }[] = [];
  const current = new Map<Sandbox, { readonly invocation: Invocation; readonly end: (outcome: Outcome) => void }>();
  let started = 0;
  let invocations = 0;

  /** Two clocks are never further apart than the allowance, unless that is the fault. */
  function clockOffset(): number {
    const most = scenario.skewMs / 2 - 1;
    return random.between(-most, most);
  }

  function start() {
    const sandbox = createSandbox(world, `s${++started}`, Math.round(clockOffset()));
    stats.sandboxes++;
    return { sandbox, handler: functionOf(sandbox) };
  }

  function kill(sandbox: Sandbox, why: string): void {
    if (!sandbox.alive) return;
    world.note(sandbox.name, 'is killed:', why);
    stats.kills++;
    sandbox.kill();
    const waiting = idle.findIndex((one) => one.sandbox === sandbox);
    if (waiting !== -1) idle.splice(waiting, 1);
    current.get(sandbox)?.end({ outcome: 'killed' });
  }

  function pause(invocation: Invocation): void {
    const { sandbox } = invocation;
    if (!sandbox.alive || sandbox.frozen || invocation.ended) return;
    const leaseMs = scenario.leaseMs ?? scenario.functionTimeoutMs;
    const ms = leaseMs * random.pick([0.1, 0.6, 1.5, 4]) * random.between(0.8, 1.3);
    world.note(sandbox.name, 'stands still', `for ${Math.round(ms)} ms`);
    stats.pauses++;
    invocation.paused = true;
    sandbox.freeze();
    if (strikes('deliveredTwice')) {
      for (const { receiptHandle } of invocation.event.Records) simulation.queue.changeVisibility(receiptHandle, 0);
    }
    world.after(ms, () => {
      if (!sandbox.alive || invocation.ended) return;
      world.note(sandbox.name, 'goes on');
      sandbox.thaw();
    });
  }

  /** Draws what is going to happen to a sandbox in this invocation. */
  function plan(invocation: Invocation): void {
    const { sandbox } = invocation;
    const { functionTimeoutMs } = scenario;
    const soon = () => random.between(0, random.chance(0.7) ? 400 : functionTimeoutMs);
    const struck = strikes('killAtCall') ? 'kill' : strikes('pause') ? 'pause' : undefined;
    const atTime = struck === 'pause' && random.chance(0.3);
    sandbox.lieInWait(
      struck === undefined || atTime
        ? undefined
        : {
            call: random.below(random.chance(0.5) ? 4 : 3 + 3 * invocation.event.Records.length),
            sent: random.chance(0.5),
            strike: () => (struck === 'kill' ? kill(sandbox, 'at a request') : pause(invocation)),
          },
    );
    if (atTime) world.after(soon(), () => pause(invocation));
    if (strikes('killAtTime')) world.after(soon(), () => invocation.ended || kill(sandbox, 'at any time'));
    if (strikes('clockJumps')) jump(sandbox, clockOffset());
    if (strikes('clockWrong')) {
      oracle.clockWentWrong();
      jump(sandbox, random.pick([-1, 1]) * random.between(1, 20) * scenario.skewMs);
    }
    const lateMs = strikes('killLate') ? random.between(0, 3) * functionTimeoutMs : 0;
    if (lateMs > 0) invocation.paused = true;
    world.after(functionTimeoutMs + lateMs, () => {
      if (invocation.ended) return;
      stats.timeouts++;
      if (sandbox.waitsForNothing) oracle.problem(14, `${sandbox.name} timed out, and there was nothing to wait for`);
      kill(sandbox, 'timed out');
    });
  }

  function jump(sandbox: Sandbox, offset: number): void {
    world.after(random.between(0, scenario.functionTimeoutMs), () => {
      world.note(sandbox.name, 'its clock is set to', `${Math.round(offset)} ms from ours`);
      const before = sandbox.clock();
      sandbox.setClock(Math.round(offset));
      const invocation = current.get(sandbox)?.invocation;
      if (invocation !== undefined) invocation.clockMovedMs += Math.abs(sandbox.clock() - before);
    });
  }

  function invoke(event: LambdaEvent, done: (outcome: Outcome, invocation: Invocation) => void): void {
    const warm = random.chance(0.85) ? idle.splice(random.below(idle.length), 1)[0] : undefined;
    const { sandbox, handler } = warm ?? start();
    const deadline = world.time + scenario.functionTimeoutMs;
    const invocation: Invocation = {
      name: `i${++invocations}`,
      sandbox,
      event,
      deadline,
      paused: false,
      clockMovedMs: 0,
      ended: false,
    };
    world.note(
      sandbox.name,
      warm ? 'is invoked with' : 'starts with',
      event.http?.body ?? event.Records.map(shortOf).join(' '),
    );
    stats.invocations++;
    const end = (outcome: Outcome) => {
      if (invocation.ended) return;
      invocation.ended = true;
      current.delete(sandbox);
      oracle.concluded?.(invocation, outcome);
      if (sandbox.alive) {
        sandbox.lieInWait(undefined);
        sandbox.freeze();
        if (idle.length < mostIdle) idle.push({ sandbox, handler });
        else sandbox.kill();
      }
      done(outcome, invocation);
    };
    current.set(sandbox, { invocation, end });
    oracle.invoked?.(invocation);
    sandbox.thaw();
    plan(invocation);
    // What ends before it has answered says nothing, and an answer that comes while it stands still comes when it goes on.
    const answer = (outcome: Outcome) => sandbox.deliver(() => end(outcome));
    sandbox.deliver(() =>
      handler(event, { getRemainingTimeInMillis: () => Math.floor(deadline - world.time) }).then(
        (response) => answer({ outcome: 'answered', response }),
        (error: unknown) => answer({ outcome: 'failed', error }),
      ),
    );
  }

  return {
    get running() {
      return current.size;
    },
    invoke,
    invocationOf: (sandbox) => current.get(sandbox)?.invocation,
    kill,
  };
}

const shortOf = ({ messageId, attributes }: LambdaEvent['Records'][number]) =>
  `${messageId}(${attributes.ApproximateReceiveCount})`;
