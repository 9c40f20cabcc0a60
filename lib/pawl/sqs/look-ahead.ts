import { freshMs, lookAt } from '../engine/acquire.ts';
import type { QueueDoor } from './consumer.ts';
import type { Delivery, Runnable } from './delivery.ts';
import { groupOf } from './in-order.ts';
import { receiveCountOf, sealedIn } from './message.ts';
import { prepare } from './prepare.ts';

/** As many as DynamoDB reads in one request. Their bodies are held until their turn. */
const mostAhead = 100;

/**
 * Looks at the claims of messages that are probably known already, ahead of their turns: a hundred are read in one request, and not as many as may run at
 * once. Known are messages that were received before; and new ones, while most of those that had their turn were duplicates of what is done. A
 * producer that runs twice sends all its messages twice, and a read costs less than a claim that is refused.
 *
 * Owns: whose claims are looked at, and when. Does not own: how long a look is decided upon (`acquire`). No claim is asked for ahead of its turn: if the
 * worker died, messages that had never begun would be in doubt.
 */
export class LookAhead<Body, One extends Delivery> {
  readonly #consumer: QueueDoor<Body>;
  readonly #until: number;
  /** Those that were not looked at yet and had no turn yet, in the order of their turns. */
  readonly #line: Set<One>;
  /** Of those that had their turn: how many were done before, less how many were new. */
  #moreDone = 0;
  readonly #ahead = new Map<One, Promise<(One & Runnable<Body>) | undefined>>();

  /** @param until when nothing is waited for any more, in epoch milliseconds */
  constructor(consumer: QueueDoor<Body>, batch: readonly One[], until: number) {
    this.#consumer = consumer;
    this.#until = until;
    // A message group is claimed one by one, and ends at its first failure. What an envelope holds is not known before it is opened.
    const line = consumer.envelopes === undefined ? batch.filter((one) => groupOf(one) === undefined) : [];
    this.#line = new Set(line.toSorted((a, b) => receiveCountOf(b.record) - receiveCountOf(a.record)));
  }

  /** Prepares a message that has its turn. @returns as `prepare` */
  prepare(one: One): Promise<(One & Runnable<Body>) | undefined> {
    if (this.#line.delete(one) && this.#isProbablyKnown(one)) this.#lookFrom(one);
    const looked = this.#ahead.get(one);
    if (looked === undefined) return prepare(this.#consumer, one, sealedIn(one.record));
    this.#ahead.delete(one);
    return this.#fresh(looked);
  }

  async #fresh(looked: Promise<(One & Runnable<Body>) | undefined>): Promise<(One & Runnable<Body>) | undefined> {
    const ready = await looked;
    // Handlers take so long that the looks are not fresh any more when they are needed: each message looks for itself from here on.
    const { host } = this.#consumer.settings;
    if (ready?.look !== undefined && host.now() - ready.look.at >= freshMs) this.#line.clear();
    return ready;
  }

  /** What the store has said of a message that had its turn: it has its claim, or it is a duplicate of what is done. */
  learn(what: 'new' | 'done'): void {
    this.#moreDone += what === 'done' ? 1 : -1;
  }

  #isProbablyKnown(one: One): boolean {
    return this.#moreDone > 0 || receiveCountOf(one.record) > 1;
  }

  #lookFrom(one: One): void {
    const looks = new Map<string, ReturnType<typeof lookAt>>();
    this.#ahead.set(one, this.#look(one, looks));
    for (const behind of this.#line) {
      if (this.#ahead.size >= mostAhead || !this.#isProbablyKnown(behind)) return;
      this.#line.delete(behind);
      this.#ahead.set(behind, this.#look(behind, looks));
    }
  }

  async #look(one: One, looks: Map<string, ReturnType<typeof lookAt>>): Promise<(One & Runnable<Body>) | undefined> {
    const ready = await prepare(this.#consumer, one, sealedIn(one.record));
    if (ready === undefined) return undefined;
    const { id } = ready.identity;
    // One request reads no key twice.
    const look = looks.get(id) ?? lookAt(this.#consumer.engine, id, this.#until);
    looks.set(id, look);
    ready.look = await look;
    return ready;
  }
}
