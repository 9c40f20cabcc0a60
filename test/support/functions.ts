import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { createLambda, type LambdaStats } from '../../lib/rehearsal/engine/lambda/lambda.ts';
import { scratchFolder } from '../../lib/rehearsal/engine/scratch.ts';
import { type SqsLocal, startSqsLocal } from '../../lib/rehearsal/engine/servers/sqs-local.ts';
import { startTap, type TapHooks } from '../../lib/rehearsal/engine/servers/tap.ts';
import { type EventSource, startEventSource } from '../../lib/rehearsal/services/sqs/event-source.ts';
import { project } from '../../shop/app/project.ts';
import { bundleFunction } from '../../shop/bundle.ts';

export interface FunctionsOptions {
  /** The source of the handler, in `test/fixtures`. */
  readonly fixture: string;
  readonly dynamoEndpoint: string;
  readonly tap?: TapHooks;
  /** Every line that a sandbox prints. */
  readonly onLog?: (line: string) => void;
}

interface ConsumerOptions {
  readonly name: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly visibilitySeconds: number;
  readonly batchSize: number;
  readonly sandboxes: number;
}

export interface TestConsumer {
  readonly queue: { readonly name: string; readonly url: string };
  readonly deadLetters: { readonly name: string; readonly url: string };
}

/** Functions bundled from a fixture, in sandboxes that can be killed, behind queues and a tap on DynamoDB. */
export interface Functions extends AsyncDisposable {
  readonly sqs: SqsLocal;
  readonly sandboxes: LambdaStats;
  kill(sandbox: string): boolean;
  startConsumer(options: ConsumerOptions): Promise<TestConsumer>;
  /** Sends a body, as JSON. */
  send(consumer: TestConsumer, body: object): Promise<void>;
}

export async function startFunctions(options: FunctionsOptions): Promise<Functions> {
  await using starting = new AsyncDisposableStack();
  const folder = await scratchFolder(project, 'fixture-');
  starting.defer(() => rm(folder, { recursive: true, force: true }));
  await bundleFunction(fileURLToPath(new URL(`../fixtures/${options.fixture}`, import.meta.url)), folder);
  const sqs = await startSqsLocal();
  starting.defer(() => sqs.stop());
  const kill = (sandbox: string) => lambda.kill(sandbox);
  const tap = await startTap({ target: options.dynamoEndpoint, hooks: options.tap ?? {}, kill });
  starting.defer(() => tap.stop());
  const lambda = createLambda({
    onLog: (line) => options.onLog?.(line),
    environment: { AWS_ENDPOINT_URL_DYNAMODB: tap.endpoint, AWS_ENDPOINT_URL_SQS: sqs.endpoint },
  });
  const sources: EventSource[] = [];
  // All at once: an event source waits for its invocations, and one that is not stopping would try again without a function.
  starting.defer(async () => {
    lambda.stop();
    await Promise.all(sources.map((source) => source.stop()));
  });

  async function startConsumer(consumer: ConsumerOptions): Promise<TestConsumer> {
    const { name, timeoutMs, sandboxes, batchSize } = consumer;
    const deadLetters = { name: `${name}-dead`, ...(await sqs.createQueue(`${name}-dead`)) };
    const queue = await sqs.createQueue(name, {
      VisibilityTimeout: String(consumer.visibilitySeconds),
      // So many that nothing is dead-lettered but by pawl.
      RedrivePolicy: JSON.stringify({ deadLetterTargetArn: deadLetters.arn, maxReceiveCount: 500 }),
    });
    const { invoke } = lambda.createFunction({
      name,
      folder,
      handler: 'index.handler',
      environment: { ...consumer.environment, DEAD_LETTER_QUEUE_URL: deadLetters.url },
      timeoutMs,
      maxSandboxes: sandboxes,
    });
    const source = { queue, batchSize, windowMs: 0, reportsBatchItemFailures: true, concurrency: sandboxes };
    sources.push(startEventSource({ ...source, client: sqs.client, invoke: (event) => invoke(event) }));
    return { queue: { name, ...queue }, deadLetters };
  }

  const running = starting.move();
  return {
    sqs,
    sandboxes: lambda.stats,
    kill,
    startConsumer,
    async send({ queue }, body) {
      await sqs.client.send(new SendMessageCommand({ QueueUrl: queue.url, MessageBody: JSON.stringify(body) }));
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
