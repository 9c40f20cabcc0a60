import type { SqsBatchResponse, SqsRecord } from '../../../lib/pawl/sqs/event.ts';
import type { QueuedMessage } from '../sqs/queue.ts';
import { worldBegins } from '../world/world.ts';
import type { Instances } from './lambda.ts';
import type { InstancesSimulation } from './simulation.ts';

/** Sends all messages, and hands them to the function as an event source mapping does, as many batches at once as there is room for. */
export function startQueue(simulation: InstancesSimulation, instances: Instances): { isOver(): boolean } {
  const { world, scenario, strikes, oracle, queue } = simulation;
  const { random } = world;
  let sending = 0;
  let wakesAt = Number.POSITIVE_INFINITY;

  function arrange(atLeastMs = 0): void {
    const next = queue.nextVisibleAt();
    if (next === undefined) return;
    const at = Math.max(world.time + atLeastMs, next) + random.between(1, 20);
    if (at >= wakesAt) return;
    wakesAt = at;
    world.after(at - world.time, () => {
      if (wakesAt > world.time) return;
      wakesAt = Number.POSITIVE_INFINITY;
      poll();
    });
  }

  function poll(): void {
    const batch = queue.receive(scenario.batchSize).map((message) => ({ message, receipt: message.receipt ?? '' }));
    if (batch.length === 0) {
      arrange();
      return;
    }
    const records = batch.map(({ message }) => toRecord(message, queue.arn));
    const isTaken = instances.invoke({ Records: records }, (ended) => {
      if (ended.kind !== 'answered') return;
      oracle.answered(records, ended.response);
      const { batchItemFailures } = ended.response as SqsBatchResponse;
      const failures = batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
      for (const { message, receipt } of batch) if (!failures.includes(message.id)) queue.delete(message, receipt);
    });
    for (const { receipt } of batch) {
      // No process has room: they are visible again at once.
      if (!isTaken) queue.changeVisibility(receipt, random.between(500, 1000));
      else if (strikes('deliveredTwice')) {
        world.after(random.between(0, 2 * scenario.functionTimeoutMs), () => queue.changeVisibility(receipt, 0));
      }
    }
    arrange();
  }

  function send(key: string, ms: number): void {
    sending++;
    world.after(ms, () => {
      sending--;
      queue.send({ body: JSON.stringify({ orderId: key }), attributes: {} });
    });
  }

  queue.onChange(() => arrange());
  for (let i = 1; i <= scenario.keys; i++) {
    send(`o${i}`, random.between(0, 300));
    if (random.chance(scenario.sentAgain)) send(`o${i}`, random.between(0, 2 * scenario.functionTimeoutMs));
  }
  return { isOver: () => sending === 0 && queue.size === 0 };
}

function toRecord(message: QueuedMessage, arn: string): SqsRecord {
  const { id, body, receiveCount, firstReceivedAt = 0, receipt = '' } = message;
  return {
    messageId: id,
    receiptHandle: receipt,
    body,
    attributes: {
      ApproximateReceiveCount: String(receiveCount),
      ApproximateFirstReceiveTimestamp: String(Math.floor(worldBegins + firstReceivedAt)),
    },
    messageAttributes: {},
    eventSourceARN: arn,
  };
}

/** Clients that send their request until they are told that it is done, or parked. */
export function startClients(
  { world, scenario, oracle }: InstancesSimulation,
  instances: Instances,
): { isOver(): boolean } {
  const { random } = world;
  let waiting = 0;

  function send(key: string): void {
    const again = () => void world.after(random.between(1000, 20_000), () => send(key));
    const isTaken = instances.invoke({ Records: [], http: requestOf(key) }, (ended) => {
      if (ended.kind !== 'answered') return again();
      const { statusCode, body = '' } = ended.response as { statusCode: number; body?: string };
      const { reason } = JSON.parse(body || '{}') as { reason?: string };
      const isDone = statusCode < 300;
      if (isDone && oracle.effectsOf(key) === 0) oracle.problem(6, `${key} is done, and was never applied`);
      // A client is patient while an operator has still to decide.
      const isStuck = reason === 'parked' || reason === 'given-up';
      if (isDone || (isStuck && !scenario.hasOperator)) waiting--;
      else again();
    });
    if (!isTaken) again();
  }

  for (let i = 1; i <= scenario.keys; i++) {
    waiting++;
    world.after(random.between(0, 300), () => send(`o${i}`));
    if (!random.chance(scenario.sentAgain)) continue;
    waiting++;
    world.after(random.between(0, 2 * scenario.functionTimeoutMs), () => send(`o${i}`));
  }
  return { isOver: () => waiting === 0 };
}

function requestOf(key: string) {
  return {
    version: '2.0',
    rawPath: '/charges',
    rawQueryString: '',
    headers: { 'content-type': 'application/json' },
    requestContext: { http: { method: 'POST' } },
    body: JSON.stringify({ orderId: key }),
    isBase64Encoded: false,
  };
}
