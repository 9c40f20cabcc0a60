import type { DeadLetter, DeadLettersSeen, DiscardResult, Operator, RedriveResult } from 'pawl/operate';
import { type Io, type Line, UsageError } from './command.ts';
import { perhapsHidden } from './hidden-keys.ts';
import { keyAt, keyForms } from './letter-key.ts';
import { type DeadLetterPlace, type OpenAccount, withAccount } from './open-account.ts';
import type { Values } from './option.ts';
import type { account as accountOptions, letters as letterOptions } from './options.ts';
import { age, plural, printJson, progress, Table } from './output.ts';

/** What every command about dead letters reads. */
export interface LettersGiven extends Values<typeof accountOptions>, Values<typeof letterOptions> {
  readonly json: boolean;
}

interface Given extends LettersGiven {
  readonly bodies: boolean;
}

/** `pawl dlq`. @returns 1 if there is a dead letter */
export async function deadLetters({ options }: Line<Given>, io: Io): Promise<number> {
  return withAccount(options, { io }, async (account) => {
    let count = 0;
    for (const { deadLetterUrl } of await account.deadLetters(options)) {
      const seen = await lookAt(options, io, account.operate, deadLetterUrl);
      const letters = seen.letters.filter((letter) => isWanted(options, letter));
      count += letters.length;
      if (options.json) {
        for (const letter of letters) printJson(io, { kind: 'letter', queueUrl: seen.queueUrl, ...letter });
        const { letters: _, ...queue } = seen;
        printJson(io, { kind: 'queue', ...queue, shown: letters.length });
      } else printLetters(io, seen, letters);
      sayUnfound(options, io, account, letters);
    }
    return count > 0 ? 1 : 0;
  });
}

/** The letters that the command line asks for, of each queue that has any. @throws UsageError; AWS's error */
export async function* eachQueue(
  options: LettersGiven,
  io: Io,
  account: OpenAccount,
  to?: string,
): AsyncGenerator<
  { readonly from: string; readonly letters: readonly DeadLetter[] } & Pick<DeadLetterPlace, 'queueUrl'>
> {
  for (const { deadLetterUrl: from, queueUrl } of await account.deadLetters({ queue: options.queue, to })) {
    const seen = await lookAt(options, io, account.operate, from);
    const letters = seen.letters.filter((letter) => isWanted(options, letter));
    sayUnfound(options, io, account, letters);
    // An act on a part of what was asked for looks like one on all of it.
    const isAll = options.message.length > 0 && options.message.length === letters.length;
    if (seen.unseen > 0 && !isAll) io.error.line(`${from}: ${unseenOf(seen)} Run this again.`);
    if (letters.length > 0) yield { from, queueUrl, letters };
  }
}

/** Looks at one queue, as the command line says. @throws UsageError; AWS's error */
async function lookAt(
  { operation, key: where, most, bodies = false }: LettersGiven & Partial<Given>,
  io: Io,
  operate: Operator,
  queueUrl: string,
): Promise<DeadLettersSeen> {
  const key = keyOf(where);
  if ((key === undefined) !== (operation === undefined)) throw new UsageError('--operation and --key go together.');
  const looking = progress(io, 'dead letters seen');
  try {
    const left = () => `The messages of ${queueUrl} that it has seen stay hidden for a minute at most.`;
    return await io.ending.during({ left }, (signal) =>
      operate.deadLetters({
        queueUrl,
        operation,
        key,
        most,
        bodies,
        onProgress: ({ seen, of }) => looking.at(seen, of),
        signal,
      }),
    );
  } finally {
    looking.end();
  }
}

/** A key that finds no claim may be another one than the consumer's, and so may the table. */
function sayUnfound(
  options: LettersGiven,
  io: Io,
  { tableName }: Pick<OpenAccount, 'tableName'>,
  letters: readonly DeadLetter[],
): void {
  const count = (status: string) => letters.filter((letter) => statusOf(letter) === status).length;
  const [unfound, gone] = [count('not found'), count('not there')];
  if (unfound > 0)
    io.error.line(
      `The key of ${plural(unfound, 'message')} finds no claim: is it the consumer's? ${perhapsHidden(options)}`,
    );
  if (gone > 0)
    io.error.line(
      `The table ${tableName} does not have the claim of ${plural(gone, 'message')}: is it the consumer's?`,
    );
}

/** Whether a letter has the reason, and the id, that the command line asks for. */
function isWanted(options: LettersGiven, { reason = 'none', messageId: id }: DeadLetter): boolean {
  return (options.reason ?? reason) === reason && (options.message.length === 0 || options.message.includes(id));
}

/** What is said of a letter that stays. */
export function sayLetter(what: string, result: RedriveResult | DiscardResult): string {
  const why = result.outcome === 'stays' ? `: ${result.whyNot}` : 'error' in result ? `: ${result.error.message}` : '';
  return `${what}: ${result.messageId}: ${result.outcome}${why}`;
}

/** @throws UsageError */
function keyOf(where: string | undefined) {
  if (where === undefined) return undefined;
  const key = keyAt(where);
  if (key === undefined) throw new UsageError(`--key: expected ${keyForms}; got '${where}'.`);
  return key;
}

function statusOf({ claim, claimId, claimIsForeign, joinedBy }: DeadLetter): string {
  if (claimIsForeign) return 'foreign';
  return claim?.status ?? (claimId === undefined ? 'not known' : joinedBy === 'key' ? 'not found' : 'not there');
}

function unseenOf({ unseen }: DeadLettersSeen): string {
  return `About ${unseen} could not be seen: they are hidden, behind others of their message group, or more than --most.`;
}

function printLetters(io: Io, seen: DeadLettersSeen, letters: readonly DeadLetter[]): void {
  io.out.line(`${seen.queueUrl}`);
  if (letters.length > 0) {
    const table = new Table(io, [
      ['REASON', 16],
      ['AGE', 6],
      ['CLAIM IS', 10],
      ['MESSAGE', 36],
      ['CLAIM', 32],
      ['ERROR', 0],
    ]);
    for (const letter of letters) {
      const { reason = '(moved by SQS)', sentAt, claimId, messageId: id, error, body } = letter;
      table.row(reason, age(Date.now() - sentAt), statusOf(letter), id, claimId ?? '?', error);
      if (body !== undefined) table.row(`  ${body}`);
    }
  }
  const { groups, maxReceiveCount } = seen;
  io.out.line(`${plural(letters.length, 'message')} shown, of about ${seen.approximateNumber}.`);
  if (seen.unseen > 0) io.out.line(unseenOf(seen));
  if (groups.length > 0)
    io.out.line(`While this looked, ${plural(groups.length, 'message group')} of the queue was blocked.`);
  if (maxReceiveCount !== undefined) {
    io.out.line(
      `The queue has a redrive policy of its own: after ${plural(maxReceiveCount, 'receive')}, looks included, SQS moves a message on.`,
    );
  }
}
