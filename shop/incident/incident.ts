import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
} from '@aws-sdk/client-sqs';
import type { ClaimEvent } from 'pawl';
import { dynamoStore, sdk } from 'pawl/dynamodb';
import { dynamoLockStore, lockOperator } from 'pawl/locks';
import { operator } from 'pawl/operate';
import { findings, reconcileStatements } from 'pawl/statements';
import { killWithUs } from '../../lib/rehearsal/engine/children.ts';
import { toSqsEvent } from '../../lib/rehearsal/services/sqs/sqs-event.ts';
import { type Bank, startBank } from './bank.ts';
import { operations } from './consumers.ts';
import { chunk, evening, fifty, night, repayments, troubleOfCharge, troubleOfPart } from './plan.ts';
import { arnOf, deadLetterQueues, queues, type Servers, startServers } from './servers.ts';
import type { Batch, Said } from './worker.ts';

/*
 * The incident of fifty: 20 kept locks, 3 interrupted works, 15 parked claims and 12 findings.
 *
 * Owns: the order in which things go wrong. Nothing is written by hand: the consumers run in workers, which are killed with SIGKILL while they wait for the
 * bank, or whose bank does not answer; a statement is compared with the claims. Does not own: what is asked for and what goes wrong (`plan.ts`).
 */

type Consumer = keyof typeof operations;

export interface IncidentOptions {
  /** Says how far it is. @default to nobody */
  readonly say?: (text: string) => void;
  /** Hears of what happens to claims and locks. @default nobody does */
  readonly onEvent?: (event: ClaimEvent) => void;
  /** Of a DynamoDB Local that runs already. @default one of its own */
  readonly dynamoEndpoint?: string;
}

/** An incident that waits for its operators. The consumers are at work again: what is redriven is done. */
export type Incident = Awaited<ReturnType<typeof startIncident>>;

const everyMs = 50;
/** The lease of a worker that is killed: it is waited for. */
const shortLeaseMs = 3000;
/** Of any other one. No machine stands still for so long, and takes a claim from a worker that is well. */
const leaseMs = 60_000;
/** Beyond a lease, for the clocks of others. */
const skewMs = 1100;

export async function startIncident({
  say = () => undefined,
  onEvent = () => undefined,
  dynamoEndpoint,
}: IncidentOptions = {}) {
  const stopping = new AsyncDisposableStack();
  try {
    const servers = await startServers(dynamoEndpoint);
    stopping.defer(() => servers.stop());
    let held = 0;
    /** In how many attempts the worker of the works was killed. */
    let kills = 0;
    const bank = await startBank({
      trouble: (what, of, key) => troubleOf(what, of, key, kills),
      onKill: () => void held++,
    });
    stopping.defer(() => bank.stop());
    const store = dynamoStore({
      tableName: servers.tables.claims,
      aws: sdk({ dynamodb: servers.dynamo, sqs: servers.client }),
    });
    const desks = desksOf(store);
    const workers = workersOf(servers, bank, onEvent);
    stopping.defer(() => workers.stop());

    say('evening: the bank books 7 charges twice and 2 with a fee; an old job charges 3 orders without a claim');
    await sendAll(servers, 'charge', [...evening.twice, ...evening.fee, ...evening.well]);
    await workers.drain('charge');
    await chargeWithoutClaim(bank, evening.withoutClaim);
    await reconcileStatements({
      ...{ operation: operations.charge, store, from: Date.now() - 3_600_000, settleMs: 0, skewMs: 0 },
      ...{ cutOff: Date.now(), statement: bank.charges, onEvent },
    });

    say('night: a worker is killed in the middle of 8 charges; 7 others get no answer');
    await sendAll(servers, 'charge', [...night.killedApplied, ...night.killed]);
    await workers.killAt('charge', () => held === 8);
    await leasesOver(
      store,
      [...night.killedApplied, ...night.killed].map(({ orderId }) => `${operations.charge}#${orderId}`),
    );
    await sendAll(servers, 'charge', [...night.lateApplied, ...night.late]);
    await workers.drain('charge');

    say('night: a worker is killed in the middle of 3 repayments, and the next one as well');
    const works = repayments.killed.map(({ requestId }) => `${operations.repay}#${requestId}`);
    await sendAll(servers, 'repay', repayments.killed);
    // What was in flight when a worker died is suspect: the next worker takes it alone.
    for (const together of [fifty.works, 1]) {
      held = 0;
      const before = new Set((await desks.standing()).map(({ id }) => id));
      await workers.killAt('repay', async () => {
        // A lock is listed once it was renewed.
        const fresh = (await desks.standing()).filter(({ id, status }) => status === 'held' && !before.has(id));
        return held === together && fresh.length === together;
      });
      kills++;
      await leasesOver(store, works);
    }
    say('night: 12 repayments get no answer in their middle, and the bank refuses 8 for good');
    await sendAll(servers, 'repay', [...repayments.late, ...repayments.refused]);
    await workers.drain('repay');
    await sendAll(servers, 'repay', repayments.busy);
    await workers.deliver('repay');
    await eventually(async () => (await desks.standing()).filter(({ mayBeAlive }) => mayBeAlive).length === 0);

    bank.calm();
    workers.serve();
    const was = await desks.now();
    for (const [what, count] of Object.entries(fifty)) {
      const found = was[what as keyof typeof fifty].length;
      if (found !== count) throw new Error(`The incident has ${found} ${what} in place of ${count}.`);
    }
    const moved = stopping.move();
    return { servers, bank, store, desks, was, stop: () => moved.disposeAsync() };
  } catch (error) {
    await stopping.disposeAsync();
    throw error;
  }
}

