import { type ClaimOptions, hashed, once } from '../../lib/pawl/index.ts';
import type { Host } from '../../lib/pawl/kernel/host.ts';
import { operator } from '../../lib/pawl/operate/index.ts';
import { type MemoryStore, memoryStore } from '../../lib/pawl/stores/memory.ts';
import { createRandom, type Random } from '../../lib/rehearsal/engine/random.ts';

/*
 * The secret of hidden keys is changed while messages go on: workers of neighbouring versions side by side, in every order that chance finds, and killed between
 * any two of their writes.
 *
 * Owns: the order of steps, time, kills, and the deployments. Everything that pawl does is the production code, over a store in memory.
 *
 * What must be true:
 * 1. Under `'park'`, no key has two effects.
 * 2. None is lost: a key has its effect, or its claim is parked.
 * 3. Where no worker was killed, no claim is parked.
 */

/** `old`: claims under the old secret. `both`: under the old one, and inside of it under the new one. `new`: under the new one. */
type Version = 'old' | 'both' | 'new';

/**
 * What is done wrong on purpose. `reads`: the version between the two looks at the claim of the old secret, and does not claim it. `retries`: it claims it
 * under another policy than its author's.
 */
export type Mistake = 'none' | 'reads' | 'retries';

export type Deployments = readonly ('wait' | readonly [Version, ...Version[]])[];

export interface Rotation {
  readonly seed: number;
  /**
   * Which versions run side by side, one set after the other. Before a set, the workers of all versions that are not in it have ended. `wait`: until no message
   * of a key comes any more that was sent before.
   */
  readonly deployments: Deployments;
  /** The share of the steps at which a worker is killed. */
  readonly kills: number;
  readonly mistake?: Mistake;
}

export interface Rotated {
  readonly problems: readonly string[];
  readonly kills: number;
  readonly parked: number;
  /** How many deliveries found the effect of a worker of another version. */
  readonly honoured: number;
}

const operation = 'charge';
const secrets = { old: 'the secret of last year', new: 'the secret of this year' } as const;
/** How long an invocation may take, and how long a message is hidden: longer than that, and than the allowance for clocks. */
const times = { invocationMs: 10_000, hiddenMs: 15_000 } as const;
const messagesPerDeployment = 6;
const keysPerDeployment = 4;

interface Message {
  readonly key: string;
  dueAt: number;
}

interface Worker {
  readonly version: Version;
  readonly message: Message;
  isKilled: boolean;
  isOver: boolean;
}

/** A step that a worker waits to make. */
interface Step {
  readonly worker: Worker;
  readonly go: () => void;
}

interface World {
  readonly random: Random;
  readonly run: Rotation;
  readonly store: MemoryStore;
  readonly host: Host;
  readonly steps: Step[];
  readonly workers: Set<Worker>;
  readonly messages: Message[];
  readonly effects: { readonly key: string; readonly version: Version }[];
  readonly done: Set<string>;
  /** Moves time on, and runs what is due. */
  readonly pass: (ms: number) => void;
  kills: number;
  honoured: number;
}

export async function rotate(run: Rotation): Promise<Rotated> {
  const world = createWorld(run);
  let sent = 0;
  let oldest = 0;
  let last: readonly Version[] = [];
  const isQuiet = () => world.messages.length === 0 && world.workers.size === 0;
  for (const versions of run.deployments) {
    if (versions === 'wait') {
      await until(world, isQuiet, last);
      oldest = ++sent;
      continue;
    }
    last = versions;
    await until(world, () => [...world.workers].every(({ version }) => versions.includes(version)), []);
    for (let n = 0; n < messagesPerDeployment; n += 1) {
      // Some keys are of earlier deployments: what was done then is not to be done again.
      const key = `order-${Math.max(oldest, sent - world.random.below(2 * keysPerDeployment))}`;
      sent += n % 2;
      world.messages.push({ key, dueAt: world.host.now() + world.random.below(20_000) });
    }
    const endsAt = world.host.now() + 40_000;
    await until(world, () => world.host.now() >= endsAt, versions);
  }
  await until(world, isQuiet, last);
  return judge(world);
}

async function judge({ effects, store, host, done, kills, honoured }: World): Promise<Rotated> {
  const problems: string[] = [];
  const desks = Object.values(secrets).map((secret) => operator({ store, host, hideKeys: hashed(secret) }));
  let parked = 0;
  for (const key of done) {
    const claims = await Promise.all(desks.map((desk) => desk.readClaim({ operation, key })));
    const isParked = claims.some((claim) => claim?.status === 'parked');
    parked += isParked ? 1 : 0;
    const versions = effects.filter((one) => one.key === key).map(({ version }) => version);
    if (versions.length > 1) problems.push(`${key} has ${versions.length} effects, by ${versions.join(' and ')}`);
    if (versions.length === 0 && !isParked) problems.push(`${key} has no effect, and is not parked`);
  }
  if (kills === 0 && parked > 0) problems.push(`${parked} claims are parked, and no worker was killed`);
  return { problems, kills, parked, honoured };
}

