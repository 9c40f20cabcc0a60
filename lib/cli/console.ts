import { userInfo } from 'node:os';
import { readProgress } from 'pawl/locks';
import { settleFindings } from 'pawl/statements';
import { clientConfig } from './client-config.ts';
import { type Io, type Line, UsageError } from './command.ts';
import { cloudWatchHistory } from './console/cloudwatch-history.ts';
import type { Desk } from './console/routes.ts';
import { startConsole } from './console/server.ts';
import { type DeadLetterPlace, type OpenAccount, withAccount } from './open-account.ts';
import type { Values } from './option.ts';
import type { account as accountOptions } from './options.ts';
import { queueUrlOf } from './queue-url.ts';
import { remediesIn } from './settle-findings.ts';

interface Given extends Values<typeof accountOptions> {
  readonly queue: readonly string[];
  readonly write: boolean;
  readonly port: number | undefined;
  readonly namespace: string;
  readonly work: readonly string[];
  readonly remedies: string | undefined;
}

/** `pawl console`. @returns 0 when the operator ends it */
export async function serveConsole({ options }: Line<Given>, io: Io): Promise<number> {
  const { write, port, namespace, work: works, remedies } = options;
  const loaded = remedies === undefined ? undefined : await remediesIn(remedies);
  // Its acts are reported on the standard error, one line of JSON each.
  return withAccount(options, { io }, async (account) => {
    if (works.length > 0 && account.dynamoStore === undefined)
      throw new UsageError('--work: what forEachItem has done is kept in DynamoDB, and not in a database.');
    const queues = await queuesOf(options.queue, account);
    const running = await startConsole({
      desks: new Map([[account.tableName, deskOf(account, loaded, io)]]),
      works,
      title: options.stack ?? account.tableName,
      write,
      user: userInfo().username,
      queues: queues.map(({ deadLetterUrl: url, queueUrl: to }) => ({
        url,
        name: url.slice(url.lastIndexOf('/') + 1),
        to,
      })),
      port,
      history: await cloudWatchHistory({
        config: clientConfig(options),
        namespace,
      }),
    });
    io.out.line(`${running.url}`);
    io.error.line(
      `The link opens the console${write ? ', which can write,' : ', which only reads,'} in one browser. Ctrl-C ends it.`,
    );
    // What an operator has begun on the page ends first.
    const left = () => 'What was begun on the page is done or not: start the console again, and look.';
    await io.ending.during({ left, serves: true }, async (signal) => {
      await aborted(signal);
      await running.stop();
    });
    return 0;
  });
}

function deskOf(
  { operate, findings, locks, store, dynamoStore, identity }: OpenAccount,
  remedies: Awaited<ReturnType<typeof remediesIn>> | undefined,
  io: Io,
): Desk {
  return {
    ...{ operate, findings, locks },
    settlement:
      remedies &&
      settleFindings({
        ...{ ...remedies, store, identity },
        onEvent: ({ type, ...facts }) => io.error.line(JSON.stringify({ pawl: type, ...facts })),
      }),
    progressOf: dynamoStore && ((id, work) => readProgress({ store: dynamoStore, id, work })),
  };
}

async function queuesOf(
  named: readonly string[],
  { sqs, stackDeadLetters }: OpenAccount,
): Promise<readonly DeadLetterPlace[]> {
  const ofStack = stackDeadLetters();
  if (named.length === 0) return ofStack;
  const urls = await Promise.all(named.map((name) => queueUrlOf(sqs, name)));
  return urls
    .filter((url) => url !== undefined)
    .map(
      (url) =>
        ofStack.find(({ deadLetterUrl }) => deadLetterUrl === url) ?? { deadLetterUrl: url, queueUrl: undefined },
    );
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
