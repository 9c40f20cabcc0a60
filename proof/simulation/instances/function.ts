import middy, { type MiddlewareObj } from '@middy/core';
import type { Context, SQSEvent } from 'aws-lambda';
import type { Claim } from '../../../lib/pawl/engine/claim.ts';
import { once } from '../../../lib/pawl/engine/once.ts';
import type { ClaimOptions } from '../../../lib/pawl/engine/options.ts';
import { reconcile } from '../../../lib/pawl/engine/reconcile.ts';
import { renewedLease } from '../../../lib/pawl/engine/renewed-lease.ts';
import type { HttpEvent } from '../../../lib/pawl/http/event.ts';
import { onceOverHttp, bodyField as requestField } from '../../../lib/pawl/http/index.ts';
import { sqsOnce } from '../../../lib/pawl/middy/index.ts';
import type { InvocationContext } from '../../../lib/pawl/sqs/event.ts';
import { bodyField, deadLetterQueue, eachMessage } from '../../../lib/pawl/sqs/index.ts';
import { dynamoStore } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { rememberCompleted } from '../../../lib/pawl/stores/remember-completed.ts';
import { awsOf } from '../aws.ts';
import { dynamoClient } from '../dynamodb/client.ts';
import type { Sandbox } from '../lambda/sandbox.ts';
import type { Handler } from '../parts.ts';
import { deadLetterUrl } from '../sqs/client.ts';
import { keyOf } from './oracle.ts';
import { providerTakesMs } from './scenario.ts';
import type { InstancesSimulation } from './simulation.ts';

export const operation = 'charge';

interface Order {
  readonly orderId: string;
}

