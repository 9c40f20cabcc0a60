import { errorKind } from '../kernel/error-kind.ts';
import type { Host } from '../kernel/host.ts';
import type { HidingHost } from '../kernel/key-hash.ts';
import { boundedText, partsOf } from '../kernel/name.ts';
import { canonicalValue } from '../payload/fingerprint.ts';
import { identify, type KeyValue, longestEffectKey } from '../rules/identity.ts';
import type { Attributes } from '../rules/record.ts';
import { type LineMark, noPlace } from '../rules/stated.ts';

/** One line of a provider's statement: an effect that the provider has applied. */
export interface StatementLine {
  /** The claim's effect key, as the provider was given it. Give this or `key`. With neither, the effect has no claim. */
  readonly effectKey?: string | undefined;
  /** The claim's key. Needed where the effect key is a hash, because the key is long or not plain ASCII. */
  readonly key?: KeyValue;
  /** When the provider applied the effect, in epoch milliseconds. */
  readonly at: number;
  /** What is compared with the claim's `attributes` of the same names: an amount, a currency. Texts and numbers. */
  readonly facts?: Attributes | undefined;
  /** The provider's own id of this line, such as `txn_17`. Without it, two lines are the same if they say the same. */
  readonly id?: string | undefined;
  /** Where the provider's list goes on after this line. A later attempt then gets it as `after`, and is given only the lines behind it. */
  readonly cursor?: string | undefined;
}

/** A line as a run works with it. Whatever the statement gave, this can be compared, named and stored. */
export interface ReadableLine extends StatementLine {
  /** Why it cannot be read, if it cannot. What it says is left out then, but for what can be. */
  readonly unreadable?: string | undefined;
}

const unreadableKey = 'its key is no well-formed text and no safe integer';

/** What a line is about. */
export type LineSubject =
  | { readonly kind: 'claim'; readonly id: string; readonly effectKey: string }
  /** An effect that the provider was not given a key of pawl for. */
  | { readonly kind: 'no-key' }
  /** An effect of another operation. */
  | { readonly kind: 'other-operation' }
  /** Its time is no time, or its key says nothing that can be looked up. */
  | { readonly kind: 'unreadable'; readonly why: string };

/** @param isKnown whether a hashed effect key is the id of a claim: only then it is known which claim it is */
export function subjectOf(line: ReadableLine, operation: string, host: Pick<Host, 'sha256'>): LineSubject {
  if (line.unreadable !== undefined) return { kind: 'unreadable', why: line.unreadable };
  if (!Number.isFinite(line.at)) return { kind: 'unreadable', why: 'its time is no number of milliseconds' };
  const { key, effectKey } = line;
  if (key !== undefined && key !== null) {
    try {
      const identity = identify(operation, key, host);
      return { kind: 'claim', id: identity.id, effectKey: identity.effectKey };
    } catch {
      return { kind: 'unreadable', why: unreadableKey };
    }
  }
  if (effectKey === undefined || effectKey === '') return { kind: 'no-key' };
  const [ofOperation, keyOfClaim, ...more] = partsOf(effectKey);
  if (ofOperation !== operation) return { kind: 'other-operation' };
  if (keyOfClaim === undefined) {
    return { kind: 'unreadable', why: 'its effect key is a hash, from which no claim can be found: give its key' };
  }
  if (effectKey.length > longestEffectKey)
    return { kind: 'unreadable', why: "its effect key is longer than any of pawl's" };
  if (more.length > 0) return { kind: 'unreadable', why: "its effect key is a step's: give the key of the claim" };
  return { kind: 'claim', id: effectKey, effectKey };
}

/** A line whose key is hidden, where the consumer hides keys: it is about the claim of the hash, and nothing keeps the key. @throws OptionError without the secret */
export function withHiddenKey(line: ReadableLine, operation: string, host: HidingHost): ReadableLine {
  const { key, ...others } = line;
  if (host.hide === undefined || key === undefined || key === null) return line;
  try {
    return { ...others, effectKey: identify(operation, key, host).effectKey };
  } catch (error) {
    if (errorKind(error) !== 'invalid-message') throw error;
    return { ...others, unreadable: unreadableKey };
  }
}

/** Longer ids of lines are hashed: every write of the claim carries the mark. */
const longestId = 128;

/** Which line this is. */
export function markOf(line: StatementLine, run: string, position: number, host: Pick<Host, 'sha256'>): LineMark {
  const { id, at, facts = {} } = line;
  const isId = id !== undefined && id !== '';
  const text = isId ? String(id) : `${at} ${canonicalValue(facts)}`;
  return { line: boundedText(text, longestId, host), isId, run, position };
}

/** A line in the name of a finding. Two parts: an id may be the very text of a line without one. */
export function partsOfMark({ line, isId }: LineMark): readonly string[] {
  return [isId ? 'id' : 'says', line];
}

/** What tells a line from every other one of its statement, also where no claim does: without an id, its key is part of it. */
export function nameOf(line: StatementLine, host: Pick<Host, 'sha256'>): string {
  const { line: mark, isId } = markOf(line, '', noPlace, host);
  if (isId) return mark;
  const { key = null, effectKey = null } = line;
  return `sha256:${host.sha256(JSON.stringify([mark, key === null ? null : String(key), effectKey]))}`;
}

/** A fact of which claim and statement say something else. */
export interface Difference {
  readonly name: string;
  readonly here: string | number | undefined;
  readonly there: string | number;
}

/**
 * What a line and the attributes of its claim say differently. A claim without attributes is compared with nothing: it was made before its author kept any.
 *
 * @param tolerance by name, by how much two numbers may differ
 */
export function differencesOf(
  { facts = {} }: StatementLine,
  attributes: Attributes | undefined,
  tolerance: Readonly<Record<string, number>>,
): readonly Difference[] {
  if (attributes === undefined) return [];
  return Object.entries(facts).flatMap(([name, there]) => {
    const here = attributes[name];
    const within =
      typeof here === 'number' && typeof there === 'number' && Math.abs(here - there) <= (tolerance[name] ?? 0);
    return here === there || within ? [] : [{ name, here, there }];
  });
}
