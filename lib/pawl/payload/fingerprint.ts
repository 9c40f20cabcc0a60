import { explained } from '../kernel/error-code.ts';
import { errorKind } from '../kernel/error-kind.ts';
import type { Host } from '../kernel/host.ts';
import { propertyOf } from '../kernel/unknown.ts';
import { haveSeen, unseenOf } from './ignored-paths.ts';

/**
 * A payload has no canonical form. The message says what is in the way and where, by path; never a value.
 *
 * @example
 * try {
 *   canonicalValue({ amount: Number.NaN });
 * } catch (error) {
 *   if (error instanceof FingerprintError) console.error(error.message); // says what is in the way, and where
 * }
 */
export class FingerprintError extends Error {
  override readonly name = 'FingerprintError';
  /** @internal */
  readonly 'pawl.error' = 'fingerprint';
  constructor(message: string) {
    super(explained(message, 'no-fingerprint'));
  }
}

/**
 * Deep enough for any message, and far from the end of the stack: a limit that depends on how much of it the caller has
 * left would refuse a message at one delivery and take it at the next. It also ends the walk through a cycle.
 */
const mostLevels = 500;

/**
 * Finds what JSON.parse may round. A double tells any two numbers of at most 15 digits apart, unless they are very large
 * or very small. Digits inside a string are found as well: then the exact way is taken for nothing.
 */
const inexact = /[\d.]{16}|e[+-]?\d{3}/i;

/**
 * The canonical text of a JSON document: equal for documents that mean the same, different for documents that do not. Numbers are
 * compared by all their digits, so what the parser would round stays apart. `docs/reference/fingerprint.md` has the rules.
 *
 * @param ignored paths of fields that change without changing the meaning: `'traceId'`, `'meta.sentAt'`,
 *   `'items.*.updatedAt'`, where `*` is every element of an array or every field of an object
 * @throws FingerprintError when the text is not JSON, or is nested deeper than 500 levels
 * @example
 * canonicalJson('{ "price": 1.90, "id": 7 }') // {"id":7,"price":1.9}
 */
export function canonicalJson(text: string, ignored: readonly string[] = []): string {
  try {
    return canonicalDocument(text, JSON.parse(text), ignored);
  } catch (error) {
    // The parser's own message quotes the text.
    throw errorKind(error) === 'fingerprint' ? error : new FingerprintError('not JSON, or nested too deeply');
  }
}

/**
 * As `canonicalJson`, of a document that was parsed already: it is parsed once more only where that may have lost digits.
 *
 * @param parsed what `JSON.parse(text)` made
 * @throws FingerprintError when it is nested deeper than 500 levels; RangeError when that was too deep to look for its digits
 */
export function canonicalDocument(text: string, parsed: unknown, ignored: readonly string[]): string {
  return canonical(inexact.test(text) ? JSON.parse(text, keepDigits) : parsed, ignored);
}

/**
 * The canonical text of a JavaScript value: that of its JSON, with none of JSON's silence. What JSON would drop, empty
 * or round is refused, unless it is ignored. What a getter or a `toJSON` throws is passed on.
 *
 * @param ignored as for `canonicalJson`
 * @throws FingerprintError for functions, symbols, NaN, Infinity, integers beyond 2^53 that are not BigInt, invalid
 *   dates, Map, Set and other objects whose content JSON does not see, cycles, and more than 500 levels
 * @example
 * canonicalValue({ price: 19.99, at: new Date(0) }) // {"at":"1970-01-01T00:00:00.000Z","price":19.99}
 */
export function canonicalValue(value: unknown, ignored: readonly string[] = []): string {
  return canonical(value, ignored, jsonOf);
}

/**
 * The fingerprint of a canonical text. `1:` is the version of the canonical form: another one can live beside it.
 *
 * @example
 * fingerprintOf(canonicalJson(record.body, ['traceId']), host) // 1:44136fa355b3678a1146ad16f7e8649e
 */
export function fingerprintOf(canonical: string, host: Pick<Host, 'sha256'>): string {
  return `1:${host.sha256(canonical).slice(0, 32)}`;
}

/** A number in all its digits. A double would round it, and a text would be quoted. */
class ExactNumber {
  readonly digits: string;
  constructor(literal: string) {
    this.digits = exactDigits(literal);
  }
}

/** Returns what JSON has in place of a value. @throws FingerprintError, which says where the value is, if JSON has nothing for it */
type ToJson = (given: unknown, path: readonly string[]) => unknown;

