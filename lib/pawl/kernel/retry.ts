import { errorKind } from './error-kind.ts';
import { isSetupError } from './errors.ts';
import { type Host, sleep } from './host.ts';
import { answeredBy, isNoAnswer, NoAnswerError } from './request.ts';

/** How a pause grows: it doubles with every failure, from `firstMs` up to `mostMs`. Both in milliseconds. */
export interface Pauses {
  readonly firstMs: number;
  readonly mostMs: number;
}

/** The pauses between two tries of a request to a store. */
const ofRequests: Pauses = { firstMs: 50, mostMs: 2000 };

/**
 * How long to wait before the next try, in milliseconds: the one formula of pawl. Spread by half in both directions, so that
 * workers which failed together do not come back together.
 *
 * @param failures how many tries have failed before the one that has just failed
 */
export function pauseMs(host: Pick<Host, 'random'>, failures: number, { firstMs, mostMs } = ofRequests): number {
  return Math.min(mostMs, firstMs * 2 ** failures) * (0.5 + host.random());
}

/** How long a request is tried. */
export interface RetryPolicy {
  /** How long one try may take, in milliseconds: an SDK without time-outs waits for ever, and a lease does not. */
  readonly requestMs: number;
  /** When the caller stops waiting, in epoch milliseconds: for a request under way, and for the next try. */
  readonly until: number;
  /** How often the request is sent at most. @default no limit but `until` */
  readonly tries?: number | undefined;
  /** @default 50 ms, growing to 2 s */
  readonly pauses?: Pauses;
}

/** How many refusals in a row are no reason to wait: each of them usually means that another worker was faster. */
const refusalsAtOnce = 5;

/** The tries of one request, or of one change: counts what failed, and waits before the next try. */
export class Retry {
  readonly #host: Pick<Host, 'now' | 'after' | 'random'>;
  readonly #policy: RetryPolicy;
  #failures = 0;
  #refusals = 0;
  /** What the store said last: worth more to a reader than that it said nothing at the end. */
  #said: { readonly error: unknown } | undefined;

  constructor(host: Pick<Host, 'now' | 'after' | 'random'>, policy: RetryPolicy) {
    this.#host = host;
    this.#policy = policy;
  }

  /** When a try that begins at `now` is given up. Both in epoch milliseconds. */
  tryUntil(now: number): number {
    return Math.min(this.#policy.until, now + this.#policy.requestMs);
  }

  /**
   * Follows a write that was refused because the record has changed. A store that refuses every write would be asked without a pause.
   *
   * @throws NoAnswerError if there is no time left
   */
  async pauseAfterRefusal(): Promise<void> {
    this.#refusals += 1;
    if (this.#refusals < refusalsAtOnce) return;
    await this.pauseAfter(new NoAnswerError(`the store has refused ${this.#refusals} writes in a row`));
  }

  /** Waits before the next try. @throws the store's last error, if there is no time or no try left, or if it is an OptionError */
  async pauseAfter(error: unknown): Promise<void> {
    // A mistake in the set-up does not pass: its author would wait for the same message.
    if (errorKind(error) === 'option') throw error;
    const { until, tries = Infinity, pauses } = this.#policy;
    if (!isNoAnswer(error)) this.#said = { error };
    const waitMs = pauseMs(this.#host, this.#failures, pauses);
    this.#failures += 1;
    if (this.#failures >= tries || this.#host.now() + waitMs >= until) throw this.#said ? this.#said.error : error;
    await sleep(this.#host, waitMs);
  }
}

/**
 * Sends a request until it succeeds.
 *
 * @throws what `send` threw last, or NoAnswerError, once the policy allows no further try; SetupError at once
 */
export async function insist<T>(host: Host, send: () => Promise<T>, policy: RetryPolicy): Promise<T> {
  const retry = new Retry(host, policy);
  for (;;) {
    const now = host.now();
    try {
      return await answeredBy(host, retry.tryUntil(now), send(), { now });
    } catch (error) {
      // An operator has to change something first.
      if (isSetupError(error)) throw error;
      await retry.pauseAfter(error);
    }
  }
}
