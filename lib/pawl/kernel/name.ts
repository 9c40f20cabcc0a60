import type { Host } from './host.ts';
import { bytesOf } from './text.ts';

/**
 * Names that are made of parts: ids of records, effect keys, deduplication ids, places of an index.
 *
 * Owns: how parts are joined, and what stands in place of a name that is too long. Does not own: which parts a name has. Its maker does, and
 * test/pawl/kernel/name.test.ts has a list of all makers.
 *
 * 1. Two lists of parts have two names. What separates parts is escaped inside a part, so a part never ends early.
 * 2. A name says how many parts it has. So makers whose names have different numbers of parts, or another first part, have no name in common.
 * 3. A part that is a hash says so, and no other part reads like that.
 *
 * A name is read by people: an ordinary part stands in it as it is.
 */

const separator = '#';
const hashMark = 'sha256:';
/** What DynamoDB takes as a partition key, in bytes. Other stores take as much. */
const longestId = 2048;

/** Neither sign is in an ordinary key, nor in what `encodeURIComponent` makes of any text but for `~`. */
const escapes: readonly (readonly [string, string])[] = [
  ['~', '~0'],
  [separator, '~1'],
];
/** A part that begins like a hash, and is none. */
const likeHash = 'sha256~2';

function escaped(part: string): string {
  const text = escapes.reduce((escapedSoFar, [sign, by]) => escapedSoFar.replaceAll(sign, by), part);
  return text.startsWith(hashMark) ? `${likeHash}${text.slice(hashMark.length)}` : text;
}

function unescaped(part: string): string {
  const text = part.startsWith(likeHash) ? `${hashMark}${part.slice(likeHash.length)}` : part;
  return escapes.reduceRight((soFar, [sign, by]) => soFar.replaceAll(by, sign), text);
}

/** The name of these parts, however long: `send-email#order-17`. How the name of a part begins is how the name with the whole part begins. */
export function joined(parts: readonly string[]): string {
  return parts.map(escaped).join(separator);
}

/** A name with one part more. */
export function extended(name: string, part: string): string {
  return `${name}${separator}${escaped(part)}`;
}

/** The parts of a name. `undefined` stands for one of which only the hash is known. */
export function partsOf(name: string): readonly (string | undefined)[] {
  return name.split(separator).map((part) => (part.startsWith(hashMark) ? undefined : unescaped(part)));
}

/**
 * The name of these parts, in bounds: one that does not fit has the hash of its last parts in their place.
 *
 * @param kept the parts that are never hashed: what tells the name from other kinds, and lists it among its own
 * @param rest the other parts
 * @param fits whether a name is in bounds
 * @default a name fits that DynamoDB takes as a partition key
 */
export function boundedName(
  kept: readonly string[],
  rest: readonly string[],
  host: Pick<Host, 'sha256'>,
  fits: (name: string) => boolean = (name) => bytesOf(name) <= longestId,
): string {
  const plain = joined([...kept, ...rest]);
  return fits(plain) ? plain : hashedTail(joined(kept), joined(rest), host);
}

/** A name whose last parts are hashed. @param rest those parts, joined */
export function hashedTail(kept: string, rest: string, host: Pick<Host, 'sha256'>): string {
  return `${kept}${separator}${hashMark}${host.sha256(rest)}`;
}

/** Whether a part of a name is the hash of what stood there. */
export function isHashed(part: string): boolean {
  return part.startsWith(hashMark);
}

/** A text of at most so many characters: a longer one is its hash, and so is one that begins like a hash. */
export function boundedText(text: string, most: number, host: Pick<Host, 'sha256'>): string {
  return text.length > most || isHashed(text) ? `${hashMark}${host.sha256(text)}` : text;
}

/** What an operation may be named. */
export const operationPattern: RegExp = /^[!"$-~]{1,128}$/;

/**
 * How the operations of a producer's own claims begin. They are kept apart from the consumer's: a key whose sending is completed would be taken there for
 * an effect that has happened. An intent is no key: a producer may use one text for both.
 */
export const producersOperations = { keys: 'send:', intents: 'send-intent:' } as const;

/** How the operations of the claims begin that wait for the end of an execution. */
export const executionsOperation = 'execution:';

/**
 * The kinds of items that pawl keeps beside the claims of a table, and of places in its index. Their names begin with an empty part, which no claim's
 * does: an operation has a name.
 */
export type OwnKind =
  | 'resource'
  | 'lock'
  | 'work'
  | 'locks'
  | 'statement'
  | 'finding'
  | 'findings'
  | 'remedies'
  | 'unstated'
  | 'observed'
  | 'restored'
  | 'open-claims';

/** The first parts of a name of pawl's own. */
export function ownParts(kind: OwnKind, ...parts: readonly string[]): readonly string[] {
  return ['', kind, ...parts];
}
