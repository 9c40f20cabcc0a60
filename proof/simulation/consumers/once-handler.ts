import type { OnceCall, OnceOutcome } from '../../../lib/pawl/engine/once.ts';
import type { SqsRecord } from '../../../lib/pawl/sqs/event.ts';
import type { Handler, Job } from '../parts.ts';
import type { Simulation } from '../simulation.ts';
import { type Order, payloadOf } from './options.ts';

/** A handler written by hand around `once`: only what is completed is acknowledged. */
export function onceHandler(
  { scenario }: Simulation,
  charge: (job: Job & { readonly order: Order }, call: OnceCall) => Promise<OnceOutcome<unknown>>,
): Handler {
  const { traffic, handler, fifo } = scenario;

  async function isDone(record: SqsRecord, remainingMs: () => number): Promise<boolean> {
    try {
      const order = JSON.parse(record.body) as Order;
      const key = (
        traffic.keyIn === 'body' ? order.orderId : record.messageAttributes['orderId']?.stringValue
      ) as string;
      const redelivered = Number(record.attributes.ApproximateReceiveCount) > 1;
      const call = { redelivered, ...(handler.givesRemainingTime && { remainingMs }) };
      const job = { messageId: record.messageId, key, payload: payloadOf(order), effectKey: '' };
      const { outcome } = await charge({ ...job, order }, call);
      return outcome === 'completed';
    } catch {
      return false;
    }
  }

  return async function handle({ Records }, context) {
    const remainingMs = () => context.getRemainingTimeInMillis();
    const failed = new Set<SqsRecord>();
    const blocked = new Set<string | undefined>();
    const one = async (record: SqsRecord) => {
      const { MessageGroupId } = record.attributes;
      if (fifo && blocked.has(MessageGroupId)) failed.add(record);
      else if (!(await isDone(record, remainingMs))) {
        failed.add(record);
        blocked.add(MessageGroupId);
      }
    };
    if (handler.inParallel && !fifo) await Promise.all(Records.map(one));
    else for (const record of Records) await one(record);
    return { batchItemFailures: [...failed].map(({ messageId }) => ({ itemIdentifier: messageId })) };
  };
}
