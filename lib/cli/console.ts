import { userInfo } from 'node:os';
import { metricNamespace } from 'pawl/deployment';
import { type Io, type Line, UsageError } from './command.ts';
import { cloudWatchHistory } from './console/cloudwatch-history.ts';
import { startConsole } from './console/server.ts';
import { clientConfig, type DeadLetterPlace, type OpenAccount, openAccount } from './open-account.ts';
import { queueUrlOf } from './queue-url.ts';

/** `pawl console`. @returns 0 when the operator ends it */
export async function serveConsole(line: Line, io: Io): Promise<number> {
  if (line.positionals.length > 0) throw new UsageError('pawl console takes no names.');
  const port = line.port();
  // Its acts are reported on the standard error, one line of JSON each.
  const account = await openAccount(line, { io });
  try {
    const queues = await queuesOf(line, account);
    const running = await startConsole({
      desks: new Map([[account.tableName, { operate: account.operate, findings: account.findings }]]),
      title: line.text('stack') ?? account.tableName,
      write: line.flag('write'),
      user: userInfo().username,
      queues: queues.map(({ deadLetterUrl: url, queueUrl: to }) => ({
        url,
        name: url.slice(url.lastIndexOf('/') + 1),
        to,
      })),
      port,
      history: await cloudWatchHistory({
        config: clientConfig(line),
        namespace: line.text('namespace') ?? metricNamespace,
      }),
    });
    io.out.line(`${running.url}`);
    io.error.line(
      `The link opens the console${line.flag('write') ? ', which can write,' : ', which only reads,'} in one browser. Ctrl-C ends it.`,
    );
    // What an operator has begun on the page ends first.
    const left = () => 'What was begun on the page is done or not: start the console again, and look.';
    await io.ending.during({ left, serves: true }, async (signal) => {
      await aborted(signal);
      await running.stop();
    });
    return 0;
  } finally {
    account.close();
  }
}

async function queuesOf(line: Line, { sqs, stackDeadLetters }: OpenAccount): Promise<readonly DeadLetterPlace[]> {
  const ofStack = stackDeadLetters();
  const named = line.texts('queue');
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
