import type { SQSEvent } from 'aws-lambda';
import { RetryableError } from '../../../lib/pawl/kernel/errors.ts';
import type { SqsRecord } from '../../../lib/pawl/sqs/event.ts';
import type { Job, Run } from '../parts.ts';
import type { Simulation } from '../simulation.ts';
import { type Order, payloadOf } from './options.ts';
import type { createWorker } from './work.ts';

/** An existing handler of batches, which knows nothing of claims. It answers in one of the ways in which such handlers do. */
export function batchHandler({ scenario }: Simulation, worker: ReturnType<typeof createWorker>) {
  const { traffic, handler, fifo } = scenario;
  const { answers } = handler;

  function jobOf(record: SqsRecord): Job {
    const order = JSON.parse(record.body) as Order;
    const key = (traffic.keyIn === 'body' ? order.orderId : record.messageAttributes['orderId']?.stringValue) as string;
    return { messageId: record.messageId, key, payload: payloadOf(order), effectKey: key };
  }

  return async function handle(event: SQSEvent): Promise<unknown> {
    const records = event.Records as readonly SqsRecord[];
    const runs = new Map<SqsRecord, Run | undefined>();
    const results = new Map<SqsRecord, PromiseSettledResult<unknown>>();
    const blocked = new Set<string | undefined>();

    async function one(record: SqsRecord): Promise<void> {
      const { MessageGroupId } = record.attributes;
      if (fifo && blocked.has(MessageGroupId)) {
        results.set(record, { status: 'rejected', reason: new RetryableError('it waits for one before it') });
        return;
      }
      const job = jobOf(record);
      runs.set(record, worker.begin(job));
      const [result] = await Promise.allSettled([worker.plainly(job)]);
      results.set(record, result);
      if (result.status === 'rejected') blocked.add(MessageGroupId);
      else runs.get(record)?.end('done');
    }

    if (handler.inParallel && !fifo) await Promise.all(records.map(one));
    else {
      for (const record of records) {
        await one(record);
        // A loop without a catch: what comes after the first failure is not even looked at.
        if (answers === 'throws' && results.get(record)?.status === 'rejected') break;
      }
    }
    const failure = [...results.values()].find(({ status }) => status === 'rejected') as
      | PromiseRejectedResult
      | undefined;

    // What it says of each message is what the library can know of it.
    for (const [record, run] of runs) {
      const result = results.get(record);
      const threw = answers === 'throws' && failure !== undefined;
      if (threw && records.length > 1) run?.end('unknown');
      else if (result?.status === 'fulfilled') run?.end('done');
      else run?.end(answers === 'failures' ? 'unknown' : worker.endingOf(result?.reason));
    }
    if (answers === 'throws') {
      if (failure) throw failure.reason;
      return undefined;
    }
    if (answers === 'settled') return records.map((record) => results.get(record));
    const failures = records.filter((record) => results.get(record)?.status === 'rejected');
    return { batchItemFailures: failures.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  };
}
