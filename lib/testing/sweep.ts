import { installAmbient } from './ambient.ts';
import { countsOf, wantedOf } from './effects.ts';
import type { Boundary } from './faults.ts';
import { countFates, type Fates, type Finding, judge, type Problem } from './judge.ts';
import { type Scenario, type SweepOptions, type SweepSettings, sweepSettings } from './options.ts';
import { type RealWork, watchRealWork } from './real-work.ts';
import { type Run, runOnce } from './run.ts';
import type { Delivery } from './traffic.ts';

/** What a sweep found. */
export interface SweepReport {
  /** The await boundaries of the run without a fault, in their order. */
  readonly boundaries: readonly string[];
  /** How the traffic came. */
  readonly deliveries: readonly Delivery[];
  readonly runs: number;
  /** Runs that `max` left out. */
  readonly skipped: number;
  /** How the messages of all runs ended. */
  readonly fates: Readonly<Fates>;
  /** All harm that was done; and below the same, by its kind. */
  readonly findings: readonly Finding[];
  readonly doubled: readonly Finding[];
  readonly lost: readonly Finding[];
  readonly outOfOrder: readonly Finding[];
  readonly neverRan: readonly Finding[];
  readonly deadLettered: readonly Finding[];
  readonly stuck: readonly Finding[];
}

/** One sweep at a time: they listen to the process for unhandled rejections, and could not tell whose one is. */
let line: Promise<unknown> = Promise.resolve();

/**
 * Kills a handler at every await, fails there, loses the answer there, applies the call late there, never answers there, singly and in
 * pairs; lets the queue (or callers) deliver again, in several ways, and reports what doubled, was lost, or came to other harm.
 *
 * @throws OptionError when an option is out of range; TypeError when `effects` or `expected` answer no counts; whatever `provider`,
 * `handler`, `effects` or `expected` throws; Error when the handler has no effect that could be counted
 * @example
 * const report = await crashSweep({
 *   messages: [{ body: { orderId: 'o-1' } }],
 *   provider: () => new FakeMailer(),
 *   handler: (world, mailer) =>
 *     eachMessage(
 *       { ...world.options, operation: 'send-email', key: bodyField('orderId'), onAbandoned: 'park' },
 *       ({ body }) => world.io('mailer.send', () => mailer.send(body)),
 *     ),
 *   effects: (mailer, { body }) => mailer.sent.filter((mail) => mail.orderId === body.orderId).length,
 * });
 * expect(report.findings).toEqual([]);
 */
export function crashSweep<Provider>(options: SweepOptions<Provider>): Promise<SweepReport> {
  const swept = line.then(() => sweep(options));
  line = swept.catch(() => undefined);
  return swept;
}

async function sweep<Provider>(options: SweepOptions<Provider>): Promise<SweepReport> {
  const settings = sweepSettings(options);
  const restore = installAmbient();
  const realWork = watchRealWork();
  try {
    return await sweepWith(settings, realWork);
  } finally {
    realWork.stop();
    restore();
  }
}

/** A run, and what can go wrong in it. */
interface Made<Provider> extends Required<Scenario> {
  readonly boundaries: readonly Boundary[];
  readonly isHarmless: boolean;
  readonly run: Run<Provider>;
}

