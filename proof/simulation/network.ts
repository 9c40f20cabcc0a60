import type { Sandbox } from './lambda/sandbox.ts';
import type { World } from './world/world.ts';

/** What may happen to one try of a request. */
export type Trouble =
  | 'throttled'
  | 'conflict'
  | 'failed'
  | 'failed-applied'
  | 'answer-lost'
  | 'request-lost'
  | 'request-late';

export interface Request<T> {
  /** For the story. */
  readonly what: string;
  /** Draws what happens to the next try. */
  readonly trouble: () => Trouble | undefined;
  /** What the service says when this request meets a transaction. */
  readonly conflict?: () => Error;
  /** Carries it out, in the service. @throws what the service answers */
  readonly serve: () => T;
  /**
   * After which the SDK gives a try up, in milliseconds; `Infinity` for a client without time-outs.
   * @default 3000, which `lib/pawl/stores/dynamodb` sets for its own client
   */
  readonly timeoutMs?: number | undefined;
  /** Hears of an answer when it arrives, before the process does. */
  readonly heard?: (answer: { readonly value: T } | { readonly error: unknown }) => void;
}

const usualTimeoutMs = 3000;

/**
 * The way of a request through the AWS SDK to a service and back, tries of the SDK's own included: what was applied and is
 * not answered is sent again by itself, and meets what it has done.
 */
export function request<T>(world: World, sandbox: Sandbox, tries: number, { what, ...way }: Request<T>): Promise<T> {
  const { random, note } = world;
  const { timeoutMs = usualTimeoutMs } = way;

  return sandbox.call<T>(({ resolve, reject }) => {
    function attempt(left: number): void {
      const trouble = way.trouble();
      const outMs = random.between(1, 15);
      const backMs = random.between(1, 15);
      note(sandbox.name, what, trouble);

      function fail(error: Error, ms: number, isFinal = false): void {
        if (ms === Infinity) return;
        sandbox.after(ms, () => {
          if (isFinal || left === 1) settle({ error });
          else sandbox.after(random.between(10, 200), () => attempt(left - 1));
        });
      }

      function settle(answer: { readonly value: T } | { readonly error: unknown }): void {
        way.heard?.(answer);
        if ('value' in answer) resolve(answer.value);
        else reject(answer.error);
      }

      function carryOut(): void {
        let answer: { readonly value: T } | { readonly error: unknown };
        try {
          answer = { value: way.serve() };
        } catch (error) {
          answer = { error };
        }
        const isAwaited = trouble === undefined || (trouble === 'request-late' && timeoutMs === Infinity);
        if (isAwaited) world.after(backMs, () => sandbox.deliver(() => settle(answer)));
      }

      /** It hears no answer by itself: sooner or later it gives up. */
      const givesUpMs = () => (random.chance(0.5) ? outMs + backMs : timeoutMs);

      switch (trouble) {
        case 'throttled':
          fail(named('ThrottlingException'), outMs + backMs);
          break;
        case 'conflict':
          fail(way.conflict?.() ?? named('TransactionConflictException'), outMs + backMs, true);
          break;
        case 'failed':
          fail(named('InternalServerError'), outMs + backMs);
          break;
        case 'failed-applied':
          world.after(outMs, carryOut);
          fail(named('InternalServerError'), outMs + backMs);
          break;
        case 'answer-lost':
          world.after(outMs, carryOut);
          fail(named('TimeoutError'), givesUpMs());
          break;
        case 'request-lost':
          fail(named('TimeoutError'), givesUpMs());
          break;
        case 'request-late':
          world.after(random.between(100, 12_000), carryOut);
          fail(named('TimeoutError'), timeoutMs);
          break;
        default:
          world.after(outMs, carryOut);
      }
    }
    attempt(tries);
  });
}

export function named(name: string): Error {
  return Object.assign(new Error(`${name}, simulated`), { name });
}
