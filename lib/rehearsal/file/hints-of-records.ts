import { about, type Case, type Facts, isLookedAt, type Rule } from './hint-rule.ts';
import type { Entry, StoreWrite } from './journal.ts';
import { short } from './story.ts';

/* What can be wrong with what an app remembers by: its key, how long it lives, where it is looked for, and who else has the effect. */

/** One invocation for an intent, and what it did for it. */
interface Attempt {
  readonly construct: string;
  readonly message: string | undefined;
  /** The records that it wrote, or tried to, if anything looks at them. */
  readonly records: Set<string>;
  applied: number;
}

/** The invocations for the intent of a case, in their order. @param counts whether a record of this function matters */
function attemptsOf(
  { intent, entries }: Pick<Case, 'intent' | 'entries'>,
  counts: (write: StoreWrite, construct: string) => boolean = () => true,
): readonly Attempt[] {
  const attempts: Attempt[] = [];
  const current = new Map<string, Attempt>();
  for (const entry of entries) {
    if (entry.kind === 'began') {
      const message = entry.messages.get(intent);
      const attempt: Attempt = { construct: entry.construct, message, records: new Set(), applied: 0 };
      attempts.push(attempt);
      current.set(entry.sandbox, attempt);
    }
    const attempt = 'sandbox' in entry ? current.get(entry.sandbox ?? '') : undefined;
    if (attempt === undefined || !entry.intents.includes(intent)) continue;
    if (entry.kind === 'stored' && counts(entry.write, attempt.construct)) {
      attempt.records.add(`${entry.write.table} ${entry.write.key}`);
    }
    if (entry.kind === 'called' && entry.result === 'applied') attempt.applied += 1;
  }
  return attempts;
}

/**
 * Whether each copy wrote under a key of its own, although no key shows the intent: it is that of its message, or no two messages met at one record. A key may
 * also be hidden, as a hash. Then the records of a batch do not say which is about what.
 */
export function areCopiesApart(one: Pick<Case, 'intent' | 'entries'>): boolean {
  const attempts = attemptsOf(one).filter(({ records }) => records.size > 0);
  if (attempts.every(isOfMessage)) return true;
  const firsts = new Map<string, string>();
  const meets = ({ message, records }: Attempt) => {
    if (message === undefined) return false;
    for (const record of records) if (!firsts.has(record)) firsts.set(record, message);
    return [...records].some((record) => firsts.get(record) !== message);
  };
  return !sharesRecords(one) && !attempts.some(meets);
}

/** Whether a record has the id of the message in its key. */
function isOfMessage({ message, records }: Attempt): boolean {
  return message !== undefined && [...records].some((record) => record.includes(message));
}

/** A record is one that is seen whole: of those that a batch shares, it is not known which is about what. */
function sharesRecords({ entries }: Pick<Case, 'entries'>): boolean {
  return entries.some((entry) => entry.kind === 'stored' && !entry.isNamed && entry.intents.length > 1);
}

/** Under which keys the attempts of a function wrote their records. */
type Keys = 'shared' | 'of-the-message' | 'made-anew' | 'unknown';

function keysOf(one: Case, facts: Facts): Keys {
  // Of an effect that is counted in a table, its rows matter, whether or not anything looks at them.
  const table = facts.tableOf(one.effect);
  const counts = (write: StoreWrite, construct: string) => write.table === table || isLookedAt(write, construct, facts);
  const attempts = attemptsOf(one, counts);
  const effective = attempts.filter(({ applied }) => applied > 0);
  const at = new Set((effective.length > 0 ? effective : attempts).map(({ construct }) => construct));
  if (sharesRecords(one)) return 'unknown';
  const writing = attempts.filter(({ construct, records }) => at.has(construct) && records.size > 0);
  if (writing.length < 2) return 'unknown';
  const seen = new Set<string>();
  for (const { records } of writing) {
    if ([...records].some((record) => seen.has(record))) return 'shared';
    for (const record of records) seen.add(record);
  }
  // Of an effect that is counted in a table, only what is written there matters.
  if (table !== undefined && ![...seen].some((record) => record.startsWith(`${table} `))) return 'unknown';
  return writing.every(isOfMessage) ? 'of-the-message' : 'made-anew';
}

const isDoubled = ({ problem }: Case) => problem === 'doubled';

/** Whether an effect was doubled although the function would have found its record: it had not expired, and no index hid it. */
const isFound = (one: Case) => isDoubled(one) && !hasExpired(one) && !isForgotten(one) && !wasHidden(one);

