import { sdk } from '../../../lib/pawl/aws/sdk.ts';
import { reconcile } from '../../../lib/pawl/engine/reconcile.ts';
import { checkpointsOf, stepsInDoubt } from '../../../lib/pawl/rules/checkpoints.ts';
import { openClaimOf } from '../../../lib/pawl/rules/open-claims.ts';
import type { ClaimRecord, ResolutionVerdict } from '../../../lib/pawl/rules/record.ts';
import type { StepResolutions } from '../../../lib/pawl/rules/resolve.ts';
import { dynamoStore } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { fromItem } from '../../../lib/pawl/stores/dynamodb/item.ts';
import { changeMark, correctedBy, markedBy, restoredId } from '../../../lib/pawl/stores/dynamodb/restore-mark.ts';
import { restoredTable } from '../../../lib/pawl/stores/dynamodb/restored-store.ts';
import { sweepOpenClaims } from '../../../lib/pawl/sweep/index.ts';
import { transactionalStore } from '../../../lib/pawl/transactions/index.ts';
import { resolverOf } from '../../../test/support/resolver-of.ts';
import { dynamoClient } from '../dynamodb/client.ts';
import { type Item, type SimulatedTable, simulatedTable } from '../dynamodb/table.ts';
import { createSandbox, type Sandbox } from '../lambda/sandbox.ts';
import type { Violation } from '../parts.ts';
import type { Simulated, SimulateOptions } from '../simulate.ts';
import { createTroubles } from '../troubles.ts';
import { createWorld, worldBegins } from '../world/world.ts';
import { createProvider, settleMs } from './provider.ts';
import { createRestoreScenario, type RestoreScenario } from './scenario.ts';
import { counterId, createConsumer, operation, partsOf } from './work.ts';

const counted = [
  'attempts',
  'kills',
  'effects',
  'restores',
  'carriedMarks',
  'leasesBeyondMark',
  'partsLost',
  'corrections',
  'lifts',
  'resolved',
  'swept',
  'storeRequests',
  'faults',
] as const;

/** What happened, in numbers. */
export type RestoreStats = Record<(typeof counted)[number], number>;

/** When everything has to have ended, after the last fault: each receive may wait for a lease, and each doubt for an operator. */
const mayTakeMs = 3_600_000;

const cut = (cutOffMs: number, at: number, note: string) => ({
  cutOff: worldBegins + cutOffMs,
  at,
  by: 'operator',
  note,
});

/**
 * Runs one seed: a table that is restored in mid-traffic, and once more. Messages come again and again, workers die, an operator who knows what has
 * happened decides what is parked, and a sweep what is in doubt. Marks are corrected, and lifted once nothing is forgotten.
 *
 * What must hold: of a part whose policy asks or parks, and of a commit, there is one effect (1); a claim is completed only when all parts are applied (2);
 * everything is completed in the end (14); and after the last mark is lifted, a key that is new runs without being asked about.
 */
