import middy, { type MiddlewareObj } from '@middy/core';
import type { Context, SQSEvent } from 'aws-lambda';
import type { Claim } from '../../../lib/pawl/engine/claim.ts';
import { type OnceCall, once } from '../../../lib/pawl/engine/once.ts';
import type { ClaimOptions } from '../../../lib/pawl/engine/options.ts';
import { reconcile } from '../../../lib/pawl/engine/reconcile.ts';
import { renewedLease } from '../../../lib/pawl/engine/renewed-lease.ts';
import type { HttpEvent } from '../../../lib/pawl/http/event.ts';
import { claimOf, httpOnce, onceOverHttp, bodyField as requestField } from '../../../lib/pawl/http/index.ts';
import { RetryableError } from '../../../lib/pawl/kernel/errors.ts';
import { sqsOnce } from '../../../lib/pawl/middy/index.ts';
import type { SqsRecord } from '../../../lib/pawl/sqs/event.ts';
import { bodyField, deadLetterQueue, eachMessage, type Message } from '../../../lib/pawl/sqs/index.ts';
import { dynamoStore } from '../../../lib/pawl/stores/dynamodb/index.ts';
import type { PostgresClient } from '../../../lib/pawl/stores/postgres/sql.ts';
import type { PostgresStore } from '../../../lib/pawl/stores/postgres/store.ts';
import { rememberCompleted } from '../../../lib/pawl/stores/remember-completed.ts';
import {
  CommitRefusedError,
  eachTransaction,
  type TransactionalStore,
  transactionalStore,
} from '../../../lib/pawl/transactions/index.ts';
import { eachTransaction as eachSqlTransaction } from '../../../lib/pawl/transactions/postgres/each-transaction.ts';
import { awsOf } from '../aws.ts';
import type { Order } from '../consumers/options.ts';
import { intentOf, operation, payloadOf } from '../consumers/options.ts';
import { dynamoClient } from '../dynamodb/client.ts';
import { leanClient } from '../dynamodb/lean-client.ts';
import type { Sandbox } from '../lambda/sandbox.ts';
import type { Handler, Job } from '../parts.ts';
import { simulatedPostgres } from '../postgres/stores.ts';
import { deadLetterUrl } from '../sqs/client.ts';
import { createSeams, type SeamsAtWork } from './seams-at-work.ts';
import type { DoorsSimulation } from './simulation.ts';
import { createDoorsWorker, type DoorsWorker, settleMsOf } from './work.ts';

function storeOf(simulation: DoorsSimulation, sandbox: Sandbox) {
  const { scenario } = simulation;
  const store =
    scenario.database === 'postgres' ? simulatedPostgres(simulation, sandbox) : dynamoOf(simulation, sandbox);
  return scenario.remembersCompleted ? rememberCompleted(store, { keys: 2 }) : store;
}

function dynamoOf(simulation: DoorsSimulation, sandbox: Sandbox) {
  const { table, scenario } = simulation;
  const { http } = scenario;
  const client = http ? leanClient(simulation, sandbox, table, http) : dynamoClient(simulation, sandbox, table);
  const aws = awsOf(simulation, sandbox, client);
  return transactionalStore(dynamoStore({ tableName: 'claims', aws, host: sandbox.host }));
}

function claimOptions<Input>(simulation: DoorsSimulation, sandbox: Sandbox) {
  const { scenario, oracle, provider } = simulation;
  const { policy, leaseMs, skewMs, marginMs, timeoutMs, maxAttempts, recordsResult } = scenario;
  return {
    operation,
    store: storeOf(simulation, sandbox),
    host: sandbox.host,
    onAbandoned:
      policy === 'reconcile'
        ? reconcile<Input>({
            async ask(doubt) {
              // A batch handler is not given its claims, and uses the plain key.
              const effectKey = scenario.door === 'sqs-once' ? `${operation}#${doubt.key}` : doubt.effectKey;
              const applied = await provider.lookUp(sandbox, effectKey);
              if (applied === undefined) return { verdict: 'inconclusive' };
              return applied ? { verdict: 'applied', result: { statusCode: 201 } } : { verdict: 'not-applied' };
            },
            settleMs: settleMsOf(simulation),
          })
        : policy,
    ...(leaseMs !== undefined && { lease: renewedLease(leaseMs) }),
    skewMs,
    marginMs,
    timeoutMs,
    maxAttempts,
    recordResult: recordsResult,
    ...(scenario.seams.isBulky && { maxResultBytes: 300_000 }),
    marksEffect: scenario.shape === 'beside',
    onEvent: (event) => oracle.event(sandbox, event),
  } satisfies ClaimOptions<Input>;
}

