import type { ClaimOptions } from '../../../lib/pawl/engine/options.ts';
import { reconcile } from '../../../lib/pawl/engine/reconcile.ts';
import { renewedLease } from '../../../lib/pawl/engine/renewed-lease.ts';
import { canonicalValue } from '../../../lib/pawl/payload/fingerprint.ts';
import type { ClaimStore } from '../../../lib/pawl/rules/store.ts';
import {
  bodyField,
  deadLetterQueue,
  type Message,
  messageAttribute,
  type SqsOptions,
} from '../../../lib/pawl/sqs/index.ts';
import { dynamoStore, individualDynamoStore } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { rememberCompleted } from '../../../lib/pawl/stores/remember-completed.ts';
import { awsOf } from '../aws.ts';
import { dynamoClient } from '../dynamodb/client.ts';
import { leanClient } from '../dynamodb/lean-client.ts';
import type { Sandbox } from '../lambda/sandbox.ts';
import { simulatedPostgres } from '../postgres/stores.ts';
import { ProviderError } from '../provider.ts';
import type { Simulation } from '../simulation.ts';
import { deadLetterUrl } from '../sqs/client.ts';

export const operation = 'charge';

export interface Order {
  readonly orderId?: string;
  readonly amount: number;
  readonly sentAt: number;
}

/** What of an order is its intent. */
export const payloadOf = (order: Order) => String(order.amount);
export const intentOf = (order: Order) => canonicalValue({ amount: order.amount });

function storeOf(simulation: Simulation, sandbox: Sandbox): ClaimStore {
  const { scenario } = simulation;
  const store =
    scenario.database === 'postgres' ? simulatedPostgres(simulation, sandbox) : dynamoOf(simulation, sandbox);
  return scenario.remembersCompleted ? rememberCompleted(store, { keys: 2 }) : store;
}

function dynamoOf(simulation: Simulation, sandbox: Sandbox): ClaimStore {
  const { http, store } = simulation.scenario;
  const client = http
    ? leanClient(simulation, sandbox, simulation.table, http)
    : dynamoClient(simulation, sandbox, simulation.table);
  const table = { tableName: 'claims', aws: awsOf(simulation, sandbox, client), host: sandbox.host };
  return store === 'batches' ? dynamoStore(table) : individualDynamoStore(table);
}

/** The options that every adapter is given, as the seed chose them. */
export function claimOptions<Input>(simulation: Simulation, sandbox: Sandbox) {
  const { scenario, oracle, provider } = simulation;
  const { policy, leaseMs, skewMs, marginMs, timeoutMs, maxAttempts, recordsResult, classifies, handler } = scenario;
  const { travelMs, worksMs, lookUpLagMs } = scenario.provider;
  return {
    operation,
    store: storeOf(simulation, sandbox),
    host: sandbox.host,
    onAbandoned:
      policy === 'reconcile'
        ? reconcile<Input>({
            async ask(doubt) {
              // A batch handler is not given its claims, and uses the plain key.
              const key = scenario.adapter === 'sqs-once' ? doubt.key : doubt.effectKey;
              const applied = await provider.lookUp(sandbox, key);
              if (applied === undefined) return { verdict: 'inconclusive' };
              return applied ? { verdict: 'applied', result: `done-${key}` } : { verdict: 'not-applied' };
            },
            settleMs: travelMs + worksMs + lookUpLagMs + 50,
          })
        : policy,
    ...(leaseMs !== undefined && { lease: renewedLease(leaseMs) }),
    skewMs,
    marginMs,
    timeoutMs,
    maxAttempts,
    recordResult: recordsResult,
    marksEffect: handler.effect !== 'unmarked',
    ...(classifies && { classify }),
    onEvent: (event) => oracle.event(sandbox, event),
  } satisfies ClaimOptions<Input>;
}

/** The options of the two adapters for SQS. */
export function sqsOptions(simulation: Simulation, sandbox: Sandbox) {
  const { scenario } = simulation;
  const { traffic, backoff, hasDeadLetters, onInFlight, concurrency, fifo } = scenario;
  return {
    ...claimOptions<Message<Order>>(simulation, sandbox),
    key: traffic.keyIn === 'body' ? bodyField('orderId') : messageAttribute('orderId'),
    fingerprint: { ignore: ['sentAt'] },
    concurrency,
    onInFlight,
    ...(backoff === 'short' && { backoffSeconds: (receiveCount: number) => receiveCount }),
    ...(backoff === 'none' && { backoffSeconds: () => undefined }),
    deadLetters: hasDeadLetters ? deadLetterQueue(deadLetterUrl(fifo)) : undefined,
  } satisfies SqsOptions<Order>;
}

function classify(error: unknown): 'retryable' | 'rejected' | undefined {
  if (!(error instanceof ProviderError)) return undefined;
  if (error.status === 429) return 'retryable';
  return error.status === 422 ? 'rejected' : undefined;
}
