import { BlockList, isIP } from 'node:net';
import { list, record } from './app/template.ts';

/*
 * Patterns of EventBridge, as the filters of event source mappings have them: every name of a pattern has to be in the event, and one
 * of the values of its list has to match.
 */

type Json = Readonly<Record<string, unknown>>;

/** Whether an event matches a pattern. @throws Error if the pattern has a comparison that a rehearsal does not know */
export function matchesPattern(pattern: Json, event: unknown): boolean {
  return matchesAmong(pattern, event, [event]);
}

/** @param all the objects of a list, of which `event` is one: of a name that any of them has, EventBridge does not say that it is absent */
function matchesAmong(pattern: Json, event: unknown, all: readonly unknown[]): boolean {
  return Object.entries(pattern).every(([name, wanted]) => {
    if (name === '$or') return list(wanted).some((one) => matchesAmong(record(one), event, all));
    const values = valuesOf(event, name);
    const ofAll = all.flatMap((one) => valuesOf(one, name));
    if (!Array.isArray(wanted)) {
      return orNone(values).some((value) => matchesAmong(record(wanted), value, ofAll));
    }
    const leaves = orNone(values.filter(isLeaf));
    return wanted.some((one) =>
      record(one)['exists'] === false ? !ofAll.some(isLeaf) : leaves.some((value) => matchesValue(one, value)),
    );
  });
}

/** A list in the event matches if one of its items does, also a list of objects: the Records of an event of S3. */
function valuesOf(event: unknown, name: string): readonly unknown[] {
  const found = record(event)[name];
  if (found === undefined) return [];
  return Array.isArray(found) ? found.flat(Number.POSITIVE_INFINITY) : [found];
}

/** What is not there is compared as well: a comparison that is not known must not pass for one that does not match. */
function orNone(values: readonly unknown[]): readonly unknown[] {
  return values.length === 0 ? [undefined] : values;
}

/** What has names inside is no value. For EventBridge it is not there: it does not exist, and is not anything but something. */
function isLeaf(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}

function matchesValue(wanted: unknown, value: unknown): boolean {
  if (typeof wanted !== 'object' || wanted === null) return wanted === value;
  const [[comparison, operand] = ['', undefined]] = Object.entries(wanted);
  switch (comparison) {
    case 'exists':
      return (value !== undefined) === operand;
    case 'prefix':
      return ofText(value, operand, (text, part) => text.startsWith(part));
    case 'suffix':
      return ofText(value, operand, (text, part) => text.endsWith(part));
    case 'equals-ignore-case':
      return typeof value === 'string' && value.toLowerCase() === String(operand).toLowerCase();
    case 'wildcard':
      return typeof value === 'string' && matchesWildcard(String(operand), value);
    case 'numeric':
      return typeof value === 'number' && matchesNumeric(list(operand), value);
    case 'cidr':
      return typeof value === 'string' && isWithin(value, String(operand));
    case 'anything-but':
      return value !== undefined && !isAmong(operand, value);
    default:
      throw new Error(`A filter compares with ${comparison}, which a rehearsal does not know.`);
  }
}

/** A prefix or a suffix may itself say that it ignores the case. */
function ofText(value: unknown, operand: unknown, compare: (text: string, part: string) => boolean): boolean {
  if (typeof value !== 'string') return false;
  const part = record(operand)['equals-ignore-case'];
  return part === undefined
    ? compare(value, String(operand))
    : compare(value.toLowerCase(), String(part).toLowerCase());
}

function isAmong(operand: unknown, value: unknown): boolean {
  if (Array.isArray(operand)) return operand.includes(value);
  if (typeof operand !== 'object' || operand === null) return operand === value;
  const [[comparison, inner] = ['', undefined]] = Object.entries(operand);
  return (Array.isArray(inner) ? inner : [inner]).some((one) => matchesValue({ [comparison]: one }, value));
}

function matchesWildcard(pattern: string, text: string): boolean {
  // A backslash makes an asterisk of an asterisk, and a backslash of a second one.
  const parts = pattern.match(/\\[*\\]|./gs) ?? [];
  const expression = parts.map((part) =>
    part === '*' ? '.*' : (part.at(-1) ?? '').replace(/[.*+?^${}()|[\]\\]/, '\\$&'),
  );
  return new RegExp(`^${expression.join('')}$`, 's').test(text);
}

function isWithin(address: string, range: string): boolean {
  const [start = '', bits] = range.split('/');
  const [family, wanted] = [isIP(address), isIP(start)];
  if (family === 0 || family !== wanted) return false;
  const type = family === 4 ? 'ipv4' : 'ipv6';
  const within = new BlockList();
  within.addSubnet(start, Number(bits ?? (family === 4 ? 32 : 128)), type);
  return within.check(address, type);
}

function matchesNumeric(comparisons: readonly unknown[], value: number): boolean {
  for (let index = 0; index < comparisons.length; index += 2) {
    if (!compares(String(comparisons[index]), value, Number(comparisons[index + 1]))) return false;
  }
  return true;
}

function compares(comparison: string, value: number, limit: number): boolean {
  switch (comparison) {
    case '=':
      return value === limit;
    case '>':
      return value > limit;
    case '>=':
      return value >= limit;
    case '<':
      return value < limit;
    case '<=':
      return value <= limit;
    default:
      throw new Error(`A filter compares numbers with ${comparison}, which a rehearsal does not know.`);
  }
}
