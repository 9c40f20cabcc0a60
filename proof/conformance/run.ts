import { setTimeout as sleep } from 'node:timers/promises';
import {
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
} from '@aws-sdk/client-sqs';
import { record } from '../../lib/rehearsal/engine/app/template.ts';
import { messagesIn } from '../../lib/rehearsal/engine/servers/sqs-local.ts';
import { deadLettersNameOf, queueNameOf, templateOf } from './apps.ts';
import type { Case, CaseApp, SentMessage } from './case.ts';
import type { Engine, StartEngine } from './engine.ts';
import { type Journal, startJournal } from './journal.ts';
import { outcomeOf } from './outcome.ts';

/** Apart, so that the cold starts of all cases do not come at once. */
const apartMs = 700;
const mostMs = 120_000;
const perRequest = 10;

/** The outcome of each case, by its name. */
export type Outcomes = ReadonlyMap<string, string>;

/** Deploys the apps into an engine, and runs all of their cases beside each other. */
export async function runCases(
  start: StartEngine,
  apps: readonly CaseApp[],
  say: (text: string) => void,
): Promise<Outcomes> {
  await using stopping = new AsyncDisposableStack();
  const journal = stopping.adopt(await startJournal(), (server) => server.stop());
  const stacks = Object.fromEntries(apps.map((app) => [app.name, templateOf(app, journal.endpoint)]));
  const engine = stopping.use(await start(stacks, say));
  const cases = apps.flatMap((app) => app.cases.map((one) => ({ app, one })));
  say(`${cases.length} cases`);
  const outcomes = await Promise.all(
    cases.map(async ({ app, one }, index): Promise<[string, string]> => {
      await sleep(index * apartMs);
      return [one.name, await runCase(engine, journal, app, one)];
    }),
  );
  return new Map(outcomes);
}

async function runCase(engine: Engine, journal: Journal, app: CaseApp, one: Case): Promise<string> {
  const queue = queueNameOf(app, one);
  const sentAt = Date.now();
  await sendAll(engine, app, one);
  const left = await drain(engine, queue);
  const dead = await deadLetters(engine, deadLettersNameOf(app, one));
  const outcome = outcomeOf(one, { sentAt, batches: journal.batchesFrom(queue), dead });
  return left === 0 ? outcome : `${outcome} · left: ${left}`;
}

async function sendAll(engine: Engine, app: CaseApp, one: Case): Promise<void> {
  const QueueUrl = engine.urlOf(queueNameOf(app, one));
  const began = Date.now();
  const times = [...Map.groupBy(one.sends, ({ afterMs = 0 }) => afterMs)].toSorted(([a], [b]) => a - b);
  for (const [afterMs, messages] of times) {
    await sleep(Math.max(0, began + afterMs - Date.now()));
    for (let start = 0; start < messages.length; start += perRequest) {
      const Entries = messages.slice(start, start + perRequest).map((message, index) => entryOf(message, index));
      const { Failed = [] } = await engine.client.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
      if (Failed.length > 0) throw new Error(`SQS refused a message of ${one.name}: ${Failed[0]?.Message}`);
    }
  }
}

function entryOf(message: SentMessage, index: number): SendMessageBatchRequestEntry {
  const { id, does = [], says, text, kind, group, deduplicationId = id } = message;
  return {
    Id: String(index),
    MessageBody: text ?? JSON.stringify({ id, does, ...says }),
    ...(kind === undefined ? {} : { MessageAttributes: { kind: { DataType: 'String', StringValue: kind } } }),
    ...(group === undefined ? {} : { MessageGroupId: group, MessageDeduplicationId: deduplicationId }),
  };
}

/** Waits until the queue is empty at two looks: between them, a message may be on its way to the dead letters. Returns how many are left. */
async function drain(engine: Engine, queue: string): Promise<number> {
  const until = Date.now() + mostMs;
  let empty = 0;
  for (;;) {
    const left = messagesIn(await engine.depth(queue));
    empty = left === 0 ? empty + 1 : 0;
    if (empty === 2) return 0;
    if (Date.now() >= until) return left;
    await sleep(1_000);
  }
}

/** The ids of the dead letters, in the order of the queue. They are deleted: of a FIFO queue, a receive closes the groups that it takes from. */
async function deadLetters({ client, urlOf }: Engine, name: string): Promise<readonly string[]> {
  const QueueUrl = urlOf(name);
  const ids: string[] = [];
  for (;;) {
    const receive = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 1 });
    const { Messages = [] } = await client.send(receive);
    if (Messages.length === 0) return ids;
    for (const { Body = '', ReceiptHandle } of Messages) {
      ids.push(idIn(Body));
      await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    }
  }
}

function idIn(body: string): string {
  return body.startsWith('{') ? String(record(JSON.parse(body))['id']) : body;
}
