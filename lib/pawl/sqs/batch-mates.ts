import type { Runnable } from './delivery.ts';

/** What a message has to do with those of its batch that came before it. */
export type Encounter<One> =
  /** None of them has its key. */
  | { readonly kind: 'first' }
  /** `original`, the first of them with its key, has its intent too: the message shares the outcome of that one. */
  | { readonly kind: 'repeat'; readonly original: One }
  /**
   * `predecessor`, the last of them with its key, has another intent. The message asks the store itself, once that one has ended: only the
   * record says which of the two intents the key belongs to.
   */
  | { readonly kind: 'other-intent'; readonly predecessor: One };

/** The messages of one batch that share a key. */
interface SameKey<One> {
  last: One;
  /** Made for the second of them: most messages are alone with their key. */
  byIntent: Map<string | undefined, One> | undefined;
}

/** What tells a message from the others of its batch. */
export type Mate = Pick<Runnable<unknown>, 'identity' | 'fingerprint'>;

/** Finds the messages of one batch that have the same key. */
export class BatchMates<One extends Mate> {
  readonly #byId = new Map<string, SameKey<One>>();

  /** Takes note of a message. @returns what it has to do with those that came before */
  meet(one: One): Encounter<One> {
    const { identity, fingerprint } = one;
    const known = this.#byId.get(identity.id);
    if (known === undefined) {
      this.#byId.set(identity.id, { last: one, byIntent: undefined });
      return first;
    }
    known.byIntent ??= new Map([[known.last.fingerprint, known.last]]);
    const original = known.byIntent.get(fingerprint);
    if (original !== undefined) return { kind: 'repeat', original };
    const predecessor = known.last;
    known.last = one;
    known.byIntent.set(fingerprint, one);
    return { kind: 'other-intent', predecessor };
  }
}

const first = { kind: 'first' } as const;