function troubleOf(what: string, of: readonly string[], key: string, kills: number) {
  const [first = ''] = of;
  if (what === 'charge') return troubleOfCharge(first);
  const debt = Number(/\d+$/.exec(first)?.[0]);
  return what === 'repayment'
    ? troubleOfPart(key.replace(`${operations.repay}#`, ''), Math.floor((debt - 1) / chunk), kills)
    : undefined;
}

/** What an operator sees, and what the incident is judged by. */
function desksOf(store: ReturnType<typeof dynamoStore>) {
  const locks = lockOperator({ store: dynamoLockStore(store), onEvent: () => undefined });
  const operate = operator({ store, onEvent: () => undefined });
  const found = findings({ store });
  const standing = async () => (await all(locks.list())).flat();
  const openFindings = () => all(found.list());
  const open = async () => (await all(operate.openClaims())).flatMap(({ claims }) => claims);
  return {
    standing,
    /** Everything that waits for an operator. */
    async now() {
      const stand = await standing();
      return {
        locks: stand.filter(({ status }) => status === 'kept'),
        works: stand.filter(({ status }) => status === 'held'),
        claims: (await open()).filter(({ state }) => state === 'parked'),
        /** Claims that are open beside those: of the works. */
        others: (await open()).filter(({ state }) => state !== 'parked'),
        findings: await openFindings(),
      };
    },
    openFindings,
    operate,
    locks,
    /** @param person as whom approvals are asked for and given */
    findingsAs: (person: string) => findings({ store, identity: async () => arnOf(person) }),
  };
}

async function all<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const read: T[] = [];
  for await (const item of items) read.push(item);
  return read;
}

async function sendAll({ client, sqs }: Servers, consumer: Consumer, bodies: readonly object[]): Promise<void> {
  const { url: QueueUrl } = sqs.address(queues[consumer]);
  for (const body of bodies) await client.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(body) }));
}

/** What a job does that has no claims: it asks the bank, and no record says so. */
async function chargeWithoutClaim({ endpoint }: Bank, charges: typeof evening.withoutClaim): Promise<void> {
  for (const { orderId, amountCents } of charges) {
    await fetch(new URL('/charges', endpoint), {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': `${operations.charge}#${orderId}` },
      body: JSON.stringify({ of: orderId, amountCents }),
    });
  }
}

/** Waits until no worker holds these claims any more. */
async function leasesOver(store: ReturnType<typeof dynamoStore>, ids: readonly string[]): Promise<void> {
  const claims = await Promise.all(ids.map((id) => store.read(id)));
  await sleep(Math.max(...claims.map((claim) => claim?.leaseUntil ?? 0)) + skewMs - Date.now());
}

