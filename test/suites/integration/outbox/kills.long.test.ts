import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createRandom, type Random } from '../../../../lib/rehearsal/engine/random.ts';
import { sqsEvent, sqsRecord } from '../../../support/lambda.ts';
import { type Run, run, sweepOut } from './process.ts';
import { type Storage, storages } from './storages.ts';

/*
 * Payments of one message group, by three workers at once, while a relay and a sweep go on: each in a process of its own, and most of them killed with
 * SIGKILL at one of their requests.
 */

/** `npm run campaign -- outbox` has a thousand in each database. */
const leastKills = Number(process.env['PAWL_KILLS'] ?? 11);

type Requests = readonly [string, ...string[]];

/** The requests at which a worker may die, and one that sends what was left. */
const requestsOf: Readonly<Record<Storage['database'], { readonly worker: Requests; readonly relay: Requests }>> = {
  DynamoDB: {
    worker: ['QueryCommand', 'TransactWriteItemsCommand', 'send', 'remove'],
    relay: ['QueryCommand', 'send', 'remove'],
  },
  PostgreSQL: {
    worker: ['count', 'write', 'COMMIT', 'send', 'remove'],
    relay: ['due', 'lane', 'send', 'remove'],
  },
};

interface Story {
  /** How payments are made. */
  readonly role: Run['role'];
  readonly payments: number;
  readonly seed: number;
}

async function tell({ database, setUp }: Storage, { role, payments, seed }: Story) {
  const world = await setUp({}, true);
  const requests = requestsOf[database];
  const { changes } = world;
  const ids = Array.from({ length: payments }, (_, index) => `p-${index + 1}`);
  const left = [...ids];
  const kills: string[] = [];

  async function invoke(random: Random, one: Run, mayDie = true): Promise<string> {
    const diesAt = `${random.pick(['sends', 'wrote'])} ${random.pick(one.role === role ? requests.worker : requests.relay)}`;
    const ended = await run(world, changes.url, random.chance(0.7) && mayDie ? { ...one, diesAt } : one);
    if (ended === 'SIGKILL') kills.push(`${one.role === role ? 'worker' : 'relay'} ${diesAt}`);
    return ended;
  }

  async function work(): Promise<void> {
    for (let id = left.shift(); id !== undefined; id = left.shift()) {
      // Of its own: what becomes of a payment does not depend on the others.
      const random = createRandom(seed * 1000 + ids.indexOf(id));
      for (let receiveCount = 1; ; receiveCount += 1) {
        const event = sqsEvent(sqsRecord({ id }, { receiveCount, messageId: id }));
        // A payment that is abandoned three times would be parked.
        const ended = await invoke(random, { role, event }, receiveCount < 3);
        if (ended === 'returned') break;
        // Its queue hides it until the lease of a worker that has died is over.
        if (ended === 'failed') await sleep(1000);
      }
    }
  }

  let isPaid = false;
  async function relay(): Promise<void> {
    const random = createRandom(seed);
    while (!isPaid) {
      const [name, event] = random.chance(0.5)
        ? (['sweep', {}] as const)
        : (['relay', await world.relayEvent()] as const);
      await invoke(random, { role: name, event });
    }
  }

  const relaying = relay();
  await Promise.all([work(), work(), work()]);
  isPaid = true;
  await relaying;
  await sweepOut(world, changes.url);

  const committed = (await world.committed()).map(({ id }) => id);
  const entries = await Promise.all(ids.map(world.entry));
  return {
    kills,
    entries: entries.filter((entry) => entry !== undefined).length,
    waiting: await world.waiting(),
    committed,
    receipts: (await world.consume(changes)).map((body) => (body as { readonly id: string }).id),
  };
}

it.each(storages)(
  'in $database, has one entry and one receipt for each payment, in the order of the commits, and leaves nothing behind',
  async (storage) => {
    const kills: string[] = [];
    let seed = 0;
    for (; kills.length < leastKills; ) {
      const told = await tell(storage, { role: 'post', payments: 20, seed: ++seed });
      kills.push(...told.kills);
      process.stderr.write(`${storage.database}, seed ${seed}: ${kills.length} of ${leastKills} kills\n`);
      expect(told.entries).toBe(20);
      expect(told.waiting).toEqual([]);
      expect(new Set(told.committed).size).toBe(20);
      expect(told.receipts).toEqual(told.committed);
    }
    const points = Map.groupBy(kills, (point) => point);
    console.log(
      `${storage.database}: ${20 * seed} payments, ${kills.length} kills: ${[...points].map(([point, at]) => `${point} ${at.length}`).join(', ')}`,
    );
  },
  // A campaign takes as long as it takes.
  leastKills * 60_000,
);

it.each(storages)(
  'in $database, finds receipts that are committed after their entries, and not with them: they are lost where a worker dies between the two',
  async (storage) => {
    const { entries, receipts } = await tell(storage, { role: 'outside', payments: 12, seed: 2 });
    expect(entries).toBe(12);
    expect(receipts.length).toBeLessThan(12);
  },
);
