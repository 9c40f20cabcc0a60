import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { nodeHost } from '../../../lib/pawl/host.ts';
import { dynamoLockStore, lockOperator, resourceLocks } from '../../../lib/pawl/locks/index.ts';
import { ownLane } from '../../../lib/pawl/outbox/record.ts';
import { nothingObserved, observedToken } from '../../../lib/pawl/rules/observed.ts';
import { findingOf, readFinding, storeFinding } from '../../../lib/pawl/statements/finding.ts';
import { findings, settleFindings } from '../../../lib/pawl/statements/index.ts';
import { readRestored, sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { withListing } from '../../../lib/pawl/stores/listing.ts';
import { operation, type World } from './world.ts';

/** What every command is tried with. */
interface Tried {
  /** Command lines about something that has this text in its key, its error and its note: it must not reach a terminal as it is. */
  readonly showing?: (world: World, odd: string) => readonly (readonly string[])[];
}

/** What one command does in a world, and what must be true of it, however it ended. */
export interface Row extends Tried {
  readonly prepare: (world: World) => Promise<void>;
  readonly args: (world: World) => readonly string[];
  /** How many acts are done. Throws if something is lost, doubled, or half done. */
  readonly done: (world: World) => Promise<number>;
  /** How many acts there are. */
  readonly acts: number;
  /** The number in what the command says of itself when it is stopped. */
  readonly said: RegExp;
  /** Waits until what a killed process holds is over, where that stops the next run. */
  readonly over?: (world: World) => Promise<void>;
  /** Its exit code when nothing stops it. */
  readonly code: number;
}

/** A command that is tried elsewhere: it serves, or talks to servers of its own. */
export interface Elsewhere extends Tried {
  readonly elsewhere: string;
}

const by = ['--by', 'maria', '--note', 'asked the mail service'];
const byOdd = (odd: string) => ['--by', odd, '--note', odd];
const table = ({ tableName }: World) => ['--table', tableName];
const letters = ({ dead }: World) => ['--queue', dead.url];
const parked = { status: 'parked', error: { name: 'abandoned', message: 'its worker died' } } as const;
/** Two payloads under one key. */
const onlyObserved = {
  status: 'completed',
  claimId: observedToken,
  observed: JSON.stringify({ ...nothingObserved, deliveries: 2, done: 1, other: 1, differing: ['amount'] }),
} as const;
const nothing = async () => 0;
const keys = ['order-1', 'order-2', 'order-3'];

const reads = { done: nothing, acts: 0, said: /Nothing was changed/ };

async function withLetters(world: World): Promise<void> {
  for (const key of keys) await world.letter(key, { status: 'released' });
}

/** Each letter is on exactly one of the two queues. @returns how many are on the first */
async function redriven(world: World): Promise<number> {
  const [queued, dead] = [await world.queuedBodies(), await world.deadBodies()];
  // After the copy and before the deletion, it is on both: the consumer recognises the second one by its claim.
  expect([...new Set([...queued, ...dead])].toSorted()).toEqual(keys);
  return keys.filter((key) => !dead.includes(key)).length;
}

async function withFindings({ store }: World): Promise<void> {
  for (const key of keys) {
    const what = { kind: 'missing-there', operation, foundAt: Date.now(), claimId: `${operation}#${key}` } as const;
    await storeFinding(withListing(store), findingOf(what, [key], nodeHost));
  }
}

async function findingIds(world: World): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const { id } of findings({ store: world.store }).list({ operation })) ids.push(id);
  return ids;
}

/** A remedy of each finding, which a second person approves. */
const remedies = {
  operation,
  remedies: {
    'missing-there': {
      operation: 'refund',
      onAbandoned: 'retry',
      amountOf: () => 100,
      approval: 'required',
      run: () => undefined,
    },
  },
  limits: { perRun: { count: 9, amount: 900 }, perDay: { count: 9, amount: 900 } },
} as const;

const remediesFile = ({ folder }: World) => join(folder, 'remedies.mjs');
const refundsFile = ({ folder }: World) => join(folder, 'refunds');

/** The same without an approval, as an author's file. Its lease is longer than any machine takes for a request. Its provider is a list of effect keys in a file. */
function remediesText(world: World): string {
  return `import { appendFileSync } from 'node:fs';
import { renewedLease } from ${JSON.stringify(import.meta.resolve('../../../lib/pawl/index.ts'))};
export default {
  operation: '${operation}',
  lease: renewedLease(20_000),
  remedies: { 'missing-there': {
    operation: 'refund',
    onAbandoned: 'retry',
    amountOf: () => 100,
    run: (_, { effectKey }) => appendFileSync(${JSON.stringify(refundsFile(world))}, effectKey + '\\n'),
  } },
  limits: { perRun: { count: 9, amount: 900 }, perDay: { count: 9, amount: 900 } },
};`;
}

