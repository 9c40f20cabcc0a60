import type { NamesOf } from '../kernel/unknown-option.ts';
import type { Clock } from './clock.ts';
import {
  type Answer,
  type Delivered,
  type Delivery,
  type Sent,
  type SweptMessage,
  settle,
  type Traffic,
  waitingLong,
} from './traffic.ts';

/**
 * What a caller makes of an answer. `done`: the effect has happened. `again`: it asks again. `refused`: it gives up, for good. `parked`: it
 * gives up, because somebody has to find out.
 */
export type CallerVerdict = 'done' | 'again' | 'refused' | 'parked';

/** Callers of a function: each sends its request again until it gets a final answer. */
export interface CallerOptions {
  /**
   * Makes what the handler is given of a message: an event of HTTP, for instance. Called for every attempt.
   * @param attempt from 1
   * @default the message's body
   */
  readonly event?: (message: SweptMessage, attempt: number) => unknown;
  /**
   * What a caller makes of what the handler returned. What it threw is a 502 to a caller: it asks again.
   * @default by the `statusCode` of a response, or the `outcome` of what `once` returned; anything else means that it is done
   */
  readonly understands?: (answer: unknown, message: SweptMessage) => CallerVerdict;
  /**
   * How long a caller waits for an answer, in milliseconds. Then it asks again, while the first invocation may still be under way.
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

export const callerDefaults = { timeoutMs: 29_000, attempts: 12 } as const;

/** A request, and where its caller stands. */
interface Request extends Sent {
  /** When it is sent next; while it is under way, when the caller gives that attempt up. */
  dueAt: number;
  underWay: boolean;
}

interface Asking extends CallerOptions {
  readonly messages: readonly SweptMessage[];
  readonly delivery: Delivery;
  readonly longestWaitMs: number;
}

/** Callers that ask again: each with one request, in an invocation of its own. */
export function createCallers(clock: Clock, options: Asking): Traffic {
  const { messages, delivery, event = ({ body }) => structuredClone(body), understands = understood } = options;
  const { timeoutMs = callerDefaults.timeoutMs, attempts = callerDefaults.attempts } = options;
  const late = delivery === 'long-wait' ? waitingLong(messages) : undefined;
  const all = messages.map(
    (message, index): Request => ({
      number: index + 1,
      message,
      receives: 0,
      wasSeen: true,
      dueAt: late?.has(message) ? clock.now() + options.longestWaitMs : 0,
      underWay: false,
    }),
  );

  function askAgain(one: Request): void {
    one.underWay = false;
    one.dueAt = clock.now() + Math.min(60_000, 1000 * 2 ** (one.receives - 1));
    if (one.receives >= attempts) settle(one, 'stuck');
  }

  const waiting = () => all.filter(({ fate }) => fate === undefined);
  const giveUpTheLate = () => {
    for (const one of waiting()) if (one.underWay && one.dueAt <= clock.now()) askAgain(one);
  };

  /** In turn: whoever has begun to ask comes to an end before the next begins. */
  const asking = () => (delivery === 'in-turn' ? waiting().slice(0, 1) : waiting());

  return {
    all,
    nextAt: () => Math.min(...asking().map(({ dueAt }) => dueAt)),
    isEmpty: () => waiting().length === 0,
    receive(): Delivered | undefined {
      giveUpTheLate();
      const one = asking().find(({ underWay, dueAt }) => !underWay && dueAt <= clock.now());
      if (one === undefined) return undefined;
      one.receives++;
      one.underWay = true;
      one.dueAt = clock.now() + timeoutMs;
      const story = `is asked for request ${one.number}, attempt ${one.receives}`;
      return { all: [one], event: event(one.message, one.receives), story, attempt: one.receives };
    },
    conclude(delivered: Delivered, answer: Answer): string | undefined {
      const one = all.find((other) => delivered.all.includes(other));
      giveUpTheLate();
      // The caller has given this attempt up, and does not hear what came of it.
      if (one === undefined || one.fate !== undefined) return undefined;
      if (!one.underWay || one.receives !== delivered.attempt) return undefined;
      const verdict = answer.kind === 'returned' ? understands(answer.value, one.message) : 'again';
      if (verdict === 'done') settle(one, 'acknowledged');
      else if (verdict === 'again') askAgain(one);
      else settle(one, 'dead-lettered', verdict);
      return `answers request ${one.number}: ${verdict}`;
    },
  };
}

/** What of an answer says whether it is final. */
interface Answered {
  readonly statusCode?: unknown;
  readonly body?: unknown;
  readonly outcome?: unknown;
}

/** The outcomes of `once`, as its caller has to take them. */
const outcomes: Readonly<Record<string, CallerVerdict>> = {
  completed: 'done',
  'in-flight': 'again',
  'in-doubt': 'again',
  rejected: 'refused',
  'key-reused': 'refused',
  parked: 'parked',
};

/** Statuses of 4xx that ask to be asked again. */
const later: readonly number[] = [408, 409, 425, 429];

/** What a well-behaved client makes of an answer. */
function understood(answer: unknown): CallerVerdict {
  if (typeof answer !== 'object' || answer === null) return 'done';
  const { outcome, statusCode, body }: Answered = answer;
  if (typeof outcome === 'string' && outcome in outcomes) return outcomes[outcome] ?? 'done';
  if (statusCode === undefined) return 'done';
  const status = Number(statusCode);
  if (status >= 200 && status < 400) return 'done';
  if (reasonOf(body) === 'parked') return 'parked';
  return later.includes(status) || !(status >= 400 && status < 500) ? 'again' : 'refused';
}

/** The `reason` of problem details, which tells a parked claim from one in flight. */
function reasonOf(body: unknown): unknown {
  try {
    return JSON.parse(String(body)).reason;
  } catch {
    return undefined;
  }
}
