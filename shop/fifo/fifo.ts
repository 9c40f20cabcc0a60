import { type App, type Rehearsal, rehearsal } from '@pawl/rehearsal';
import { plural } from '../../lib/pawl/kernel/plural.ts';
import { createRandom } from '../../lib/rehearsal/engine/random.ts';
import { type HeldMessage, messagesIn } from '../../lib/rehearsal/engine/servers/sqs-local.ts';
import { routedProvider } from '../../lib/rehearsal/file/providers.ts';
import { runRehearsal } from '../../lib/rehearsal/file/run.ts';
import type { Progress } from '../../lib/rehearsal/progress.ts';
import { constructOf } from '../app/app-functions.ts';
import { shopApp } from '../app/project.ts';
import { versionsOf } from '../app/shop.ts';
import { createDynamoDbFaults } from '../faults/dynamodb-faults.ts';
import { createFaults } from '../faults/faults.ts';
import { type PlannedChange, planChanges } from '../plan/change-plan.ts';
import { createPostgresFaults } from '../postgres/faults.ts';
import { bundlesOverPostgres } from '../postgres/functions.ts';
import { postgresReads } from '../postgres/reads.ts';
import { type ShopPostgres, startShopPostgres } from '../postgres/store.ts';
import { bundleChanged, type Protection, type Store } from '../protection/changed-bundle.ts';
import { type Accounts, createAccounts } from '../providers/accounts.ts';
import type { Rehearsed } from '../traffic/traffic-result.ts';
import { type ChangesVerdict, complaintsAbout, judgeChanges } from './change-verdict.ts';

export interface FifoOptions {
  readonly changes: number;
  readonly accounts: number;
  /** The share of changes that cost a sandbox its life, from 0 to 1. */
  readonly killShare: number;
  readonly seed: number;
  readonly protection: Protection;
  /** Where the function keeps its claims. @default 'dynamodb' */
  readonly store?: Store;
  readonly progress: Progress;
  /** When to give up waiting for the queue, from the last message on. @default 240000, and more by three times the share of kills */
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
  /** What the rehearsal itself found: the story of each change that came to harm. */
  readonly rehearsed: Rehearsed;
  /** Messages that were still on the queue when the time was up. */
  readonly left: number;
  readonly killShare: number;
  readonly seed: number;
  readonly protection: Protection;
  readonly store: Store;
  readonly seconds: number;
}

/** The queue of the changes, once it is up. */
interface ChangesQueue {
  readonly construct: string;
  /** What its consumer received. */
  readonly stats: { readonly deliveries: number; readonly batches: number };
  /** How many sandboxes were killed. */
  killed(): number;
  deadLetters(): Promise<readonly HeldMessage[]>;
  left(): Promise<number>;
}

/** What a rehearsal of the changes is about. */
interface RehearsedChanges {
  readonly plan: readonly PlannedChange[];
  readonly accounts: Accounts;
  readonly queue: () => ChangesQueue;
  readonly deadlineMs: number;
  readonly environment: Readonly<Record<string, string>>;
}

/** Changes of accounts through the real app's FIFO queue, with every kind of trouble there is, until the queue is empty. */
export async function runFifo(options: FifoOptions): Promise<FifoResult> {
  if (options.store !== 'postgres') return runOver(options);
  options.progress.update('starting PostgreSQL …');
  await using postgres = await startShopPostgres();
  return await runOver(options, postgres);
}