/** The effect keys of all refunds. */
function refundsIn(world: World): readonly string[] {
  const file = refundsFile(world);
  return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
}

const idOfMessage = (key: string) => `${ownLane(key)}#1`;

async function parkedMessages(world: World): Promise<void> {
  for (const key of keys) await world.message(key);
}

async function withLocks(world: World): Promise<void> {
  const locks = resourceLocks({ store: dynamoLockStore(world.store), onEvent: () => undefined });
  for (const key of keys) {
    const lock = await locks.lockAll([['debt', key]], { holder: key, reason: 'repayment' });
    await lock.keep();
    world.keys.push(lock.id);
  }
}

/** Every command of `pawl`, by its name; with another act of it behind a space. */
export const rows: Readonly<Record<string, Row | Elsewhere>> = {
  claims: {
    ...reads,
    async prepare(world) {
      for (const key of keys) await world.claim(key, parked);
    },
    args: (world) => ['claims', ...table(world), '--json'],
    showing: () => [['claims']],
    code: 1,
  },
  claim: {
    ...reads,
    prepare: (world) => world.claim('order-1', parked),
    args: (world) => ['claim', world.id('order-1'), ...table(world), '--json'],
    showing: (world, odd) => [
      ['claim', world.id(odd), '--results'],
      ['claim', `no#${odd}`],
      ['claim', odd],
    ],
    code: 1,
  },
  locks: {
    ...reads,
    prepare: withLocks,
    args: (world) => ['locks', ...table(world), '--json'],
    showing: () => [['locks']],
    code: 1,
  },
  lock: {
    ...reads,
    prepare: withLocks,
    args: (world) => ['lock', 'debt', 'order-1', ...table(world), '--json'],
    showing: (_, odd) => [
      ['lock', odd],
      ['lock', 'debt', odd],
    ],
    code: 1,
  },
  unlock: {
    prepare: withLocks,
    args: (world) => ['unlock', ...world.keys, '--yes', '--json', ...by, ...table(world)],
    showing: (_, odd) => [['unlock', odd, '--yes', ...byOdd(odd)]],
    acts: 3,
    async done({ store, keys }) {
      const desk = lockOperator({ store: dynamoLockStore(store) });
      const found = await Promise.all(keys.map((id) => desk.read(id)));
      for (const one of found) {
        expect([one?.status, one?.released?.by]).toBeOneOf([
          ['ended', 'maria'],
          ['kept', undefined],
        ]);
      }
      return found.filter((one) => one?.status === 'ended').length;
    },
    said: /(\d+) locks? released|Nothing was changed/,
    code: 0,
  },
  observed: {
    ...reads,
    async prepare(world) {
      for (const key of keys) await world.claim(key, onlyObserved);
    },
    args: (world) => ['observed', operation, ...table(world)],
    showing: () => [['observed', operation]],
    code: 1,
  },
  resolve: {
    async prepare(world) {
      for (const key of keys) await world.claim(key, parked);
    },
    args: (world) => ['resolve', ...keys.map(world.id), 'applied', '--yes', '--json', ...by, ...table(world)],
    showing: (world, odd) => [
      ['resolve', world.id(odd), `x#${odd}`, 'not-applied', '--dry-run', ...byOdd(odd)],
      ['resolve', world.id(odd), '--fence', '77', 'applied', '--yes', ...byOdd(odd)],
      ['resolve', world.id(odd), '--step', `${odd}=applied`, '--yes', ...byOdd(odd)],
      ['resolve', world.id(odd), odd, ...byOdd(odd)],
    ],
    acts: 3,
    async done(world) {
      const found = await Promise.all(keys.map((key) => world.store.read(world.id(key))));
      for (const one of found) {
        // Decided and recorded, or neither.
        expect([one?.status, one?.resolution?.by]).toBeOneOf([
          ['completed', 'maria'],
          ['parked', undefined],
        ]);
      }
      return found.filter((one) => one?.status === 'completed').length;
    },
    said: /(\d+) claims? resolved|Nothing was changed/,
    code: 0,
  },
  migrate: {
    elsewhere: 'test/suites/integration/operate/database.test.ts',
    showing: (_, odd) => [['migrate', '--database', odd, '--table', odd, '--yes']],
  },
  forget: {
    prepare: (world) => world.claim('order-1', { status: 'completed', attributes: { who: 'ada' } }),
    args: (world) => ['forget', operation, 'order-1', '--yes', '--json', ...by, ...table(world)],
    showing: (_, odd) => [['forget', operation, odd, '--yes', ...byOdd(odd)]],
    acts: 1,
    async done(world) {
      const found = await world.store.read(world.id('order-1'));
      // Erased and recorded, or neither.
      expect([found?.attributes, found?.forgotten?.by]).toBeOneOf([
        [undefined, 'maria'],
        [{ who: 'ada' }, undefined],
      ]);
      return found?.forgotten === undefined ? 0 : 1;
    },
    said: /(\d+) claims? forgotten|Nothing was changed/,
    code: 0,
  },
  acts: {
    ...reads,
    async prepare(world) {
      await withLocks(world);
      const desk = lockOperator({ store: dynamoLockStore(world.store), onEvent: () => undefined });
      const locks = world.keys.map((id) => ({ id }));
      for await (const _ of desk.release(await desk.planRelease({ locks, by: 'maria', note: 'cancelled' })));
    },
    args: (world) => ['acts', ...table(world), '--json'],
    showing: () => [['acts']],
    code: 0,
  },
  restored: {
    prepare: async () => undefined,
    args: (world) => ['restored', '--cut-off', '2026-11-21T09:00:00Z', '--yes', ...by, ...table(world)],
    showing: (_, odd) => [['restored', '--cut-off', odd, ...byOdd(odd)]],
    acts: 1,
    async done({ tableName, dynamo: client }) {
      const mark = await readRestored({ tableName, aws: sdk({ dynamodb: client }) });
      if (mark !== undefined) expect(mark.by).toBe('maria');
      return mark === undefined ? 0 : 1;
    },
    said: /The table is marked|Nothing was changed/,
    code: 1,
  },
  dlq: {
    ...reads,
    prepare: withLetters,
    args: (world) => ['dlq', ...letters(world), ...table(world), '--json'],
    showing: (world, odd) => [
      ['dlq', ...letters(world), '--bodies'],
      ['dlq', '--queue', odd],
    ],
    async done(world) {
      expect(await world.deadBodies()).toEqual(keys);
      return 0;
    },
    code: 1,
  },
  redrive: {
    prepare: withLetters,
    args: (world) => ['redrive', '--yes', '--json', ...letters(world), '--to', world.queue.url, ...table(world)],
    showing: (world, odd) => [
      ['redrive', ...letters(world), '--to', world.queue.url, '--dry-run'],
      ['redrive', ...letters(world), '--to', `http://${odd}`, '--dry-run'],
    ],
    acts: 3,
    done: redriven,
    said: /(\d+) messages? redriven|Nothing was changed/,
    code: 0,
  },
  discard: {
    async prepare(world) {
      for (const key of keys) await world.letter(key, { status: 'rejected' });
    },
    args: (world) => ['discard', '--reason', 'none', '--yes', '--json', ...by, ...letters(world), ...table(world)],
    showing: (world, odd) => [
      ['discard', ...letters(world), '--reason', 'none', '--even-in-doubt', '--dry-run', ...byOdd(odd)],
    ],
    acts: 3,
    async done(world) {
      const dead = await world.deadBodies();
      for (const key of keys) {
        const { discarded, status } = (await world.store.read(world.id(key))) ?? {};
        expect(status).toBe('rejected');
        // Recorded first: what is gone has its record.
        if (!dead.includes(key)) expect(discarded?.by).toBe('maria');
      }
      return keys.length - dead.length;
    },
    said: /(\d+) messages? discarded|Nothing was changed/,
    code: 0,
  },
  statements: {
    ...reads,
    prepare: withFindings,
    args: (world) => ['statements', operation, ...table(world)],
    showing: (_, odd) => [['statements', odd]],
    code: 1,
  },
  findings: {
    ...reads,
    prepare: withFindings,
    args: (world) => ['findings', ...table(world), '--json'],
    showing: (_, odd) => [['findings'], ['findings', odd]],
    code: 1,
  },
  'findings accept': {
    prepare: async (world) => {
      await withFindings(world);
      world.keys.push(...(await findingIds(world)));
    },
    args: (world) => ['findings', 'accept', ...world.keys, '--yes', ...by, ...table(world)],
    showing: (_, odd) => [['findings', 'accept', `#finding#${odd}`, '--yes', ...byOdd(odd)]],
    acts: 3,
    done: async (world) => 3 - (await findingIds(world)).length,
    said: /(\d+) findings? accepted|Nothing was changed/,
    code: 0,
  },
  'findings approve': {
    prepare: async (world) => {
      await withFindings(world);
      world.keys.push(...(await findingIds(world)));
      const identity = async () => 'arn:aws:sts::123456789012:assumed-role/Operators/maria';
      const asking = settleFindings({ ...remedies, store: world.store, identity, onEvent: () => undefined });
      for await (const _ of asking.settle(await asking.plan({ by: 'maria', note: 'the evening' })));
    },
    args: (world) => ['findings', 'approve', ...world.keys, '--yes', ...by, ...table(world)],
    showing: (_, odd) => [['findings', 'approve', `#finding#${odd}`]],
    acts: 3,
    async done({ store, keys }) {
      const found = await Promise.all(keys.map((id) => readFinding(withListing(store), id)));
      const approved = found.filter((one) => one?.approval !== undefined);
      // Who approves is not whoever asked.
      for (const one of approved) expect(one?.approval?.identity).not.toBe(one?.request?.identity);
      return approved.length;
    },
    said: /(\d+) findings? approved|Nothing was changed/,
    code: 0,
  },
  'findings settle': {
    prepare: async (world) => {
      await withFindings(world);
      world.keys.push(...(await findingIds(world)));
    },
    args: (world) => ['findings', 'settle', ...world.keys, '--by-hand', '--yes', ...by, ...table(world)],
    showing: (_, odd) => [
      ['findings', 'settle', `#finding#${odd}`, '--by-hand', '--yes', ...byOdd(odd)],
      ['findings', 'settle', '--remedies', `/${odd}`, ...byOdd(odd)],
    ],
    acts: 3,
    done: async (world) => 3 - (await findingIds(world)).length,
    said: /(\d+) findings? settled|Nothing was changed/,
    code: 0,
  },
  'findings settle by remedy': {
    async prepare(world) {
      await withFindings(world);
      world.keys.push(...(await findingIds(world)));
      writeFileSync(remediesFile(world), remediesText(world));
    },
    args: (world) => ['findings', 'settle', '--remedies', remediesFile(world), '--yes', ...by, ...table(world)],
    showing: (world, odd) => {
      writeFileSync(remediesFile(world), remediesText(world));
      return [['findings', 'settle', `#finding#${odd}`, '--remedies', remediesFile(world), '--yes', ...byOdd(odd)]];
    },
    acts: 3,
    async done(world) {
      const found = await Promise.all(world.keys.map((id) => readFinding(withListing(world.store), id)));
      const refunded = refundsIn(world);
      for (const one of found) {
        // The effect, and then its record: what is settled has happened, under the claim that the finding names.
        if (one?.remedied !== undefined) expect(refunded).toContain(one.remedied.claimId);
      }
      expect(new Set(refunded).size).toBeLessThanOrEqual(3);
      return found.filter((one) => one?.remedied !== undefined).length;
    },
    said: /(\d+) findings? settled|Nothing was changed/,
    async over(world) {
      for (const id of world.keys) {
        const { remedy } = (await readFinding(withListing(world.store), id)) ?? {};
        const claim = remedy && (await world.store.read(remedy.claimId));
        if (claim?.status === 'in-flight') await sleep(Math.max(0, claim.leaseUntil + 1100 - Date.now()));
      }
    },
    code: 0,
  },
  outbox: {
    ...reads,
    prepare: parkedMessages,
    args: ({ outboxTable }) => ['outbox', '--table', outboxTable, '--json'],
    showing: ({ outboxTable }, odd) => [
      ['outbox', '--table', outboxTable],
      ['outbox', odd],
      ['outbox', '--to', odd, '--table', outboxTable],
    ],
    code: 1,
  },
  'outbox retry': {
    prepare: parkedMessages,
    args: ({ outboxTable }) => ['outbox', 'retry', '--yes', '--json', '--table', outboxTable],
    showing: ({ outboxTable }, odd) => [['outbox', 'retry', `message#${odd}#1`, '--yes', '--table', outboxTable]],
    acts: 3,
    done: async (world) => 3 - (await world.messages()).filter(({ parked }) => parked !== undefined).length,
    said: /(\d+) messages? retried|Nothing was changed/,
    code: 0,
  },
  'outbox discard': {
    prepare: parkedMessages,
    args: ({ outboxTable }) => [
      'outbox',
      'discard',
      ...keys.map(idOfMessage),
      '--yes',
      '--json',
      '--table',
      outboxTable,
    ],
    showing: ({ outboxTable }, odd) => [['outbox', 'discard', `message#${odd}#1`, '--yes', '--table', outboxTable]],
    acts: 3,
    done: async (world) => 3 - (await world.messages()).length,
    said: /(\d+) messages? discarded|Nothing was changed/,
    code: 0,
  },
  console: {
    elsewhere: 'test/suites/integration/console/ended.test.ts',
    showing: (_, odd) => [['console', odd]],
  },
  rehearse: {
    elsewhere: 'test/suites/integration/rehearsal/signals.long.test.ts',
    showing: (_, odd) => [['rehearse', `/${odd}`]],
  },
  doctor: { elsewhere: 'test/cli/ended.test.ts', showing: (_, odd) => [['doctor', odd, odd]] },
  template: { elsewhere: 'test/cli/ended.test.ts', showing: (_, odd) => [['template', odd]] },
  completion: { elsewhere: 'test/cli/ended.test.ts', showing: (_, odd) => [['completion', odd]] },
};