/** Each delivery writes under a key of its own. */
export const keyMadeAnew: Rule = (facts, cases) =>
  about(
    'key-made-anew',
    facts.hasClaims ? [] : cases.filter((one) => isFound(one) && keysOf(one, facts) === 'made-anew'),
    'Each delivery writes its record under another key: one that is made anew, such as a random id or the time. None finds the record of the one before. Derive the key from what the message says.',
  );

/** Each copy writes under the key of its message. */
export const keyOfTheCopy: Rule = (facts, cases) =>
  about(
    'key-of-the-copy',
    facts.hasClaims ? [] : cases.filter((one) => isFound(one) && keysOf(one, facts) === 'of-the-message'),
    'It was sent more than once, and the key of its record is the id of the message, which differs from copy to copy. Take the key from what the copies share.',
  );

/** A fault that the story of a case has, before the effect happened for the last time. */
function struckBefore({ entries }: Case, isIt: (entry: Extract<Entry, { kind: 'struck' }>) => boolean): boolean {
  const last = entries.findLastIndex(
    (entry) => (entry.kind === 'called' && entry.result === 'applied') || entry.kind === 'stored',
  );
  return entries.slice(0, Math.max(0, last)).some((entry) => entry.kind === 'struck' && isIt(entry));
}

const hasExpired = (one: Case) => isDoubled(one) && struckBefore(one, ({ gone }) => gone === 'record');
/** The window matters only to a second message: one message that comes back is delivered again in any case. */
const isForgotten = (one: Case) =>
  isDoubled(one) && struckBefore(one, ({ gone }) => gone === 'deduplication-id') && hasTwoMessages(one);
const wasHidden = (one: Case) => isDoubled(one) && struckBefore(one, ({ fault }) => fault === 'indexLag');

/** Whether several messages led to an effect at one function. */
function hasTwoMessages(one: Case): boolean {
  const working = attemptsOf(one).filter(({ applied, records }) => applied > 0 || records.size > 0);
  const byFunction = Map.groupBy(working, ({ construct }) => construct);
  return [...byFunction.values()].some((attempts) => new Set(attempts.map(({ message }) => message)).size > 1);
}

/** The record was gone when the message came back. */
export const recordExpired: Rule = ({ consumers }, cases) => {
  const days = Math.max(0, ...consumers.map(({ queue }) => queue.retentionSeconds)) / 86_400;
  return about(
    'record-expired',
    cases.filter(hasExpired),
    `Its record had expired when the message came back: a queue keeps a message for up to ${Number(days.toFixed(2))} days here, and its dead-letter queue for longer. Let the record live longer than both.`,
  );
};

/** A FIFO queue recognises a deduplication id for five minutes, and no longer. */
export const windowHasEnded: Rule = (_, cases) =>
  about(
    'deduplication-window',
    cases.filter(
      (one) =>
        isForgotten(one) ||
        (isDoubled(one) &&
          one.entries.some((entry) => entry.kind === 'asked' && entry.how.includes('after the deduplication window'))),
    ),
    'It was sent again after the deduplication window: a FIFO queue forgets a deduplication id after 5 minutes.',
  );

/** The app looked for its record where it was not to be seen yet. */
export const indexLags: Rule = (_, cases) =>
  about(
    'index-lags',
    cases.filter(wasHidden),
    'The function looks in an index for what it has done, and an index lags: it did not show the record yet. Ask the table itself, by its key and with ConsistentRead, or write with a condition.',
  );

/** Several functions have the effect, each once for what was asked. */
export const twoConsumers: Rule = (_, cases) => {
  const shared = cases.filter(isShared);
  const names = new Set(shared.flatMap((one) => [...effectsBy(one).keys()]).map(short));
  return about(
    'two-consumers',
    shared,
    `${[...names].join(' and ')} each have the effect: each gets a copy of the message. If they are to have an effect each, count them apart, by \`intent\` of the provider.`,
  );
};

/** How often each function had the effect. */
function effectsBy(one: Case): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const { construct, applied } of attemptsOf(one)) {
    if (applied > 0) times.set(construct, (times.get(construct) ?? 0) + applied);
  }
  return times;
}

function isShared(one: Case): boolean {
  const asked = one.entries.filter(({ kind }) => kind === 'asked').length;
  const times = [...effectsBy(one).values()];
  return isDoubled(one) && times.length > 1 && asked === 1 && times.every((count) => count === 1);
}

/** Whether a rule of this file knows why the memory of an app did not help. */
export function isExplained(one: Case, facts: Facts): boolean {
  const keys = keysOf(one, facts);
  return (
    keys === 'made-anew' ||
    keys === 'of-the-message' ||
    hasExpired(one) ||
    isForgotten(one) ||
    wasHidden(one) ||
    isShared(one)
  );
}