function createWorld(run: Rotation): World {
  const random = createRandom(run.seed);
  let time = Date.UTC(2026, 10, 21, 9, 30);
  let ids = 0;
  const timers = new Set<{ readonly at: number; readonly go: () => void }>();
  const host: Host = {
    now: () => time,
    random: () => random.next(),
    randomId: () => `id-${++ids}`,
    sha256: (text) => text,
    after(ms, go) {
      const timer = { at: time + ms, go };
      timers.add(timer);
      return () => timers.delete(timer);
    },
  };
  return {
    ...{ random, run, host, store: memoryStore(), steps: [], workers: new Set(), messages: [], effects: [] },
    ...{ done: new Set(), kills: 0, honoured: 0 },
    pass(ms) {
      time += ms;
      for (const timer of [...timers].filter(({ at }) => at <= time)) {
        timers.delete(timer);
        timer.go();
      }
    },
  };
}

/** Lets steps happen, in an order of chance, until something is true. @param versions those of which new workers begin */
async function until(world: World, isSo: () => boolean, versions: readonly Version[]): Promise<void> {
  const { random, steps, messages, host } = world;
  while (!isSo()) {
    await settled();
    const due = versions.length === 0 ? -1 : messages.findIndex(({ dueAt }) => dueAt <= host.now());
    if (due >= 0 && (steps.length === 0 || random.chance(0.4))) {
      const [message] = messages.splice(due, 1);
      begin(world, versions[random.below(versions.length)] as Version, message as Message);
    } else if (steps.length > 0 && !random.chance(0.05)) {
      const [step] = steps.splice(random.below(steps.length), 1);
      take(world, step as Step);
    } else world.pass(random.below(2_000));
  }
}

function take(world: World, { worker, go }: Step): void {
  if (worker.isKilled || !world.random.chance(world.run.kills)) {
    if (!worker.isKilled) go();
    return;
  }
  world.kills += 1;
  end(world, worker, 'again');
  worker.isKilled = true;
}

function end(world: World, worker: Worker, how: 'done' | 'again'): void {
  if (worker.isOver) return;
  worker.isOver = true;
  world.workers.delete(worker);
  const { message } = worker;
  if (how === 'done') world.done.add(message.key);
  else world.messages.push({ ...message, dueAt: world.host.now() + times.hiddenMs });
}

function begin(world: World, version: Version, message: Message): void {
  const worker: Worker = { version, message, isKilled: false, isOver: false };
  world.workers.add(worker);
  const endsAt = world.host.now() + times.invocationMs;
  const before = world.effects.length;
  handlerOf(world, worker)(message.key, { remainingMs: () => endsAt - world.host.now() }).then(
    ({ outcome }) => {
      const first = world.effects.find(({ key }) => key === message.key);
      if (outcome === 'completed' && first !== undefined && world.effects.indexOf(first) < before)
        world.honoured += first.version === version ? 0 : 1;
      // Parked: the message is a dead letter, and an operator decides.
      end(world, worker, outcome === 'completed' || outcome === 'parked' ? 'done' : 'again');
    },
    () => end(world, worker, 'again'),
  );
}

/** What a version does with a message, as its author has written it. */
function handlerOf(world: World, worker: Worker) {
  const { store, host, run, effects } = world;
  /** Each request, and each effect, is a step of its own. */
  const step = <Made>(make: () => Made) =>
    new Promise<Made>((resolve) => {
      world.steps.push({ worker, go: () => resolve(make()) });
    });
  const stepped: ClaimOptions<string>['store'] = {
    read: async (id) => step(() => store.read(id)),
    write: async (write) => step(() => store.write(write)),
  };
  const options = (secret: keyof typeof secrets) => ({
    ...{ operation, store: stepped, host, key: (key: string) => key, hideKeys: hashed(secrets[secret]) },
    ...{ onAbandoned: 'park' as const, onEvent: () => undefined },
  });
  const charge = (key: string) =>
    step(() => {
      effects.push({ key, version: worker.version });
    });
  if (worker.version !== 'both') return once(options(worker.version), charge).outcome;
  const underNew = once(options('new'), charge);
  if (run.mistake === 'reads') {
    const old = operator({ store: stepped, host, hideKeys: hashed(secrets.old) } as never);
    return async (key: string, call: { readonly remainingMs: () => number }) => {
      const found = await old.readClaim({ operation, key });
      return found?.status === 'completed' ? { outcome: 'completed' } : underNew.outcome(key, call);
    };
  }
  const outer = run.mistake === 'retries' ? { ...options('old'), onAbandoned: 'retry' as const } : options('old');
  return once(outer, (key: string, claim) => underNew(key, { remainingMs: () => claim.remainingMs() })).outcome;
}

function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