async function sweepWith<Provider>(settings: SweepSettings<Provider>, realWork: RealWork): Promise<SweepReport> {
  const { deliveries, max, onProgress, replay } = settings;
  const fates: Fates = { acknowledged: 0, parked: 0, deadLettered: 0, stuck: 0 };
  const findings: Finding[] = [];
  const claimsOf = claimsAlone(settings, realWork);
  let runs = 0;
  let planned = 0;
  let skipped = 0;

  async function make(scenario: Required<Scenario>): Promise<Made<Provider>> {
    const run = await runOnce(settings, { ...scenario, realWork });
    const found = await judge(run, settings, claimsOf);
    findings.push(...found);
    countFates(fates, run.messages);
    runs++;
    onProgress?.({ runs, of: planned });
    return { ...scenario, run, boundaries: run.boundaries, isHarmless: found.length === 0 };
  }

  /** Makes so many of these runs at most. */
  async function makeAll(scenarios: readonly Required<Scenario>[], most: number): Promise<readonly Made<Provider>[]> {
    const within = evenly(scenarios, Math.max(0, most));
    skipped += scenarios.length - within.length;
    planned = runs + within.length;
    const made: Made<Provider>[] = [];
    for (const scenario of within) made.push(await make(scenario));
    return made;
  }

  const plain = deliveries.map((delivery) => ({ delivery, faults: [] }));
  const [first, ...others] = await makeAll(replay ? [replay] : plain, max);
  if (first === undefined) throw new Error('crashSweep: no run was made');
  if (replay === undefined) {
    if (findings.length === 0) expectToSee(first.run, settings);
    const singles = [...(await makeAll(withOneMore(first), max - runs))];
    // What does harm alone does harm in company, and would hide the rest.
    const harmless = (made: readonly Made<Provider>[]) => made.filter(({ isHarmless }) => isHarmless);
    const elsewhere = harmless(others).flatMap(withOneMore);
    // The handler's own calls first: what its traffic changes most is what it meets there.
    const most = runs + Math.ceil((max - runs) / 2);
    const own = elsewhere.filter(({ name }) => !isOurs(name));
    singles.push(...(await makeAll(own, most - runs)));
    singles.push(
      ...(await makeAll(
        elsewhere.filter(({ name }) => isOurs(name)),
        most - runs,
      )),
    );
    await makeAll(harmless(singles).flatMap(withOneMore), max - runs);
  }
  const of = (...problems: Problem[]) => findings.filter(({ problem }) => problems.includes(problem));
  return {
    boundaries: first.boundaries.map(({ name }) => name),
    deliveries: replay ? [replay.delivery] : deliveries,
    runs,
    skipped,
    fates,
    findings,
    doubled: of('doubled'),
    lost: of('lost'),
    outOfOrder: of('out-of-order'),
    neverRan: of('never-ran'),
    deadLettered: of('dead-lettered'),
    stuck: of('stuck'),
  };
}

/** Says which claims a message has when nothing else is sent, and nothing goes wrong. */
function claimsAlone<Provider>(settings: SweepSettings<Provider>, realWork: RealWork) {
  const known = new Map<number, Promise<ReadonlySet<string>>>();
  return (only: number): Promise<ReadonlySet<string>> => {
    const found = known.get(only);
    if (found !== undefined) return found;
    const claims = runOnce(settings, { delivery: 'together', faults: [], only, realWork }).then(
      ({ attended }) => attended,
    );
    known.set(only, claims);
    return claims;
  };
}

/** @throws Error when a sweep would find nothing, whatever the handler did */
function expectToSee<Provider>(run: Run<Provider>, { effects, expected }: SweepSettings<Provider>): void {
  const { provider, messages, story } = run;
  let isWanted = false;
  let hasHappened = false;
  for (const { message } of messages) {
    const counts = countsOf(effects(provider, message), message);
    const wanted = wantedOf(expected === undefined ? 1 : expected(provider, message), counts, message);
    isWanted ||= Object.values(wanted).some((count) => count > 0);
    hasHappened ||= Object.values(counts).some((count) => count > 0);
  }
  if (isWanted && !hasHappened) {
    throw new Error(`crashSweep: without any fault, no message had an effect that was counted:\n${story.join('\n')}`);
  }
  if (run.boundaries.every(({ name }) => isOurs(name))) {
    throw new Error(
      'crashSweep: no call to the provider was seen: make it with world.io(…), or of a client from world.wrap(…)',
    );
  }
}

/** A boundary that is not the handler's own. */
const isOurs = (name: string) => name === 'return' || name.startsWith('store.') || name.startsWith('sqs.');

/** A run to be made, and where its last fault is. */
interface Planned extends Required<Scenario> {
  readonly name: string;
}

/** The same run, with one fault more, at any boundary after the last. */
function withOneMore({ delivery, faults, boundaries }: Made<unknown>): readonly Planned[] {
  const after = faults.at(-1)?.at ?? 0;
  return boundaries
    .slice(after)
    .flatMap(({ name, faults: possible }, index) =>
      possible.map((fault) => ({ delivery, name, faults: [...faults, { at: after + index + 1, fault }] })),
    );
}

/** So many of them at most, spread over all. */
function evenly<T>(items: readonly T[], most: number): readonly T[] {
  if (items.length <= most) return items;
  return items.filter(
    (_, index) => Math.floor(((index + 1) * most) / items.length) > Math.floor((index * most) / items.length),
  );
}