/** Writes what `JSON.parse` makes, and exact numbers. `undefined` is a field that is not there. */
function canonical(root: unknown, ignored: readonly string[], toJson?: ToJson): string {
  const patterns = ignored.map((pattern) => pattern.normalize().split('.'));
  const unseen = unseenOf(ignored);
  const seen: string[] = [];
  /** Where the walk is. */
  const path: string[] = [];

  function write(given: unknown): string {
    const value = toJson ? toJson(given, path) : given;
    if (typeof value === 'string') return quoted(value);
    if (value instanceof ExactNumber) return value.digits;
    if (typeof value !== 'object' || value === null) return `${value}`;
    if (path.length >= mostLevels) throw new FingerprintError(`a cycle, or nested too deeply (at ${shown(path)})`);
    const names = Object.keys(value);
    let text = '';
    if (Array.isArray(value)) {
      for (const name of names) {
        const part = partAt(value, name);
        if (part !== undefined) text += text === '' ? part : `,${part}`;
      }
      return `[${text}]`;
    }
    if (names.every(isWord)) {
      for (const name of names.sort()) {
        const part = partAt(value, name);
        if (part !== undefined) text += text === '' ? `"${name}":${part}` : `,"${name}":${part}`;
      }
      return `{${text}}`;
    }
    const parts: string[] = [];
    for (const name of names) {
      const part = partAt(value, name);
      if (part !== undefined) parts.push(`${quoted(name)}:${part}`);
    }
    // Sorted as a whole, not by name: two names may be one once normalised, and then their order would show.
    return `{${parts.sort()}}`;
  }

  /** What is written of one field or element; nothing if it is not there, or left out. */
  function partAt(value: object, name: string): string | undefined {
    const field: unknown = value[name as keyof typeof value];
    if (field === undefined) return undefined;
    path.push(name);
    const part = isIgnored() ? undefined : write(field);
    path.pop();
    return part;
  }

  function isIgnored(): boolean {
    if (patterns.length === 0) return false;
    const place = patterns.findIndex(isHere);
    const pattern = ignored[place];
    if (pattern !== undefined && unseen?.has(pattern)) seen.push(pattern);
    return place >= 0;
  }

  function isHere(names: readonly string[]): boolean {
    return names.length === path.length && names.every((name, i) => name === '*' || name === path[i]?.normalize());
  }

  const text = write(root);
  if (unseen !== undefined) haveSeen(ignored, seen);
  return text;
}

/** What is quoted as it is: printable ASCII, which is most of what is sent, but for the quote and the backslash. */
const plain = /^[ !#-[\]-~]*$/;

/**
 * A name that sorts as its quoted form does, because no character of it comes before the quote, and that no normalisation changes. Most names are such:
 * sorted before they are written, their fields need not be copied to be compared.
 */
const word = /^[#-[\]-~]*$/;

function isWord(name: string): boolean {
  return word.test(name);
}

function quoted(text: string): string {
  // Lone surrogates are escaped here: as UTF-8, which is what is hashed, they would all be the same character.
  return plain.test(text) ? `"${text}"` : JSON.stringify(text.normalize());
}

/** As JSON.stringify sees a value, and refusing where it would drop, empty or round it. */
function jsonOf(given: unknown, path: readonly string[]): unknown {
  // Before a program's own BigInt.prototype.toJSON, which would make it a string.
  if (typeof given === 'bigint') return new ExactNumber(`${given}`);
  const toJSON = propertyOf(given, 'toJSON');
  const value: unknown = typeof toJSON === 'function' ? toJSON.call(given) : given;
  if (Array.isArray(value)) return Array.from(value, (element) => element ?? null);
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  // A number beyond 2^53 may have been rounded before it came here: two amounts would be one.
  if (typeof value === 'number' && Math.abs(value) < 2 ** 53) return value;
  // What turns itself into nothing is an invalid date, by whatever library. What is of another kind, JSON writes as `{}`.
  if (value == null ? value === given : kindOf(value) === 'Object') return value;
  const what = typeof value === 'number' ? 'a number that is NaN, infinite or beyond 2^53' : `this ${kindOf(given)}`;
  throw new FingerprintError(`${what} has no canonical form (at ${shown(path)})`);
}

/** A path, bounded: a cycle's has five hundred names. */
function shown(path: readonly string[]): string {
  return path.join('.').slice(0, 99) || 'the root';
}

function kindOf(value: unknown): string {
  return {}.toString.call(value).slice(8, -1);
}

/** The reviver that keeps what a double would lose. `JSON.parse` gives the literal of a number with it. */
function keepDigits(_name: string, value: unknown, context?: { readonly source?: string }): unknown {
  const literal = context?.source;
  return typeof value === 'number' && literal !== undefined && inexact.test(literal) ? new ExactNumber(literal) : value;
}

/** A decimal number as JavaScript writes it, where its double says it all; else all of its digits. */
function exactDigits(literal: string): string {
  const short = `${Number(literal)}`;
  const exact = normalForm(literal);
  return normalForm(short) === exact ? short : exact;
}

/** `-12.50` → `-125e-1`. Without a regular expression for the last zeros: it would take hours over a megabyte of them. */
function normalForm(literal: string): string {
  const [mantissa = '', exponent = 0] = literal.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = (whole + fraction).replace(/^(-?)0+/, '$1');
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  // BigInt, because the digits of an exponent can be lost as well.
  const power = BigInt(exponent) + BigInt(digits.length - end - fraction.length);
  return /\d/.test(digits) ? `${digits.slice(0, end)}e${power}` : '0';
}
