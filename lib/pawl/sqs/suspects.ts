import type { QueueDoor } from './consumer.ts';
import type { Delivery } from './delivery.ts';
import { suspicionOf } from './disposition.ts';

/** Between two suspects that come back because a third has killed their worker: enough not to meet in one batch. */
const apartSeconds = 2;
/** Between the first and the last of them, however many they are. */
const longestSpreadSeconds = 900;
/** How long the first suspect waits for SQS to hear of the others, in milliseconds. */
const spreadMs = 1000;

/**
 * The messages of one batch that were running when a worker died, and wait for their turn to run alone.
 *
 * Should a suspect kill the worker again, those behind it come back before it does, and finish without it. SQS is asked for that once for all that
 * wait, and not before each of them: it takes as many calls as there are tens of them.
 */
export class Suspects<Body> {
  readonly #consumer: QueueDoor<Body>;
  readonly #deadline: number;
  readonly #waiting = new Set<Delivery>();
  /** How many of them SQS does not know of yet. */
  #unknown = 0;

  constructor(consumer: QueueDoor<Body>, deadline: number) {
    this.#consumer = consumer;
    this.#deadline = deadline;
  }

  add(one: Delivery): void {
    this.#waiting.add(one);
    this.#unknown++;
  }

  /** A suspect has its turn. Resolves once SQS knows when those behind it come back, or does not answer in time. */
  async letGo(one: Delivery): Promise<void> {
    if (this.#unknown > 0 && this.#waiting.size > 1) await this.#spread();
    this.#waiting.delete(one);
  }

  async #spread(): Promise<void> {
    this.#unknown = 0;
    const { queue, settings } = this.#consumer;
    const now = settings.host.now();
    const inLine = [...this.#waiting].sort((a, b) => suspicionOf(a.disposition) - suspicionOf(b.disposition));
    const endSeconds = Math.ceil((this.#deadline - now) / 1000) + 1;
    const apart = Math.min(apartSeconds, longestSpreadSeconds / inLine.length);
    const delayed = inLine.map((one, place) => ({
      one,
      seconds: endSeconds + Math.floor((inLine.length - 1 - place) * apart),
    }));
    // An effect waits for this, so it gets a moment and no more.
    await queue.setVisibility(delayed, Math.min(this.#deadline, now + spreadMs));
  }
}
