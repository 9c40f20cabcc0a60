import { StartExecutionCommand } from '@aws-sdk/client-sfn';
import { memoryStore } from '../../lib/pawl/index.ts';
import type { ClaimStore } from '../../lib/pawl/rules/store.ts';
import type { SqsEvent, SqsRecord } from '../../lib/pawl/sqs/event.ts';
import { startOnce } from '../../lib/pawl/workflows/index.ts';
import { stepFunctions } from '../../lib/pawl/workflows/step-functions.ts';
import { context, failuresOf, noQueue, sqsEvent, sqsRecord } from './lambda.ts';
import { type Fate, machines, startStepFunctions } from './step-functions.ts';
import { virtualHost } from './virtual-host.ts';

/** What becomes of the first start of an intent. `killed`: its worker dies, before the request arrives or before its answer does. */
const troubles = [undefined, 'lost-before', 'lost-after', 'throttled', 'killed-before', 'killed-after'] as const;
type Trouble = (typeof troubles)[number];

export interface Delivered {
  /** How many executions of each intent were started. */
  readonly started: ReadonlyMap<string, number>;
  readonly deliveries: number;
  /** How many claims are parked: for each of them, an execution was started or not. */
  readonly parked: number;
  /** How many of the intents met each trouble. */
  readonly troubles: ReadonlyMap<Trouble, number>;
}

/**
 * Delivers the messages of so many intents, two for each: the same message again, or a copy that its producer has sent or an operator has redriven, with
 * another id. What is not done comes again, as SQS delivers it.
 */
export async function deliverAll(kind: 'standard' | 'express' | 'naive', intents: number): Promise<Delivered> {
  const host = virtualHost();
  const memory = memoryStore();
  const met = new Map<string, Trouble>();
  const counts = new Map<Trouble, number>();
  let kill = () => undefined as unknown;

  function fate(operation: string, input: string): Fate {
    const { intent } = JSON.parse(input || '{}') as { intent?: number };
    if (operation !== 'StartExecution' || intent === undefined || met.has(String(intent))) return undefined;
    const trouble = troubles[intent % 10];
    met.set(String(intent), trouble);
    counts.set(trouble, (counts.get(trouble) ?? 0) + 1);
    if (trouble === 'killed-before' || trouble === 'killed-after') {
      kill();
      return trouble === 'killed-before' ? 'lost-before' : 'lost-after';
    }
    return trouble;
  }
  const sfn = await startStepFunctions({
    fate,
    now: host.now,
    client: { maxAttempts: 1 },
    runs: () => 'SUCCEEDED',
  });

  /** A worker of one invocation. Dead, it gets no answer any more. */
  function worker() {
    const { promise: killed, resolve } = Promise.withResolvers<undefined>();
    const never = new Promise<never>(() => undefined);
    let isDead = false;
    kill = () => {
      isDead = true;
      resolve(undefined);
    };
    const store: ClaimStore = {
      read: async (id) => (isDead ? never : memory.read(id)),
      write: async (write) => (isDead ? never : memory.write(write)),
    };
    return { killed, handler: handlerOver(store) };
  }

  function handlerOver(store: ClaimStore): (event: SqsEvent) => Promise<unknown> {
    const shared = {
      operation: 'settle',
      aws: noQueue,
      store,
      key: ({ body }: { readonly body: { readonly intent: number } }) => String(body.intent),
      backoffSeconds: () => undefined,
      // A worker that dies leaves one message in doubt.
      concurrency: 1,
      onEvent: () => undefined,
      host,
    };
    const { client } = sfn;
    if (kind === 'naive') return (event) => naive(event);
    const handler =
      kind === 'standard'
        ? startOnce<{ intent: number }>({
            ...shared,
            workflow: stepFunctions({ client, stateMachineArn: machines.standard, type: 'STANDARD' }),
          })
        : startOnce<{ intent: number }>({
            ...shared,
            workflow: stepFunctions({ client, stateMachineArn: machines.express, type: 'EXPRESS' }),
            onAbandoned: 'park',
          });
    return (event) => handler(event, context(30_000, host.now));
  }

  /** The fix that is found most often: the id of the message as the name. */
  async function naive({ Records }: SqsEvent): Promise<unknown> {
    const batchItemFailures: { itemIdentifier: string }[] = [];
    for (const { messageId, body } of Records) {
      const name = messageId.replaceAll(/[^\w-]/g, '-');
      const command = new StartExecutionCommand({ stateMachineArn: machines.standard, name, input: body });
      await sfn.client.send(command).catch((error: Error) => {
        if (error.name !== 'ExecutionAlreadyExists') batchItemFailures.push({ itemIdentifier: messageId });
      });
    }
    return { batchItemFailures };
  }

  let deliveries = 0;
  /** Delivers until all are done, or have used up their receives. */
  async function deliver(records: readonly SqsRecord[]): Promise<void> {
    let left = [...records];
    for (let receive = 1; left.length > 0 && receive <= 5; receive++) {
      const failed: SqsRecord[] = [];
      for (let at = 0; at < left.length; at += 10) {
        const batch = left.slice(at, at + 10).map((one) => withReceives(one, receive));
        const { killed, handler } = worker();
        deliveries += batch.length;
        const said = await Promise.race([killed, handler(sqsEvent(...batch))]);
        const names = said === undefined ? undefined : failuresOf(said);
        failed.push(...batch.filter(({ messageId }) => names === undefined || names.includes(messageId)));
      }
      left = failed;
      // The leases of the workers that died are over.
      await host.advance(60_000);
    }
  }

  const all = Array.from({ length: intents }, (_, intent) => sqsRecord({ intent }, { messageId: `message-${intent}` }));
  const copies = all.map((record, intent) =>
    intent % 2 === 0 ? record : sqsRecord({ intent }, { messageId: `message-${intent}-again` }),
  );
  await deliver(all);
  await deliver(copies);
  await sfn.stop();

  const started = new Map<string, number>();
  for (const { input } of sfn.started) started.set(input, (started.get(input) ?? 0) + 1);
  const { claims } = await memory.listOpen({ limit: 1000 });
  return { started, deliveries, parked: claims.filter(({ status }) => status === 'parked').length, troubles: counts };
}

function withReceives(record: SqsRecord, receive: number): SqsRecord {
  return { ...record, attributes: { ...record.attributes, ApproximateReceiveCount: String(receive) } };
}
