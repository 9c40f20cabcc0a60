import { bodyField, type MessageKey, messageAttribute, messageId } from 'pawl/internal';
import type { DeadLetter, DeadLettersSeen, Operator } from 'pawl/operate';
import { type Io, type Line, UsageError } from './command.ts';
import { openAccount } from './open-account.ts';
import { age, plural, printJson, progress, Table } from './output.ts';

/** `pawl dlq`. @returns 1 if there is a dead letter */
export async function deadLetters(line: Line, io: Io): Promise<number> {
  if (line.positionals.length > 0) throw new UsageError('pawl dlq takes no names. Name a queue with --queue.');
  const account = await openAccount(line, { io });
  let count = 0;
  try {
    for (const { deadLetterUrl } of await account.deadLetters()) {
      const seen = await lookAt(line, io, account.operate, deadLetterUrl);
      const letters = seen.letters.filter((letter) => isWanted(line, letter));
      count += letters.length;
      if (line.flag('json')) {
        for (const letter of letters) printJson(io, { kind: 'letter', queueUrl: seen.queueUrl, ...letter });
        const { letters: _, ...queue } = seen;
        printJson(io, { kind: 'queue', ...queue, shown: letters.length });
      } else printLetters(io, seen, letters);
    }
  } finally {
    account.close();
  }
  return count > 0 ? 1 : 0;
}

/** Looks at one queue, as the command line says. @throws UsageError; AWS's error */
export async function lookAt(line: Line, io: Io, operate: Operator, queueUrl: string): Promise<DeadLettersSeen> {
  const operation = line.text('operation');
  const key = keyOf(line);
  if ((key === undefined) !== (operation === undefined)) throw new UsageError('--operation and --key go together.');
  const looking = progress(io, 'dead letters seen');
  try {
    const left = () => `The messages of ${queueUrl} that it has seen stay hidden for a minute at most.`;
    return await io.ending.during({ left }, (signal) =>
      operate.deadLetters({
        queueUrl,
        operation,
        key,
        most: line.count('most'),
        bodies: line.flag('bodies'),
        onProgress: ({ seen, of }) => looking.at(seen, of),
        signal,
      }),
    );
  } finally {
    looking.end();
  }
}

/** Whether a letter has the reason, and the id, that the command line asks for. */
export function isWanted(line: Line, { reason = 'none', messageId: id }: DeadLetter): boolean {
  const ids = line.texts('message');
  return (line.text('reason') ?? reason) === reason && (ids.length === 0 || ids.includes(id));
}

/** @throws UsageError */
function keyOf(line: Line): MessageKey<unknown> | undefined {
  const where = line.text('key');
  if (where === undefined) return undefined;
  const [kind, name = ''] = [where.split(':', 1)[0], where.slice(where.indexOf(':') + 1)];
  if (where === 'message-id') return messageId();
  if (kind === 'body' && name !== '' && name !== where) return bodyField(name);
  if (kind === 'attribute' && name !== '' && name !== where) return messageAttribute(name);
  throw new UsageError(`--key: expected body:<path>, attribute:<name> or message-id; got '${where}'.`);
}

function statusOf({ claim, claimId, claimIsForeign }: DeadLetter): string {
  if (claimIsForeign) return 'foreign';
  return claim?.status ?? (claimId === undefined ? 'not known' : 'not there');
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
  const { unseen, groups, maxReceiveCount } = seen;
  io.out.line(`${plural(letters.length, 'message')} shown, of about ${seen.approximateNumber}.`);
  if (unseen > 0)
    io.out.line(
      `About ${unseen} could not be seen: they are hidden, behind others of their message group, or more than --most.`,
    );
  if (groups.length > 0)
    io.out.line(`While this looked, ${plural(groups.length, 'message group')} of the queue was blocked.`);
  if (maxReceiveCount !== undefined) {
    io.out.line(
      `The queue has a redrive policy of its own: after ${plural(maxReceiveCount, 'receive')}, looks included, SQS moves a message on.`,
    );
  }
}
