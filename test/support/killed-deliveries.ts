import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { DeleteMessageCommand, type Message, ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { dynamoStore, sdk } from '../../lib/pawl/stores/dynamodb/index.ts';
import { createRandom } from '../../lib/rehearsal/engine/random.ts';
import { startSqsLocal } from '../../lib/rehearsal/engine/servers/sqs-local.ts';
import { toSqsEvent } from '../../lib/rehearsal/services/sqs/sqs-event.ts';
import { startWorker } from '../fixtures/locks/children.ts';
import type { Invocation } from '../fixtures/workflows/worker.ts';
import { durable, startDurableFunctions } from './durable-functions.ts';
import { firstThenEffect, losingTheFirst, runExpress } from './express-machine.ts';
import { failuresOf } from './lambda.ts';
import { type Fate, machines, type StandInExecution, startStepFunctions } from './step-functions.ts';
import { claimsTable, localClient, tableWithoutIndex } from './tables.ts';

export const targets = ['standard', 'durable', 'express', 'express-first', 'naive'] as const;
export type Target = (typeof targets)[number];

/** What became of so many intents. */
export interface KilledDeliveries {
  /** How many executions of each intent were started. */
  readonly executions: ReadonlyMap<string, number>;
  /** How often the effect of each intent happened: in an execution that did not end at once. */
  readonly effects: ReadonlyMap<string, number>;
  readonly deliveries: number;
  /** How many workers were ended with SIGKILL. */
  readonly kills: number;
  /** How many messages left the dead-letter queue under a new id. */
  readonly redrives: number;
  /** The intents whose claim is parked. */
  readonly parked: ReadonlySet<string>;
}

/** Of 25 intents, one meets each: at the first request that starts it, or with its messages. */
const troubles = [
  'lost before',
  'lost after',
  'throttled',
  'kill before',
  'kill after',
  'kill answered',
  'dead-lettered',
  'run twice',
  'answer of its first state lost',
] as const;
type Trouble = (typeof troubles)[number] | 'none';
const troubleOf = (intent: string): Trouble => troubles[Number(intent) % 25] ?? 'none';

/** How long an invocation lasts, and for how long its messages are kept from the others. */
const invocationMs = 4000;
const visibilitySeconds = 6;

/**
 * Delivers two messages of each intent to `startOnce` in real processes, over a real queue and a real table: the one that SQS delivers again, or the one that its
 * producer has sent twice. Processes are ended with SIGKILL at a start, answers of the target are lost, starts are throttled; what is in the dead-letter queue is
 * redriven, unless its claim is parked.
 */
export async function deliverUnderKills(target: Target, intents: number, endpoint: string): Promise<KilledDeliveries> {
  await using parts = new AsyncDisposableStack();
  const client = parts.adopt(localClient(endpoint), (one) => one.destroy());
  const table = await claimsTable(client);
  const store = dynamoStore({ tableName: table, aws: sdk({ dynamodb: client }) });
  const sqs = parts.use(await startSqsLocal());
  const dead = await sqs.createQueue('dead');
  const queue = await sqs.createQueue('intents', {
    VisibilityTimeout: String(visibilitySeconds),
    RedrivePolicy: JSON.stringify({ deadLetterTargetArn: dead.arn, maxReceiveCount: 3 }),
  });

  const workers = new Map<string, ChildProcess>();
  const counts = { deliveries: 0, kills: 0, redrives: 0, left: 0 };
  const executions = new Map<string, number>();
  const effects = new Map<string, number>();
  const add = (to: Map<string, number>, intent: string) => to.set(intent, (to.get(intent) ?? 0) + 1);
  const parked = new Set<string>();

  const kill = (caller: string): void => {
    counts.kills += 1;
    workers.get(caller)?.kill('SIGKILL');
  };
  const met = new Set<string>();
  function fate(operation: string, input: string, caller: string): Fate {
    if (operation !== 'StartExecution' && operation !== 'Invoke') return undefined;
    const { intent } = JSON.parse(input) as { readonly intent: string };
    if (met.has(intent)) return undefined;
    met.add(intent);
    const trouble = troubleOf(intent);
    if (trouble === 'throttled') return 'throttled';
    if (trouble === 'kill answered') setImmediate(kill, caller);
    if (trouble === 'kill before' || trouble === 'kill after') kill(caller);
    if (trouble === 'lost before' || trouble === 'kill before') return 'lost-before';
    return trouble === 'lost after' || trouble === 'kill after' ? 'lost-after' : undefined;
  }

  const running: Promise<void>[] = [];
  const definition = target === 'express-first' ? firstThenEffect(await tableWithoutIndex(client)) : undefined;
  function runs(execution: StandInExecution): 'SUCCEEDED' {
    const { intent } = JSON.parse(execution.input) as { readonly intent: string };
    const run = async () => {
      const isLost = troubleOf(intent) === 'answer of its first state lost';
      const put = isLost ? losingTheFirst(client) : (command: PutItemCommand) => client.send(command);
      if (definition && !(await runExpress(definition, execution, put)).states.includes('Effect')) return;
      add(effects, intent);
    };
    running.push(run());
    // Step Functions runs an express execution at least once.
    if (target.startsWith('express') && troubleOf(intent) === 'run twice') running.push(run());
    return 'SUCCEEDED';
  }
  const started =
    target === 'durable' ? await startDurableFunctions({ fate }) : await startStepFunctions({ fate, runs });
  parts.defer(() => started.stop());

  let processes = 0;
  async function startProcess() {
    const CALLER = `worker-${++processes}`;
    const child = startWorker('../workflows/worker.ts', {
      KIND: target,
      CALLER,
      DYNAMO: endpoint,
      SQS: sqs.endpoint,
      TARGET: started.endpoint,
      TARGET_ARN:
        target === 'durable' ? durable.alias : target.startsWith('express') ? machines.express : machines.standard,
      CLAIMS_TABLE: table,
    });
    workers.set(CALLER, child);
    await once(child, 'message');
    return child;
  }

  async function send(body: string): Promise<string> {
    counts.left += 1;
    return (await sqs.client.send(new SendMessageCommand({ QueueUrl: queue.url, MessageBody: body }))).MessageId ?? '';
  }
  async function remove(QueueUrl: string, { ReceiptHandle }: Message): Promise<void> {
    await sqs.client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    counts.left -= 1;
  }
  const receive = async (QueueUrl: string): Promise<readonly Message[]> => {
    const how = { MaxNumberOfMessages: 10, WaitTimeSeconds: 1, MessageSystemAttributeNames: ['All' as const] };
    return (await sqs.client.send(new ReceiveMessageCommand({ QueueUrl, ...how }))).Messages ?? [];
  };

  /** How often a message that is done comes again all the same, by its id: its deletion is lost. */
  const undeleted = new Map<string, number>();

  /** The part of Lambda: receives, invokes, and deletes what is done. */
  async function poll(): Promise<void> {
    let child = await startProcess();
    while (counts.left > 0) {
      const messages = await receive(queue.url);
      if (messages.length === 0) continue;
      counts.deliveries += messages.length;
      const ended = Promise.withResolvers<readonly string[] | undefined>();
      child.once('message', ({ response }: { response?: unknown }) =>
        ended.resolve(response === undefined ? undefined : failuresOf(response)),
      );
      child.once('exit', () => ended.resolve(undefined));
      const event = toSqsEvent(messages, queue.arn);
      child.send({ event, endsAt: Date.now() + invocationMs } satisfies Invocation, () => undefined);
      const failed = await ended.promise;
      child.removeAllListeners('message').removeAllListeners('exit');
      if (child.signalCode !== null || child.exitCode !== null) child = await startProcess();
      for (const message of messages) {
        const id = message.MessageId ?? '';
        if (failed === undefined || failed.includes(id)) continue;
        const times = undeleted.get(id) ?? 0;
        if (times > 0) undeleted.set(id, times - 1);
        else await remove(queue.url, message);
      }
    }
    child.kill();
  }

  /** The part of an operator: redrives, and leaves what is parked. */
  async function redrive(): Promise<void> {
    while (counts.left > 0) {
      for (const message of await receive(dead.url)) {
        const { intent } = JSON.parse(message.Body ?? '') as { readonly intent: string };
        if ((await store.read(`settle#${intent}`))?.status === 'parked') parked.add(intent);
        else {
          counts.redrives += 1;
          await send(message.Body ?? '');
        }
        await remove(dead.url, message);
      }
    }
  }

  const random = createRandom(1);
  const all = Array.from({ length: 2 * intents }, (_, at) => ({ intent: String(at % intents), again: at >= intents }));
  const order = all.map((one) => ({ ...one, by: random.next() })).toSorted((one, other) => one.by - other.by);
  for (const { intent, again } of order) {
    const isSentTwice = Number(intent) % 2 === 1;
    if (again && !isSentTwice) continue;
    const id = await send(JSON.stringify({ intent }));
    if (!isSentTwice) undeleted.set(id, 1);
    if (!again && troubleOf(intent) === 'dead-lettered') undeleted.set(id, Number.POSITIVE_INFINITY);
  }
  await Promise.all([poll(), poll(), poll(), redrive()]);
  await Promise.all(running);
  for (const { input } of started.started) add(executions, (JSON.parse(input) as { intent: string }).intent);
  return { executions, effects: target === 'durable' ? executions : effects, parked, ...counts };
}