/** What one process runs: the library, wired as the seed chose, around a handler that may outlive its invocation. */
export function instancesFunction(simulation: InstancesSimulation, sandbox: Sandbox): Handler {
  const { world, scenario, oracle, stats } = simulation;
  const { random } = world;
  const { door, policy, leaseMs, marginMs, skewMs, concurrency, effect, givesRemainingTime, answers } = scenario;
  const knowsDeadline = door !== 'once' || givesRemainingTime;
  const host = { ...sandbox.host, outlivesInvocations: true };
  const client = dynamoClient(simulation, sandbox, simulation.table);
  const inner = dynamoStore({ tableName: 'claims', aws: awsOf(simulation, sandbox, client), host });

  const options = {
    operation,
    store: scenario.remembersCompleted ? rememberCompleted(inner, { keys: 20 }) : inner,
    host,
    onAbandoned:
      policy === 'reconcile'
        ? reconcile<unknown>({
            async ask({ key }) {
              await travel();
              return { verdict: oracle.effectsOf(key) > 0 ? 'applied' : 'not-applied', result: { statusCode: 201 } };
            },
            settleMs: providerTakesMs,
          })
        : policy,
    ...(leaseMs !== undefined && { lease: renewedLease(leaseMs) }),
    marginMs,
    skewMs,
    marksEffect: effect === 'marked',
    onEvent: (event) => oracle.event(sandbox, event),
  } satisfies ClaimOptions<unknown>;
  const ofQueue = {
    ...options,
    key: bodyField('orderId'),
    concurrency,
    backoffSeconds: () => 1,
    deadLetters: deadLetterQueue(deadLetterUrl(false)),
  };

  const wait = (ms: number) => new Promise<void>((resolve) => void sandbox.after(ms, resolve));
  const travel = () => sandbox.call<void>(({ resolve }) => void world.after(random.between(1, 20), resolve));

  /** The provider carries out what has reached it, whatever becomes of the process that asked. */
  function charge(key: string, deadline: number): Promise<void> {
    return sandbox.call<void>(({ resolve }) => {
      world.after(random.between(10, providerTakesMs - 100), () => {
        // Under 'retry' it honours the key.
        if (policy !== 'retry' || oracle.effectsOf(key) === 0) {
          if (world.time > deadline) stats.lateEffects++;
          oracle.applied(key);
        }
        world.after(random.between(1, 20), () => sandbox.deliver(resolve));
      });
    });
  }

  /** Some work, and the effect. The work does not look at any clock: it may last longer than its invocation. */
  async function handle(key: string, deadline: number, claim?: Claim): Promise<unknown> {
    stats.runs++;
    world.note(sandbox.name, 'runs the handler of', key);
    const { signal } = claim ?? {};
    const overrunMs = random.between(-2000, scenario.longestOverrunMs);
    const quickMs = random.between(0, 500);
    const overruns = world.time < scenario.faultsEndMs && random.chance(scenario.overruns);
    await wait(overruns ? Math.max(0, deadline + overrunMs - world.time) : quickMs);
    if (sandbox.alive && world.time > deadline) {
      stats.overran++;
      const isTold = signal === undefined || signal.aborted || !knowsDeadline;
      if (!isTold) oracle.problem(13, `the handler of ${key} is not told that its invocation has ended`);
    }
    if (effect === 'marked' && claim) await claim.effect(() => charge(key, deadline));
    else await charge(key, deadline);
    return { statusCode: 201 };
  }

  switch (door) {
    case 'each-message': {
      const deadlines = new Map<string, number>();
      const consumer = eachMessage<Order>(ofQueue, ({ body, messageId }, claim) =>
        handle(body.orderId, deadlines.get(messageId) ?? 0, claim),
      );
      return (event, context) => {
        for (const { messageId } of event.Records) deadlines.set(messageId, deadlineOf(context));
        return consumer(event, context);
      };
    }
    case 'sqs-once': {
      const { lease: _, marksEffect: __, ...ofBatch } = { ...ofQueue, lease: undefined };
      const batch = ({ Records }: SQSEvent, context: Context) => {
        const deadline = deadlineOf(context);
        return settled(Records, (record) => handle(keyOf(record), deadline));
      };
      const handler = middy(batch, { timeoutEarlyInMillis: 0 }).use(
        sqsOnce<Order>(ofBatch) as unknown as MiddlewareObj<SQSEvent>,
      );
      return (event, context) => handler(event as SQSEvent, context as Context);
    }
    case 'once': {
      const chargeOnce = once({ ...options, key: ({ key }: Charge) => key }, ({ key, deadline }, claim) =>
        handle(key, deadline, claim),
      ).outcome;
      return ({ Records }, context) => {
        const deadline = deadlineOf(context);
        const call = knowsDeadline ? { remainingMs: () => context.getRemainingTimeInMillis() } : {};
        return settled(Records, async (record) => {
          const { outcome } = await chargeOnce({ key: keyOf(record), deadline }, call);
          if (outcome !== 'completed') throw new Error(outcome);
        });
      };
    }
    case 'http': {
      const serve = onceOverHttp<HttpEvent, InvocationContext, unknown>(
        { ...options, caller: 'anyone', key: requestField('orderId') },
        (event, context, claim) => handle(keyOf({ body: event.body ?? '' }), deadlineOf(context), claim),
      );
      return ({ http = { body: '' } }, context) => serve(http, context);
    }
  }

  function deadlineOf(context: Pick<InvocationContext, 'getRemainingTimeInMillis'>): number {
    return world.time + context.getRemainingTimeInMillis();
  }

  /** What a handler of batches makes of its records: a result for each, or the ids of those that failed. */
  async function settled<R extends { readonly messageId: string }>(
    records: readonly R[],
    act: (record: R) => Promise<unknown>,
  ): Promise<unknown> {
    const results = await Promise.allSettled(records.map(act));
    if (door === 'sqs-once' && answers === 'settled') return results;
    const failed = records.filter((_, index) => results[index]?.status === 'rejected');
    return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  }
}

interface Charge {
  readonly key: string;
  /** When its invocation ends, in milliseconds since the start. */
  readonly deadline: number;
}
