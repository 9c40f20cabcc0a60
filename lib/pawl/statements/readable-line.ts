import type { Host } from '../kernel/host.ts';
import type { KeyValue } from '../kernel/key.ts';
import { bytesOf } from '../kernel/text.ts';
import type { Attributes } from '../rules/record.ts';
import type { ReadableLine, StatementLine } from './line.ts';

/** A line is kept in its finding, and what tells it from others in the note of its run. Both are items of a table, which hold 400 KB. */
const mostBytes = 16_384;

/**
 * A line of a statement, or what stands for one that is none: an unreadable one. A provider's export may hold anything, and thrown from here, one line would
 * end every run.
 */
export function readableLine(given: unknown, host: Pick<Host, 'sha256'>): ReadableLine {
  try {
    return read(given);
  } catch (thrown) {
    const why = thrown instanceof Unreadable ? thrown.message : 'it cannot be read: a getter of it throws';
    return { at: timeOf(given), id: idIn(given, host), cursor: cursorOf(given), unreadable: why };
  }
}

/** Says why a line cannot be read. Never leaves this file. */
class Unreadable extends Error {}

function read(given: unknown): StatementLine {
  if (typeof given !== 'object' || given === null) throw new Unreadable(`it is no object, but ${nameOfType(given)}`);
  const { key, effectKey, id, facts } = given as Partial<Record<keyof StatementLine, unknown>>;
  const line = {
    at: timeOf(given),
    ...(isThere(key) && { key: keyOf(key) }),
    ...(isThere(effectKey) && { effectKey: textIn('effect key', effectKey) }),
    ...(isThere(id) && { id: textIn('id', typeof id === 'number' ? String(id) : id) }),
    ...(facts !== undefined && { facts: factsOf(facts) }),
  };
  if (bytesOf(JSON.stringify(line)) > mostBytes) throw new Unreadable(`it is longer than ${mostBytes} bytes`);
  return { ...line, cursor: cursorOf(given) };
}

function isThere(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function keyOf(key: unknown): KeyValue {
  if (typeof key === 'string' ? key.isWellFormed() : Number.isSafeInteger(key)) return key as KeyValue;
  throw new Unreadable('its key is no well-formed text and no safe integer');
}

function textIn(what: string, value: unknown): string {
  if (typeof value === 'string' && value.isWellFormed()) return value;
  throw new Unreadable(`its ${what} is no ${typeof value === 'string' ? 'well-formed text' : 'text'}`);
}

/** The id of an unreadable line: its own, if that can be read; or what tells it from other ones. */
function idIn(given: unknown, host: Pick<Host, 'sha256'>): string {
  try {
    const { id } = given as { readonly id?: unknown };
    if (typeof id === 'string' && id !== '' && id.isWellFormed() && id.length <= mostBytes) return id;
  } catch {
    // What it says as a whole is left.
  }
  return `sha256:${host.sha256(textOf(given))}`;
}

/** NaN where it is no time: the line is unreadable then, and is not taken for one outside of the window. */
function timeOf(given: unknown): number {
  try {
    const { at } = given as { readonly at?: unknown };
    return typeof at === 'number' && Number.isFinite(at) ? at : Number.NaN;
  } catch {
    return Number.NaN;
  }
}

/** A cursor that cannot be kept is none: a later attempt then counts lines. */
function cursorOf(given: unknown): string | undefined {
  try {
    const { cursor } = given as { readonly cursor?: unknown };
    return typeof cursor === 'string' && bytesOf(cursor) <= mostBytes ? cursor : undefined;
  } catch {
    return undefined;
  }
}

function factsOf(facts: unknown): Attributes {
  if (typeof facts !== 'object' || facts === null || Array.isArray(facts)) {
    throw new Unreadable(`its facts are ${nameOfType(facts)}; expected an object of texts and numbers`);
  }
  for (const [name, value] of Object.entries(facts)) {
    if (typeof value === 'string' || (typeof value === 'number' && Math.abs(value) < 2 ** 53)) continue;
    const shown = typeof value === 'number' ? 'a number that is not exact' : nameOfType(value);
    throw new Unreadable(`its fact ${name.slice(0, 64)} is ${shown}; expected a text or a number`);
  }
  return { ...facts };
}

function nameOfType(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `a value of type ${typeof value}`;
}

/** What tells an unreadable line from another one, as far as that can be told. Never throws. */
function textOf(given: unknown): string {
  try {
    const text: string | undefined = JSON.stringify(given, (_, value: unknown) =>
      typeof value === 'bigint' ? `${value}n` : value,
    );
    return text ?? typeof given;
  } catch {
    return typeof given;
  }
}