export async function simulateRestores(
  seed: number,
  { keepsStory = false, turnsTheLoop = false }: Omit<SimulateOptions, 'change'> = {},
): Promise<Simulated<RestoreScenario, RestoreStats>> {
  const scenario = createRestoreScenario(seed);
  const { eras, keys: keyCount, faultsEndMs, timeoutMs } = scenario;
  const world = createWorld({ seed: seed + 0x2_0000_0000, keepsStory, turnsTheLoop });
  const { random } = world;
  const stats = Object.fromEntries(counted.map((name) => [name, 0])) as RestoreStats;
  const violations: Violation[] = [];
  const problem = (invariant: number, text: string) => void violations.push({ invariant, text, at: world.time });
  const parts = partsOf(scenario);
  const provider = createProvider(world, scenario, (part, times) => {
    stats.effects++;
    const policy = parts.find(({ name }) => part.endsWith(`/${name}`))?.policy;
    if (times > 1 && policy !== 'retry') problem(1, `${part} is applied ${times} times`);
  });
  const surroundings = {
    world,
    stats,
    scenario,
    ...createTroubles(world, scenario, stats),
    oracle: { heard: () => undefined, storeFails: () => undefined, sending: () => undefined },
  };
  const calm = { ...surroundings, strikes: () => false, isOut: () => false };

  const keys = Array.from({ length: keyCount }, (_, index) => `k${index + 1}`);
  const alive = new Map<Sandbox, string>();
  let era = 0;
  let table = createTable();
  /** Whether consumers may run: none does between two tables. */
  let isOpen = true;
  let [operating, ids] = [0, 0];

  function createTable(): SimulatedTable<Sandbox> {
    return simulatedTable<Sandbox>(`claims-${era}`, (_, before, after) => {
      const id = after['id']?.S ?? '';
      const times = Number(after['times']?.N ?? 0);
      if (id.startsWith('app#') && times > 1) problem(1, `${id} is committed ${times} times`);
      if (
        id.startsWith(`${operation}#`) &&
        after['status']?.S === 'completed' &&
        before?.['status']?.S !== 'completed'
      ) {
        const key = id.slice(operation.length + 1);
        for (const { name } of parts)
          if (!isApplied(key, name, after)) problem(2, `${key} is completed without ${name}`);
      }
    });
  }

  const awsOf = (sandbox: Sandbox, way: typeof surroundings) => sdk({ dynamodb: dynamoClient(way, sandbox, table) });
  const optionsOf = (sandbox: Sandbox, way = surroundings) => ({
    tableName: `claims-${era}`,
    aws: awsOf(sandbox, way),
    host: sandbox.host,
    restored: era > 0 ? restoredTable : undefined,
  });
  const recordOf = (key: string): ClaimRecord | undefined => {
    const item = table.items.get(`${operation}#${key}`);
    return item && fromItem(item);
  };
  const isDone = (key: string) => recordOf(key)?.status === 'completed';
  const newSandbox = (name: string) => createSandbox(world, `${name}-${++ids}`, Math.round(random.between(-400, 400)));

  /** A commit and the completion of its claim are one transaction: of what is being completed, the last part is. */
  function isApplied(key: string, name: string, completing?: Item): boolean {
    const part = parts.find((one) => one.name === name);
    if (part?.kind === 'remote') return provider.times(`${key}/${name}`) > 0;
    return table.items.has(counterId(key, name)) || (completing !== undefined && part === parts.at(-1));
  }

  function attempt(key: string): void {
    const sandbox = newSandbox('worker');
    alive.set(sandbox, key);
    stats.attempts++;
    const end = (why: string) => {
      if (!alive.delete(sandbox)) return;
      world.note(sandbox.name, why, key);
      sandbox.kill();
    };
    if (world.time < faultsEndMs && random.chance(scenario.killed)) {
      const strike = () => {
        stats.kills++;
        end('is killed');
      };
      sandbox.lieInWait({ call: random.below(10), sent: random.chance(0.5), strike });
    }
    world.after(timeoutMs + 1000, () => end('timed out'));
    const store = transactionalStore(dynamoStore(optionsOf(sandbox)));
    const pay = createConsumer(scenario, provider, sandbox, store);
    pay(key).then(
      ({ outcome }) => end(outcome),
      (error) => end(String((error as Error)?.name)),
    );
  }

  /** A message comes again until it is done, and sometimes after that. */
  function send(key: string, afterMs: number): void {
    world.after(afterMs, () => {
      const isCalm = world.time > faultsEndMs;
      if (isOpen && !(isCalm && isDone(key))) attempt(key);
      send(key, random.between(500, isCalm ? 40_000 : 12_000));
    });
  }

  /** What an operator says who knows what has happened to the parts. */
  function truthOf(key: string, found: ClaimRecord): ResolutionVerdict | StepResolutions {
    const listed = stepsInDoubt(found).map(({ name }) => name);
    if (listed.length > 0) {
      const say = (name: string) => (isApplied(key, name) ? 'applied' : 'not-applied');
      return Object.fromEntries(listed.map((name) => [name, say(name)] as const));
    }
    const done = checkpointsOf(found).flatMap((one) => (one?.state === 'done' ? [one.name] : []));
    const open = parts.filter(({ name }) => !done.includes(name));
    if (parts.every(({ name }) => isApplied(key, name))) return 'applied';
    return open.some(({ name }) => isApplied(key, name)) ? 'retry' : 'not-applied';
  }

  async function operate(sandbox: Sandbox): Promise<void> {
    const store = dynamoStore(optionsOf(sandbox, calm));
    const claims = resolverOf({ operation, store, host: sandbox.host });
    for (const key of keys) {
      const isBusy = provider.isPending(key) || [...alive.values()].includes(key);
      const found = isBusy ? undefined : await claims.read(key);
      if (found?.status !== 'parked' || !sandbox.alive) continue;
      const verdict = truthOf(key, found);
      const by = { by: 'operator', note: 'looked it up', fence: found.fence };
      const { outcome } = await claims.resolve(key, verdict, by);
      world.note(sandbox.name, 'decides', `${key}: ${JSON.stringify(verdict)} (${outcome})`);
      if (outcome === 'resolved') stats.resolved++;
    }
  }

  async function sweep(sandbox: Sandbox): Promise<void> {
    const store = dynamoStore(optionsOf(sandbox, calm));
    const claims = () =>
      [...table.items.values()].filter(({ open }) => open).map((item) => openClaimOf(fromItem(item)));
    const handler = sweepOpenClaims({
      store: { ...store, listOpen: async () => ({ claims: claims(), cursor: undefined }) },
      host: sandbox.host,
      operations: {
        [operation]: {
          onAbandoned: reconcile({
            ask({ key, step }) {
              if (step !== undefined) return { verdict: isApplied(key, step) ? 'applied' : 'not-applied' };
              const applied = parts.filter(({ name }) => isApplied(key, name)).length;
              if (applied === parts.length) return { verdict: 'applied' };
              return { verdict: applied === 0 ? 'not-applied' : 'inconclusive' };
            },
            settleMs,
          }),
        },
      },
      askAgainMs: 1000,
      onEvent: () => undefined,
      onReport: ({ applied, notApplied }) => {
        stats.swept += applied + notApplied;
      },
    });
    const endsAt = sandbox.clock() + 20_000;
    await handler({}, { getRemainingTimeInMillis: () => endsAt - sandbox.clock() });
  }

  /** Runs something in a process of its own, which ends with its table. */
  function runApart(name: string, run: (sandbox: Sandbox) => Promise<void>): void {
    if (!isOpen) return;
    const sandbox = newSandbox(name);
    const begun = era;
    operating++;
    const over = () => {
      operating--;
      sandbox.kill();
    };
    apart.set(sandbox, over);
    run(sandbox).then(
      () => apart.delete(sandbox) && over(),
      (error) => {
        if (apart.delete(sandbox)) over();
        if (begun === era) problem(0, `${name} failed: ${error}`);
      },
    );
  }
  const apart = new Map<Sandbox, () => void>();

  function every(fromMs: number, toMs: number, run: () => void): void {
    world.after(random.between(fromMs, toMs), () => {
      run();
      every(fromMs, toMs, run);
    });
  }

  /** The table as it was: its claims, and its mark. What is not restored is as it is. */
  const claimsNow = () => [...table.items.values()].filter(({ id }) => !id?.S?.startsWith('app#'));

  function stop(): void {
    isOpen = false;
    for (const sandbox of [...alive.keys()]) sandbox.kill();
    alive.clear();
    for (const over of apart.values()) over();
    apart.clear();
    world.note('operator', 'stops the consumers');
  }

  async function reopen(records: readonly Item[], { cutOffMs }: RestoreScenario['eras'][number]): Promise<void> {
    const before = table;
    era++;
    table = createTable();
    for (const item of records) table.put(item);
    for (const [id, item] of before.items) if (id.startsWith('app#')) table.put(item);
    stats.restores++;
    stats.carriedMarks += records.filter(({ id }) => id?.S === restoredId).length;
    const sandbox = newSandbox('marking');
    const at = Math.floor(sandbox.clock());
    for (const key of keys) {
      const found = recordOf(key);
      const isLost = JSON.stringify(found) !== JSON.stringify(before.items.get(`${operation}#${key}`));
      if (found?.status === 'in-flight' && found.leaseUntil >= at) stats.leasesBeyondMark++;
      if (isLost && parts.some(({ name }) => isApplied(key, name))) stats.partsLost++;
    }
    const transport = awsOf(sandbox, calm).dynamodb;
    const mark = cut(cutOffMs, at, 'restored');
    await changeMark(transport, `claims-${era}`, (own, earlier) => markedBy(own, earlier, mark));
    isOpen = true;
    world.note('operator', 'opens', `table ${era}`);
  }

  function lift(): void {
    if (era === 0 || !keys.every(isDone)) return;
    runApart('lifting', async (sandbox) => {
      const at = sandbox.clock();
      const transport = awsOf(sandbox, calm).dynamodb;
      await changeMark(transport, `claims-${era}`, (own) => {
        if (own === undefined || own.liftedAt !== undefined) return { kind: 'keep', mark: own };
        stats.lifts++;
        return { kind: 'write', draft: { ...own, liftedAt: at, liftedBy: 'operator', liftNote: 'all is done' } };
      });
    });
  }

  function correct(): void {
    if (era === 0) return;
    runApart('correcting', async (sandbox) => {
      const earlier = cut(-random.between(1000, 100_000), sandbox.clock(), 'earlier');
      await changeMark(awsOf(sandbox, calm).dynamodb, `claims-${era}`, (own) => correctedBy(own, earlier));
      stats.corrections++;
    });
  }

  for (const key of keys) send(key, random.chance(0.5) ? random.between(0, 5000) : random.between(0, faultsEndMs));
  every(4000, 15_000, () => runApart('operator', operate));
  if (scenario.sweeps) every(5000, 20_000, () => runApart('sweep', sweep));
  every(5000, 20_000, () => world.time < faultsEndMs && lift());
  if (scenario.corrects) every(10_000, 60_000, () => world.time < faultsEndMs && correct());
  for (const one of eras) {
    let records: readonly Item[] = [];
    const cutOff = () => {
      const isMet = claimsNow().some(({ status }) => status?.S === 'in-flight');
      if (scenario.cutsInFlight && !isMet && world.time < one.stopMs - 1000) world.after(20, cutOff);
      else records = claimsNow().map((item) => ({ ...item }));
    };
    world.after(one.cutOffMs, cutOff);
    world.after(one.stopMs, stop);
    world.after(one.markMs, () => void reopen(records, one).catch((error) => problem(0, `not marked: ${error}`)));
  }

  const isOver = () => world.time > faultsEndMs && isOpen && keys.every(isDone) && alive.size === 0 && operating === 0;
  const ends = () => violations.length > 0 || isOver();
  await world.run(faultsEndMs + mayTakeMs, ends);
  if (violations.length === 0 && !isOver()) {
    problem(14, `not ended: ${keys.map((key) => `${key} ${recordOf(key)?.status}`).join(', ')}`);
  }
  if (violations.length === 0) {
    for (const key of keys)
      for (const { name } of parts) if (!isApplied(key, name)) problem(7, `${key}/${name} is lost`);
    lift();
    keys.push('new');
    world.after(40_000, () => attempt('new'));
    await world.run(world.time + 40_000 + timeoutMs, () => isDone('new') || violations.length > 0);
    if (violations.length === 0 && !isDone('new')) problem(14, `a new key is ${recordOf('new')?.status}`);
  }
  const { hash, steps, time, story } = world;
  return { seed, scenario, violations, stats, hash, steps, virtualMs: time, story };
}
