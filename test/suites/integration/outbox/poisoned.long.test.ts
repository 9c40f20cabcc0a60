import { expect, it } from 'vitest';
import { type Destination, outboxOperator, outboxRelay } from '../../../../lib/pawl/outbox/index.ts';
import { collect } from '../../../support/collect.ts';
import { context } from '../../../support/lambda.ts';
import { type Storage, storages } from './storages.ts';

/*
 * Workers commit messages of two hundred groups, and send none of them: one relay does. Of ten groups the first message is refused for good. How long the
 * messages of the others are on their way is measured beside a run in which nothing is refused, and printed: it is no verdict on the machine.
 */

/** `npm run campaign -- outbox` has fifty thousand, and two runs of each kind. */
const messages = Number(process.env['PAWL_MESSAGES'] ?? 2000);
const rounds = Number(process.env['PAWL_ROUNDS'] ?? 1);
const groups = Array.from({ length: 200 }, (_, index) => `g${index}`);
const poisoned = new Set(groups.filter((_, index) => index % 20 === 7));
const clean = groups.filter((group) => !poisoned.has(group));
const perGroup = messages / groups.length;

const workers = 2;
/** A transaction has a hundred actions: these groups have a counter each. */
const groupsOfCommit = 10;
const mostOfGroup = 8;

interface Arrival {
  readonly group: string;
  readonly n: number;
  /** From its commit on, in milliseconds. */
  readonly afterMs: number;
}

const refusal = Object.assign(new Error('no'), { name: 'InvalidMessageContents', $metadata: { httpStatusCode: 400 } });

/** DynamoDB Local gives a transaction up that waits for another one's lock, and writes nothing. */
async function inTime(commit: () => Promise<unknown>): Promise<void> {
  try {
    await commit();
  } catch (error) {
    if (!(error instanceof Error && /waiting for a lock/.test(error.message))) throw error;
    await inTime(commit);
  }
}

/** A FIFO queue of which only arrivals are known. A copy, of a message whose removal the database gave up on a slow machine, is none. */
function destination() {
  const arrivals: Arrival[] = [];
  const known = new Set<string>();
  const refused = new Set<string>();
  const queue: Destination = {
    name: 'queue()',
    address: 'any',
    takes: () => true,
    problem: () => undefined,
    mostBytes: 1e6,
    takesPointers: true,
    bytesBeside: () => 0,
    async send({ uid, group = '', body, committedAt }) {
      const { n } = JSON.parse(body);
      if (n === 0 && refused.has(group)) throw refusal;
      if (known.has(uid)) return;
      known.add(uid);
      arrivals.push({ group, n, afterMs: Date.now() - committedAt });
    },
  };
  return { arrivals, refused, queue };
}

async function run({ setUp }: Storage, isPoisoned: boolean) {
  const { arrivals, refused, queue } = destination();
  const world = await setUp({ atOnceMs: 0, destinations: [queue] });
  const { outbox } = world;
  if (isPoisoned) for (const group of poisoned) refused.add(group);

  async function work(theirs: readonly string[]): Promise<void> {
    for (let from = 0; from < perGroup; from += mostOfGroup) {
      for (let first = 0; first < theirs.length; first += groupsOfCommit) {
        const some = theirs
          .slice(first, first + groupsOfCommit)
          .flatMap((group) =>
            Array.from({ length: Math.min(mostOfGroup, perGroup - from) }, (_, index) => ({ group, n: from + index })),
          );
        const drafts = some.map(({ group, n }) =>
          world.message({ to: 'https://queue.fifo', key: `${group}/${n}`, body: { n }, group }),
        );
        await inTime(() => world.commitOwn(drafts));
      }
    }
  }

  const relay = outboxRelay({ outbox, olderThanMs: 0, onReport: () => undefined });
  const expected = (isPoisoned ? clean : groups).length * perGroup;
  let isCommitted = false;
  async function send(): Promise<void> {
    while (!isCommitted || arrivals.length < expected) {
      for (const event of await world.relayEvents()) await relay(event, context(600_000));
    }
  }
  const share = groups.length / workers;
  const working = Array.from({ length: workers }, (_, index) => work(groups.slice(index * share, (index + 1) * share)));
  const committing = Promise.all(working).then(() => {
    isCommitted = true;
  });
  await Promise.all([committing, send()]);
  return { ...world, arrivals, refused, relay };
}

const arrivedOf = (arrivals: readonly Arrival[]) => Map.groupBy(arrivals, ({ group }) => group);
const inOrder = Array.from({ length: perGroup }, (_, n) => n);

/** How long the messages of clean groups were on their way: the median of each group, of these the median and the longest, in milliseconds. */
function delaysOf(arrivals: readonly Arrival[]) {
  const byGroup = arrivedOf(arrivals);
  const medians = clean.map((group) => middle((byGroup.get(group) ?? []).map(({ afterMs }) => afterMs)));
  return { median: middle(medians), worstGroup: Math.max(...medians) };
}

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

it.each(storages)(
  'in $database, one relay sends all messages of the groups beside ten poisoned ones, in their order, and leaves nothing once these are corrected',
  async (storage) => {
    const delays = { without: [] as ReturnType<typeof delaysOf>[], poisoned: [] as ReturnType<typeof delaysOf>[] };
    // What slows the machine slows either kind: they take turns, and the one that comes first does not stay the first.
    const kinds = Array.from({ length: rounds }, (_, n) => (n % 2 === 0 ? [false, true] : [true, false])).flat();
    for (const isPoisoned of kinds) {
      const { arrivals, refused, outbox, waiting, relay, relayEvents } = await run(storage, isPoisoned);
      delays[isPoisoned ? 'poisoned' : 'without'].push(delaysOf(arrivals));
      const sent = arrivedOf(arrivals);
      for (const group of clean) expect(sent.get(group)?.map(({ n }) => n)).toEqual(inOrder);
      if (isPoisoned) {
        expect([...poisoned].flatMap((group) => sent.get(group) ?? [])).toEqual([]);
        const operator = outboxOperator({ outbox });
        const parked = await collect(operator.list({ parked: true }));
        expect(parked.map(({ key }) => key).toSorted()).toEqual([...poisoned].map((group) => `${group}/0`).toSorted());
        refused.clear();
        for (const { id } of parked) expect(await operator.retry(id)).toMatchObject({ outcome: 'retried' });
        for (const event of [...(await relayEvents()), {}]) await relay(event, context(600_000));
      }
      const all = arrivedOf(arrivals);
      for (const group of groups) expect(all.get(group)?.map(({ n }) => n)).toEqual(inOrder);
      expect(await waiting()).toEqual([]);
    }
    const figures = Object.entries(delays).map(([kind, found]) => [
      kind,
      { median: found.map(({ median }) => median), worstGroup: found.map(({ worstGroup }) => worstGroup) },
    ]);
    const { database } = storage;
    const ratioOf = (pick: (delay: ReturnType<typeof delaysOf>) => number) =>
      (middle(delays.poisoned.map(pick)) / middle(delays.without.map(pick))).toFixed(2);
    const ratios = { median: ratioOf(({ median }) => median), worstGroup: ratioOf(({ worstGroup }) => worstGroup) };
    console.log(JSON.stringify({ database, messages, ...Object.fromEntries(figures), ratios }));
  },
  // A campaign takes as long as it takes.
  600_000 + 200 * messages * rounds,
);