function sqsOptions(simulation: DoorsSimulation, sandbox: Sandbox) {
  const { scenario } = simulation;
  const { backoff, hasDeadLetters, concurrency, fifo } = scenario;
  return {
    ...claimOptions<Message<Order>>(simulation, sandbox),
    key: createSeams(simulation, sandbox).keyed(bodyField('orderId')),
    fingerprint: { ignore: ['sentAt'] },
    concurrency,
    ...(backoff === 'short' && { backoffSeconds: (receiveCount: number) => receiveCount }),
    ...(backoff === 'none' && { backoffSeconds: () => undefined }),
    deadLetters: hasDeadLetters ? deadLetterQueue(deadLetterUrl(fifo)) : undefined,
  };
}

/** What a sandbox runs: a feature of the library behind one of its doors, as the seed chose. */
export function doorsFunction(simulation: DoorsSimulation, sandbox: Sandbox): Handler {
  const { scenario } = simulation;
  const worker = createDoorsWorker(simulation, sandbox);
  const jobOf = (order: Order, messageId: string, effectKey = ''): Job => ({
    messageId,
    key: order.orderId ?? '',
    payload: payloadOf(order),
    effectKey,
  });
  switch (scenario.door) {
    case 'each-message':
      return eachMessage<Order>(sqsOptions(simulation, sandbox), ({ body, messageId }, claim) =>
        worker.handle(jobOf(body, messageId), claim),
      );
    case 'each-transaction': {
      const { onAbandoned: _, lease: __, marksEffect: ___, ...given } = sqsOptions(simulation, sandbox);
      const options = { ...given, onRefused: (refused: CommitRefusedError) => worker.refusal(refused) };
      const begun = ({ body, messageId }: Message<Order>): Job => {
        const job = jobOf(body, messageId);
        simulation.oracle.hasRun(job.key);
        return job;
      };
      if (scenario.database === 'postgres') {
        const store = options.store as PostgresStore<PostgresClient>;
        return eachSqlTransaction<Order>({ ...options, store }, async (message, tx) => {
          const job = begun(message);
          await worker.poisonIf(job);
          if (scenario.handler.worksBefore) await worker.otherWork();
          await worker.runStatements(job, 'record', tx);
        });
      }
      const store = options.store as TransactionalStore;
      return eachTransaction<Order>({ ...options, store }, async (message) => {
        const job = begun(message);
        await worker.poisonIf(job);
        if (scenario.handler.worksBefore) await worker.otherWork();
        return worker.writesOf(job, 'record');
      });
    }
    case 'sqs-once': {
      const { lease: _, timeoutMs: __, marksEffect: ___, ...options } = sqsOptions(simulation, sandbox);
      const seams = createSeams(simulation, sandbox);
      const handler = middy(batchHandler(simulation, worker, sandbox, seams), { timeoutEarlyInMillis: 0 });
      for (const other of seams.around()) handler.use(other);
      handler.use(sqsOnce<Order>(options) as unknown as MiddlewareObj<SQSEvent>);
      return (event, context) => handler(event as SQSEvent, context as Context);
    }
    case 'once': {
      const charge = once<Job & { readonly order: Order }, unknown, boolean>(
        { ...claimOptions(simulation, sandbox), key: ({ key }) => key, fingerprint: ({ order }) => intentOf(order) },
        (job, claim) => worker.handle(job, claim),
      ).outcome;
      return ({ Records }, context) =>
        byHand(Records, (record) => {
          const order = JSON.parse(record.body) as Order;
          const redelivered = Number(record.attributes.ApproximateReceiveCount) > 1;
          const remainingMs = () => context.getRemainingTimeInMillis();
          const call: OnceCall = { redelivered, ...(scenario.handler.givesRemainingTime && { remainingMs }) };
          return charge({ ...jobOf(order, record.messageId), order }, call);
        });
    }
    default:
      return overHttp(simulation, sandbox, worker);
  }
}