async function eventually(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(everyMs);
}

/** The workers, and what hands batches to them, as Lambda's event source does. A queue has one at a time. */
function workersOf(servers: Servers, bank: Bank, onEvent: (event: ClaimEvent) => void) {
  const { client, sqs } = servers;
  let worker: ChildProcess | undefined;
  let served: Promise<void> | undefined;
  const ending = new AbortController();

  function running(lease = leaseMs): ChildProcess {
    if (worker !== undefined) return worker;
    const env = {
      ...process.env,
      LEASE_MS: String(lease),
      ...servers.env('worker'),
      CLAIMS_TABLE: servers.tables.claims,
      DEBTS_TABLE: servers.tables.debts,
      BANK_URL: bank.endpoint,
      CHARGES_DEAD_URL: sqs.address(deadLetterQueues.charge).url,
      REPAYMENTS_DEAD_URL: sqs.address(deadLetterQueues.repay).url,
    };
    const child = killWithUs(
      fork(fileURLToPath(new URL('worker.ts', import.meta.url)), {
        env,
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      }),
    );
    child.on('message', (said: Said) => said.kind === 'event' && onEvent(said.event));
    child.once('exit', () => {
      if (worker === child) worker = undefined;
    });
    worker = child;
    return child;
  }

  /** Ends a worker that has nothing to do. */
  async function retire(): Promise<void> {
    if (worker === undefined) return;
    const gone = once(worker, 'exit');
    worker.kill('SIGKILL');
    await gone;
  }

  /** @returns the ids of what comes again; `undefined` if the worker was killed */
  function invoke(batch: Batch): Promise<readonly string[] | undefined> {
    const child = running();
    return new Promise((resolve) => {
      const heard = (said: Said) => {
        if (said.kind === 'done') done(said.failed);
      };
      const died = () => done(undefined);
      const done = (failed: readonly string[] | undefined) => {
        child.off('message', heard);
        child.off('exit', died);
        resolve(failed);
      };
      child.on('message', heard);
      child.once('exit', died);
      child.send(batch);
    });
  }

  async function receive(consumer: Consumer): Promise<readonly Message[]> {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl: sqs.address(queues[consumer]).url,
        MaxNumberOfMessages: 10,
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
      }),
    );
    return Messages;
  }

  /** Hands one batch on. @returns whether there was one */
  async function deliver(consumer: Consumer): Promise<boolean> {
    const messages = await receive(consumer);
    if (messages.length === 0) return false;
    const { url: QueueUrl, arn } = sqs.address(queues[consumer]);
    const failed = await invoke({ consumer, event: toSqsEvent(messages, arn) });
    for (const { MessageId = '', ReceiptHandle } of messages) {
      // What a worker had that was killed is visible again when its time is over: here, that is now.
      if (failed === undefined) {
        await client.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 }));
      } else if (!failed.includes(MessageId)) await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    }
    return true;
  }

  return {
    deliver,
    /** Until the queue is empty. */
    async drain(consumer: Consumer): Promise<void> {
      for (;;) {
        if (await deliver(consumer)) continue;
        const { ready, delayed, inFlight } = await sqs.depth(queues[consumer]);
        if (ready + delayed + inFlight === 0) return;
        await sleep(everyMs);
      }
    },
    /** Kills the worker, with SIGKILL, in the middle of a batch. */
    async killAt(consumer: Consumer, isTime: () => boolean | Promise<boolean>): Promise<void> {
      await retire();
      running(shortLeaseMs);
      const delivered = deliver(consumer);
      await eventually(isTime);
      worker?.kill('SIGKILL');
      await delivered;
    },
    /** From now on, what comes is done. */
    serve(): void {
      served = (async () => {
        while (!ending.signal.aborted) {
          const [charged, repaid] = [await deliver('charge'), await deliver('repay')];
          if (!charged && !repaid)
            await sleep(everyMs * 4, undefined, { signal: ending.signal }).catch(() => undefined);
        }
      })();
    },
    async stop(): Promise<void> {
      ending.abort();
      await served?.catch(() => undefined);
      worker?.kill('SIGKILL');
    },
  };
}
