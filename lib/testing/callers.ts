import type { NamesOf } from 'pawl/kernel';
import { type CallerVerdict, verdictOf, verdictOfError } from './caller-verdict.ts';
import type { Clock } from './clock.ts';
import {
  type Delivered,
  type Delivery,
  type InvocationResult,
  type Sent,
  type SweptMessage,
  settle,
  type Traffic,
  waitingLong,
} from './traffic.ts';

/**
 * Callers of a function: each sends its request again until it gets a final response.
 *
 * @example
 * const callers: CallerOptions = {
 *   event: ({ body }) => ({ requestContext: { http: { method: 'POST' } }, rawPath: '/orders', body: JSON.stringify(body) }),
 *   timeoutMs: 10_000,
 * };
 */
export interface CallerOptions {
  /**
   * Makes what the handler gets of a message: an event of HTTP, for instance. Called for every attempt.
   * @param attempt from 1
   * @default the message's body
   */
  readonly event?: (message: SweptMessage, attempt: number) => unknown;
  /**
   * What a caller makes of what the handler returned. An error of the handler is a 502 to a caller: it asks again. Not after an error with which a function
   * of `once` says that the call is over: `RejectedError`, `InDoubtError` and `ResultNotKeptError`.
   * @default by the `statusCode` of a response, or the `outcome` of what `f.outcome` of `once` returned; anything else means that it is done
   */
  readonly understands?: (response: unknown, message: SweptMessage) => CallerVerdict;
  /**
   * How long a caller waits for a response, in milliseconds. Then it asks again, while the first invocation may still be under way.
   * @default 29000, as API Gateway does
   */
  readonly timeoutMs?: number;
  /**
   * How often a caller asks, before it is stuck. It waits a second before the second time, then twice as long each time, at most a minute.
   * @default 12
   */
  readonly attempts?: number;
}

export const callerOptionNames = {
  event: true,
  understands: true,
  timeoutMs: true,
  attempts: true,
} as const satisfies NamesOf<CallerOptions>;

const callerDefaults = { timeoutMs: 29_000, attempts: 12 } as const;

const firstWaitMs = 1000;
const longestPauseMs = 60_000;

/** A request, and where its caller stands. */
interface Request extends Sent {
  /** When it is sent next. While it is under way: when its caller gives that attempt up. */
  dueAt: number;
  underWay: boolean;
}

interface Asking extends CallerOptions {
  readonly messages: readonly SweptMessage[];
  readonly delivery: Delivery;
  readonly longestWaitMs: number;
}

export const createCallers = (clock: Clock, options: Asking): Traffic => new Callers(clock, options);

/** Callers that ask again: each with one request, in an invocation of its own. */
class Callers implements Traffic {
  readonly all: readonly Request[];
  readonly #clock: Clock;
  readonly #delivery: Delivery;
  readonly #options: Required<CallerOptions>;

  constructor(clock: Clock, { messages, delivery, longestWaitMs, ...options }: Asking) {
    this.#clock = clock;
    this.#delivery = delivery;
    this.#options = {
      event: options.event ?? (({ body }) => structuredClone(body)),
      understands: options.understands ?? verdictOf,
      timeoutMs: options.timeoutMs ?? callerDefaults.timeoutMs,
      attempts: options.attempts ?? callerDefaults.attempts,
    };
    const late = delivery === 'long-wait' ? waitingLong(messages) : undefined;
    this.all = messages.map(
      (message, index): Request => ({
        number: index + 1,
        message,
        receives: 0,
        wasSeen: true,
        dueAt: late?.has(message) ? clock.now() + longestWaitMs : 0,
        underWay: false,
      }),
    );
  }

  isEmpty(): boolean {
    return this.#waiting().length === 0;
  }

  nextAt(): number {
    return Math.min(...this.#asking().map(({ dueAt }) => dueAt));
  }

  receive(): Delivered | undefined {
    this.#giveUpTheLate();
    const one = this.#asking().find(({ underWay, dueAt }) => !underWay && dueAt <= this.#clock.now());
    if (one === undefined) return undefined;
    one.receives++;
    one.underWay = true;
    one.dueAt = this.#clock.now() + this.#options.timeoutMs;
    const story = `is asked for request ${one.number}, attempt ${one.receives}`;
    return { all: [one], event: this.#options.event(one.message, one.receives), story, attempt: one.receives };
  }

  conclude(delivered: Delivered, result: InvocationResult): string | undefined {
    const one = this.all.find((other) => delivered.all.includes(other));
    this.#giveUpTheLate();
    // The caller has given this attempt up, and does not learn how it ended.
    if (one === undefined || one.fate !== undefined) return undefined;
    if (!one.underWay || one.receives !== delivered.attempt) return undefined;
    const verdict = this.#verdict(result, one.message);
    if (verdict === 'done') settle(one, 'acknowledged');
    else if (verdict === 'again') this.#askAgain(one);
    else settle(one, 'dead-lettered', verdict);
    return `responds to request ${one.number}: ${verdict}`;
  }

  #verdict(result: InvocationResult, message: SweptMessage): CallerVerdict {
    switch (result.kind) {
      case 'returned':
        return this.#options.understands(result.value, message);
      case 'threw':
        return verdictOfError(result.error);
      case 'died':
        return 'again';
    }
  }

  #waiting(): readonly Request[] {
    return this.all.filter(({ fate }) => fate === undefined);
  }

  /** In turn: a caller that has begun to ask comes to an end before the next begins. */
  #asking(): readonly Request[] {
    return this.#delivery === 'in-turn' ? this.#waiting().slice(0, 1) : this.#waiting();
  }

  #giveUpTheLate(): void {
    for (const one of this.#waiting()) if (one.underWay && one.dueAt <= this.#clock.now()) this.#askAgain(one);
  }

  #askAgain(one: Request): void {
    one.underWay = false;
    one.dueAt = this.#clock.now() + Math.min(longestPauseMs, firstWaitMs * 2 ** (one.receives - 1));
    if (one.receives >= this.#options.attempts) settle(one, 'stuck');
  }
}
