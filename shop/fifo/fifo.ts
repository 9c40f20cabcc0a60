import { SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import { drainQueues } from '../../lib/rehearsal/drain.ts';
import { createDynamoDbFaults } from '../../lib/rehearsal/dynamodb-faults.ts';
import type { Progress } from '../../lib/rehearsal/progress.ts';
import { createRandom } from '../../lib/rehearsal/random.ts';
import { type StartedShop, startShop } from '../app/start.ts';
import { createFaults } from '../faults/faults.ts';
import { type PlannedChange, planChanges } from '../plan/change-plan.ts';
import { bundleChanged, type Protection } from '../protection/changed-bundle.ts';
import { stopwatch } from '../stopwatch.ts';
import { type ChangesVerdict, judgeChanges } from './change-verdict.ts';

export interface FifoOptions {
  readonly changes: number;
  readonly accounts: number;
  /** The share of changes that cost a sandbox its life, from 0 to 1. */
  readonly killShare: number;
  readonly seed: number;
  readonly protection: Protection;
  readonly progress: Progress;
  /** When to give up waiting for the queue, from the start of the run. @default 240000, and more by three times the share of kills */
  readonly deadlineMs?: number;
  /** Gets every line that a sandbox prints. */
  readonly onLog?: (line: string, sandbox: string) => void;
}

/** Everything that a run found out. */
export interface FifoResult {
  readonly verdict: ChangesVerdict;
  readonly messages: number;
  readonly deliveries: number;
  readonly batches: number;
  readonly sandboxes: { readonly started: number; readonly killed: number; readonly timedOut: number };
  readonly providerFaults: number;
  /** Messages that were still on the queue when the time was up. */
  readonly left: number;
  readonly killShare: number;
  readonly seed: number;
  readonly protection: Protection;
  readonly seconds: number;
}

/** Changes of accounts through the real app's FIFO queue, with every kind of trouble there is, until the queue is empty. */
export async function runFifo(options: FifoOptions): Promise<FifoResult> {
  const { progress, protection, seed, killShare } = options;
  const begun = Date.now();
  const elapsed = stopwatch();
  const plan = planChanges(options);
  const { faults, stats } = createFaults({ changes: plan }, createDynamoDbFaults(createRandom(seed)));
  await using shop = await startShop({
    faults,
    onStarting: (what) => progress.update(`${what} …`),
    ...(options.onLog ? { onLog: options.onLog } : {}),
    ...(protection === 'as-written' ? {} : { bundleFor: (source) => bundleChanged(source, protection) }),
  });
  progress.update('sending the changes …');
  const messages = await sendChanges(shop, plan);
  const deadline = begun + (options.deadlineMs ?? 240_000 * (1 + 3 * killShare));
  const left = await drain(shop, deadline, (state) =>
    progress.update(`${elapsed().toFixed(0).padStart(3)} s   ${state}`),
  );
  progress.end();

  const { service, consumer } = shop.accounts;
  const deadLetters = consumer.deadLetterQueue ? await shop.sqs.messages(consumer.deadLetterQueue.name) : [];
  return {
    verdict: judgeChanges(plan, { log: service.log, deadLetters, left }),
    messages,
    deliveries: consumer.stats.deliveries,
    batches: consumer.stats.batches,
    sandboxes: { ...shop.sandboxes },
    providerFaults: stats().providerFaults,
    left,
    killShare,
    seed,
    protection,
    seconds: elapsed(),
  };
}

/** Sends them in order, and then some of them again. Returns how many messages that were. */
async function sendChanges({ sqs, accounts }: StartedShop, plan: readonly PlannedChange[]): Promise<number> {
  const again = plan.filter(({ sentAgain }) => sentAgain);
  const all = [...plan, ...again].map(({ change }, index) => ({
    Id: String(index),
    MessageBody: JSON.stringify(change),
    MessageGroupId: change.accountId,
    // SQS itself would drop the second one: it knows a message for five minutes, and a producer may be later than that.
    MessageDeduplicationId: `${change.changeId}-${index}`,
  }));
  for (let start = 0; start < all.length; start += 10) {
    const QueueUrl = accounts.consumer.queue.url;
    const { Failed = [] } = await sqs.client.send(
      new SendMessageBatchCommand({ QueueUrl, Entries: all.slice(start, start + 10) }),
    );
    if (Failed.length > 0) throw new Error(`SQS did not take the changes: ${JSON.stringify(Failed)}`);
  }
  return all.length;
}

async function drain(shop: StartedShop, until: number, show: (state: string) => void): Promise<number> {
  const { consumer, service } = shop.accounts;
  return drainQueues({
    depths: async () => [await shop.sqs.depth(consumer.queue.name)],
    until,
    onLook({ left }) {
      const booked = service.log.filter(({ kind }) => kind === 'booked').length;
      show(`${booked} changes booked   ${shop.sandboxes.killed} sandboxes killed   ${left} messages to go`);
    },
  });
}
