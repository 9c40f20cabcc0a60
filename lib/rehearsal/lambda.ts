import { type Outcome, type Sandbox, startSandbox } from './sandbox.ts';
import { REGION } from './template.ts';

export type { Outcome } from './sandbox.ts';

export interface FunctionDefinition {
  readonly name: string;
  /** The folder of its bundle. */
  readonly folder: string;
  /** `file.export`, as Lambda has it. */
  readonly handler: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly memoryMb?: number;
  /** How many sandboxes it may have at once; further invocations wait. */
  readonly maxSandboxes: number;
}

export interface LambdaOptions {
  /** Given to every sandbox, e.g. where the local servers are. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly onLog?: (line: string, sandbox: string) => void;
}

/** One function, as its invokers see it. */
export interface LocalFunction {
  readonly name: string;
  invoke(event: unknown): Promise<Outcome>;
}

export interface LambdaStats {
  readonly started: number;
  /** Killed through `kill`, while alive. */
  readonly killed: number;
  readonly timedOut: number;
  readonly invocations: number;
  /** Sandboxes that are handling an invocation right now. */
  readonly busy: number;
}

/** A stand-in for the Lambda service: functions in sandboxes, each a process of its own. */
export interface LambdaLocal {
  createFunction(definition: FunctionDefinition): LocalFunction;
  /** Kills a sandbox now, as a host that dies would. False when there is none of this id, or it is dead already. */
  kill(sandbox: string): boolean;
  readonly stats: LambdaStats;
  /** Kills every sandbox, frozen ones too. Invocations end as crashed; later ones fail. */
  stop(): void;
}

export function createLambda(options: LambdaOptions = {}): LambdaLocal {
  const alive = new Map<string, Sandbox>();
  const stats = { started: 0, killed: 0, timedOut: 0, invocations: 0, busy: 0 };
  let stopped = false;

  function startFor(definition: FunctionDefinition): Sandbox {
    stats.started += 1;
    // Local servers tell sandboxes apart by the access key in the signature: it is the one thing that every AWS request carries.
    const id = `SANDBOX${String(stats.started).padStart(4, '0')}`;
    const sandbox = startSandbox({
      id,
      timeoutMs: definition.timeoutMs,
      onLog: (line) => options.onLog?.(line, id),
      environment: {
        ...options.environment,
        ...definition.environment,
        _HANDLER: definition.handler,
        LAMBDA_TASK_ROOT: definition.folder,
        NODE_OPTIONS: '--enable-source-maps',
        AWS_REGION: REGION,
        AWS_ACCESS_KEY_ID: id,
        AWS_SECRET_ACCESS_KEY: 'local',
        AWS_LAMBDA_FUNCTION_NAME: definition.name,
        AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(definition.memoryMb ?? 128),
      },
    });
    alive.set(id, sandbox);
    return sandbox;
  }

  function createFunction(definition: FunctionDefinition): LocalFunction {
    const warm: Sandbox[] = [];
    const waiting: (() => void)[] = [];
    let busy = 0;

    async function seat(): Promise<void> {
      if (busy >= definition.maxSandboxes) await new Promise<void>((resolve) => waiting.push(resolve));
      else busy += 1;
    }

    function leave(sandbox: Sandbox): void {
      if (sandbox.dead) alive.delete(sandbox.id);
      else warm.push(sandbox);
      const next = waiting.shift();
      // The seat goes to the next in line, so that an invocation arriving now cannot take it and exceed the limit.
      if (next === undefined) busy -= 1;
      else next();
    }

    function warmest(): Sandbox | undefined {
      for (;;) {
        const sandbox = warm.pop();
        if (sandbox === undefined || !sandbox.dead) return sandbox;
        alive.delete(sandbox.id);
      }
    }

    async function invoke(event: unknown): Promise<Outcome> {
      await seat();
      if (stopped) throw new Error('The Lambda stand-in was stopped.');
      const sandbox = warmest() ?? startFor(definition);
      stats.invocations += 1;
      stats.busy += 1;
      const outcome = await sandbox.invoke(event);
      stats.busy -= 1;
      if (outcome.kind === 'timed-out') stats.timedOut += 1;
      leave(sandbox);
      return outcome;
    }

    return { name: definition.name, invoke };
  }

  return {
    createFunction,
    kill(id) {
      const killed = alive.get(id)?.kill() ?? false;
      if (killed) stats.killed += 1;
      return killed;
    },
    stats,
    stop() {
      stopped = true;
      for (const sandbox of alive.values()) sandbox.kill();
    },
  };
}