async function runOver(options: FifoOptions, postgres?: ShopPostgres): Promise<FifoResult> {
  const { progress, protection, seed, killShare, onLog } = options;
  const plan = planChanges(options);
  const accounts = createAccounts();
  const random = createRandom(seed);
  const { faults, stats } = postgres
    ? createFaults({ changes: plan }, createPostgresFaults(random), postgresReads)
    : createFaults({ changes: plan }, createDynamoDbFaults(random));
  const up: { queue?: ChangesQueue; result?: FifoResult } = {};
  const queue = () => expectUp(up.queue);
  const deadlineMs = options.deadlineMs ?? 240_000 * (1 + 3 * killShare);
  const { file, verdict } = changesRehearsal({
    plan,
    accounts,
    queue,
    deadlineMs,
    environment: postgres?.environment ?? {},
  });
  await runRehearsal(file, {
    app: shopApp,
    seed,
    faults: {
      ...(postgres ? {} : { dynamodb: faults.store }),
      provider: (changeId) => faults.accounts(changeId, accounts.accountOf(changeId) ?? ''),
    },
    ...(postgres
      ? bundlesOverPostgres(protection)
      : versionsOf(protection === 'as-written' ? undefined : (source) => bundleChanged(source, protection))),
    onStarting: (what) => progress.update(`${what} …`),
    onLook({ seconds, left }) {
      const booked = accounts.log.filter(({ kind }) => kind === 'booked').length;
      const state = `${plural(booked, 'change')} booked   ${plural(queue().killed(), 'sandbox', 'sandboxes')} killed   ${plural(left, 'message')} to go`;
      progress.update(`${seconds.toFixed(0).padStart(3)} s   ${state}`);
    },
    ...(onLog ? { onLog } : {}),
    onUp(running) {
      postgres?.disturb(running, faults.store);
      const { sqs, stack, sandboxes } = running.engine;
      const consumer = stack('PawlAccounts').consumer(constructOf['change-account']);
      const { deadLetterQueue } = consumer;
      up.queue = {
        construct: consumer.queue.construct,
        stats: consumer.stats,
        killed: () => sandboxes.killed,
        deadLetters: async () => (deadLetterQueue ? sqs.messages(deadLetterQueue.name) : []),
        left: async () => messagesIn(await sqs.depth(consumer.queue.name)),
      };
    },
    onResult(rehearsed) {
      progress.end();
      const { deliveries, batches } = queue().stats;
      up.result = {
        verdict: verdict(),
        rehearsed,
        messages: rehearsed.messages,
        deliveries,
        batches,
        sandboxes: rehearsed.sandboxes,
        providerFaults: stats().providerFaults,
        left: rehearsed.left,
        killShare,
        seed,
        protection,
        store: options.store ?? 'dynamodb',
        seconds: Math.round(rehearsed.seconds * 10) / 10,
      };
    },
  });
  return expectUp(up.result);
}

function expectUp<Part>(part: Part | undefined): Part {
  if (part === undefined) throw new Error('the shop is not up');
  return part;
}

/** The rehearsal of the changes, and what its check found. */
function changesRehearsal({ plan, accounts, queue, deadlineMs, environment }: RehearsedChanges): {
  readonly file: Rehearsal;
  verdict(): ChangesVerdict;
} {
  const planned = new Map(plan.map((one) => [one.change.changeId, one]));
  const service = routedProvider(accounts.routes);
  let verdict: ChangesVerdict | undefined;
  return {
    file: rehearsal({
      context: { functionTimeoutSeconds: 3 },
      functionTimeoutSeconds: 'as-written',
      environment,
      providers: { ACCOUNTS_API_URL: service },
      traffic: (app) => sendChanges(app, queue().construct, plan),
      effects: { change: service },
      expect: {
        change(changeId) {
          const { refused, stuck } = planned.get(changeId) ?? {};
          return refused || stuck ? 0 : 1;
        },
      },
      faults: {},
      settleSeconds: deadlineMs / 1000,
      async check(_, { starved, isCutOff }) {
        const { deadLetters, left } = queue();
        verdict = judgeChanges(plan, {
          log: accounts.log,
          deadLetters: await deadLetters(),
          // What a producer has not sent yet is not on a queue.
          left: isCutOff ? Number.POSITIVE_INFINITY : await left(),
          starved,
        });
        return complaintsAbout(verdict);
      },
    }),
    verdict: () => expectUp(verdict),
  };
}

/** Sends them in order, and then some of them again. The changes of an account are one group, whose sequence is that of the sends. */
async function sendChanges({ queue }: App, construct: string, plan: readonly PlannedChange[]): Promise<void> {
  const again = plan.filter(({ sentAgain }) => sentAgain);
  for (const some of [plan, again]) {
    const groups = Map.groupBy(some, ({ change }) => change.accountId);
    await Promise.all(
      Array.from(groups, async ([groupId, changes]) => {
        for (const { change } of changes) {
          // SQS itself would drop the second one: it knows a message for five minutes, and a producer may be later than that.
          const deduplicationId = `${change.changeId}${some === again ? '-again' : ''}`;
          await queue(construct).send(change, { intent: change.changeId, groupId, deduplicationId });
        }
      }),
    );
  }
}
