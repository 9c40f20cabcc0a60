import { partOf } from './template-values.ts';

/*
 * What the condition of a policy's statement says of a request, as IAM decides it. It knows two things of a request: it uses TLS, and it names items by their
 * partition keys. A condition on anything else may be met or not.
 *
 * Owns: IAM's operators on texts and sets, and its patterns. Does not own: which requests are judged (`needs.ts`), nor what follows (`policy.ts`).
 *
 * 1. `always` and `never` are certain. What is not certain is `perhaps`.
 * 2. All parts of a condition must be met. A part whose key is absent is not met, unless its operator says so: `ForAllValues` does, which is why a
 *    condition on keys is closed with `Null`.
 */

/** Whether a condition is met. */
export type Met = 'always' | 'perhaps' | 'never';

/** The partition key of an item that a request names. With `startsWith`: any key that begins so. */
export type LeadingKey = string | { readonly startsWith: string };

/** The condition key with the partition keys of the items that a request names. */
export const leadingKeysCondition = 'dynamodb:LeadingKeys';

/** What is known of a request. */
export interface AskedOf {
  readonly action: string;
  /** `undefined`: not known. */
  readonly leadingKeys: readonly LeadingKey[] | undefined;
}

/** The conditions of a statement that holds for these keys only: closed for a request that names none, and for one that also names others. */
export function onlyOnKeys(keys: readonly LeadingKey[]): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
  return {
    'ForAllValues:StringLike': { [leadingKeysCondition]: keys.map(patternOf) },
    Null: { [leadingKeysCondition]: 'false' },
  };
}

/** IAM's pattern for exactly these keys. Its own signs stand for themselves in `${…}`. */
function patternOf(key: LeadingKey): string {
  const literal = (text: string) => text.replaceAll(/[*?$]/g, (sign) => `\${${sign}}`);
  return typeof key === 'string' ? literal(key) : `${literal(key.startsWith)}*`;
}

/** The actions on tables whose requests name items by their partition keys. A scan names none, and neither does what describes a table. */
const keyOperators =
  /^dynamodb:(PartiQL(Select|Insert|Update|Delete)|Query|Batch(Get|Write)Item|(Get|Put|Update|Delete|ConditionCheck)Item)$/i;

/** Whether a request of this action names items by their partition keys. */
export function namesKeys(action: string): boolean {
  return keyOperators.test(action);
}

/** Whether the condition of a statement is met by a request. */
export function isMet(condition: unknown, request: AskedOf): Met {
  if (condition === undefined) return 'always';
  if (typeof condition !== 'object' || condition === null) return 'perhaps';
  return least(
    Object.entries(condition).flatMap(([operator, keys]) =>
      Object.entries(partOf(keys)).map(([key, wanted]) =>
        isPartMet(operator, [wanted].flat(), valuesOf(key.toLowerCase(), request)),
      ),
    ),
  );
}

/** The values of a condition key in a request; none where it is absent, `undefined` where that is not known. */
function valuesOf(key: string, { action, leadingKeys }: AskedOf): readonly LeadingKey[] | undefined {
  // Every request of the SDK and of Lambda's pollers uses it.
  if (key === 'aws:securetransport') return ['true'];
  if (key !== leadingKeysCondition.toLowerCase()) return undefined;
  return namesKeys(action) ? leadingKeys : [];
}

const operatorPattern = /^(?:(ForAllValues|ForAnyValue):)?(Null|Bool|String(Not)?(?:Equals|Like))(IfExists)?$/i;

function isPartMet(operator: string, wanted: readonly unknown[], given: readonly LeadingKey[] | undefined): Met {
  const [known, quantifier, name = '', not, ifExists] = operatorPattern.exec(operator) ?? [];
  if (known === undefined || given === undefined) return 'perhaps';
  if (name.toLowerCase() === 'null') return String(wanted[0]) === String(given.length === 0) ? 'always' : 'never';
  const isForAll = quantifier?.toLowerCase() === 'forallvalues';
  if (given.length === 0) return isForAll || ifExists !== undefined || not !== undefined ? 'always' : 'never';
  // IAM does not say what becomes of several values without a quantifier.
  if (quantifier === undefined && given.length > 1) return 'perhaps';
  const each = given.map((value) => {
    const equal = most(wanted.map((one) => (typeof one === 'object' ? 'perhaps' : isLike(value, String(one), name))));
    return not === undefined ? equal : opposite(equal);
  });
  return isForAll ? least(each) : most(each);
}

/** Whether a value is equal to a text of a policy, or matches its pattern. */
function isLike(value: LeadingKey, wanted: string, operator: string): Met {
  const pattern = partsOfPattern(wanted, /like$/i.test(operator));
  // A variable, such as a tag of the caller.
  if (pattern === undefined) return 'perhaps';
  const flags = /^bool$/i.test(operator) ? 'is' : 's';
  // What follows the known beginning is one sign that no pattern has: only `*` stands for it.
  const text = typeof value === 'string' ? value : `${value.startsWith}${rest}`;
  if (regExpOf(pattern, flags).test(text)) return 'always';
  if (typeof value === 'string') return 'never';
  const [first] = pattern;
  const head = first !== undefined && 'text' in first ? first.text : '';
  return head.startsWith(value.startsWith) || (pattern.length > 1 && value.startsWith.startsWith(head))
    ? 'perhaps'
    : 'never';
}

const rest = '\u0000';
const wild = { '*': '.*', '?': `[^${rest}]` } as const;

type PatternPart = { readonly text: string } | { readonly wild: keyof typeof wild };

/** IAM's patterns: `*` is any text, `?` any character. @param flags `i` where case does not count */
export function matches(pattern: string, text: string, flags: 'i' | ''): boolean {
  const parts = partsOfPattern(pattern, true);
  return parts !== undefined && regExpOf(parts, flags).test(text);
}

function regExpOf(pattern: readonly PatternPart[], flags: string): RegExp {
  const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(
    `^${pattern.map((part) => ('wild' in part ? wild[part.wild] : escaped(part.text))).join('')}$`,
    flags,
  );
}

/** A text of a policy in its parts. @returns undefined where one of them is a variable */
function partsOfPattern(wanted: string, hasWild: boolean): readonly PatternPart[] | undefined {
  const parts: PatternPart[] = [];
  for (const [part] of wanted.matchAll(/\$\{[^}]*\}|[*?]|[^*?$]+|\$/g)) {
    const [, sign] = /^\$\{([*?$])\}$/.exec(part) ?? [];
    if (sign === undefined && part.startsWith('${')) return undefined;
    const last = parts.at(-1);
    if (hasWild && (part === '*' || part === '?')) parts.push({ wild: part });
    else if (last !== undefined && 'text' in last) parts.splice(-1, 1, { text: `${last.text}${sign ?? part}` });
    else parts.push({ text: sign ?? part });
  }
  return parts;
}

function least(met: readonly Met[]): Met {
  return met.includes('never') ? 'never' : met.includes('perhaps') ? 'perhaps' : 'always';
}

/** Of statements, or of the values of one: one that is met is enough. */
export function most(met: readonly Met[]): Met {
  return met.includes('always') ? 'always' : met.includes('perhaps') ? 'perhaps' : 'never';
}

function opposite(met: Met): Met {
  return met === 'perhaps' ? 'perhaps' : met === 'always' ? 'never' : 'always';
}