/** A handler written by hand around `once`: only what is completed is acknowledged. */
async function byHand(
  records: readonly SqsRecord[],
  charge: (record: SqsRecord) => Promise<{ readonly outcome: string }>,
): Promise<unknown> {
  const results = await Promise.allSettled(records.map(charge));
  const failed = records.filter((_, index) => {
    const result = results[index];
    return result?.status !== 'fulfilled' || result.value.outcome !== 'completed';
  });
  return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
}

/** An existing handler of batches, which does with its event what it likes. */
function batchHandler(
  { scenario, oracle }: DoorsSimulation,
  worker: DoorsWorker,
  sandbox: Sandbox,
  { early, failedAnswer }: SeamsAtWork,
) {
  const { mangles, handler } = scenario;

  async function handle(event: SQSEvent): Promise<unknown> {
    const records = event.Records as unknown as SqsRecord[];
    if (mangles === 'sorts') records.sort((a, b) => (a.body < b.body ? -1 : 1));
    if (mangles === 'reverses') records.reverse();
    // It takes them from the list one after the other, and leaves that empty.
    const taken = mangles === 'splices' ? records.splice(0) : records;
    const results = await Promise.allSettled(
      taken.map(async (record) => {
        const order = JSON.parse(record.body) as Order;
        const key = order.orderId ?? '';
        const job: Job = {
          messageId: record.messageId,
          key,
          payload: payloadOf(order),
          effectKey: `${operation}#${key}`,
        };
        const run = oracle.jobStarted(sandbox, job);
        await worker.poisonIf(job);
        if (handler.worksBefore) await worker.otherWork();
        const result = await worker.plainly(job);
        run.end(true);
        return result;
      }),
    );
    const failed = taken.filter((_, index) => results[index]?.status === 'rejected');
    const failures = failed.map(({ messageId }) => ({ itemIdentifier: messageId }));
    if (handler.answers === 'settled') return failedAnswer(results, failures);
    if (handler.answers === 'failures') return failedAnswer({ batchItemFailures: failures }, failures);
    for (const result of results) if (result.status === 'rejected') throw result.reason;
    return undefined;
  }

  return (event: SQSEvent, context: Context) =>
    early<unknown>(context, [undefined, {}, [], { batchItemFailures: [] }], handle(event));
}

/** The same business behind HTTP. */
function overHttp(simulation: DoorsSimulation, sandbox: Sandbox, worker: DoorsWorker): Handler {
  const { scenario, world } = simulation;
  const { early } = createSeams(simulation, sandbox);
  const options = {
    ...claimOptions(simulation, sandbox),
    caller: 'anyone' as const,
    key: requestField('orderId'),
    fingerprint: { ignore: ['sentAt'] },
  };

  async function serve(event: { readonly body?: string | null | undefined }, claim: Claim) {
    const order = JSON.parse(event.body ?? '') as Order;
    const job: Job = { messageId: 'request', key: order.orderId ?? '', payload: payloadOf(order), effectKey: '' };
    try {
      return { statusCode: 201, body: await worker.handle(job, claim) };
    } catch (error) {
      const isBusy = error instanceof RetryableError && !(error instanceof CommitRefusedError);
      if (scenario.shape !== 'plain') throw error;
      // A handler that makes a response of whatever it met.
      if (isBusy) return { statusCode: 402 };
      if (Object(error).name === 'RejectedError' || world.random.chance(0.3)) throw error;
      return {
        statusCode: world.random.pick<number>([500, 504, 502, 0, 100, -1, 999]),
      };
    }
  }

  const serveInTime = (event: HttpEvent, context: HttpContext, claim: Claim) =>
    early<unknown>(context, [{ statusCode: 408 }, { statusCode: 429 }, { statusCode: 503 }], serve(event, claim));

  const callOverHttp: HttpHandler =
    scenario.door === 'http'
      ? onceOverHttp<HttpEvent, HttpContext, unknown>(options, serveInTime)
      : (middy((event: HttpEvent, context: Context) => serveInTime(event, context, claimOf(context) as Claim), {
          timeoutEarlyInMillis: 0,
        }).use(httpOnce<HttpEvent>(options)) as unknown as HttpHandler);
  return ({ http = { body: '' } }, context) => callOverHttp(http, context);
}

type HttpContext = Parameters<Handler>[1];
type HttpHandler = (event: HttpEvent, context: HttpContext) => Promise<unknown>;
