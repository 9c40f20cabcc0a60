import { callListener } from 'pawl/kernel';
import { installAmbient } from './ambient.ts';
import { countsOf, wantedOf } from './effects.ts';
import type { Boundary } from './faults.ts';
import { countFates, type Fates, type Finding, judge, type Problem } from './judge.ts';
import { type CrashSweepOptions, type CrashSweepSettings, crashSweepSettings, type Scenario } from './options.ts';
import { type RealWork, watchRealWork } from './real-work.ts';
import { type Run, runOnce } from './run.ts';
import type { Delivery } from './traffic.ts';

/**
 * What a sweep found.
 *
 * @example
 * declare const options: CrashSweepOptions<unknown>;
 * const report = await crashSweep(options);
 * if (report.findings.length > 0) console.log(explain(report));
 */
export interface CrashSweepReport {
  /** The await boundaries of the run without a fault, in their order. */
  readonly boundaries: readonly string[];
  /** In which ways the messages were delivered. */
  readonly deliveries: readonly Delivery[];
  /** How many runs were made. */
  readonly runs: number;
  /** Runs that `max` left out. */
  readonly skipped: number;
  /** How the messages of all runs ended. */
  readonly fates: Readonly<Fates>;
  /** All harm that was done. The lists below have the same findings, by kind. */
  readonly findings: readonly Finding[];
  /** An effect happened more often than expected. */
  readonly doubled: readonly Finding[];
  /** The message was acknowledged, and an effect did not happen. */
  readonly lost: readonly Finding[];
  /** The effect happened before that of an earlier message of its group. */
  readonly outOfOrder: readonly Finding[];
  /** The message was dead-lettered, and its handler was never called. */
  readonly neverRan: readonly Finding[];
  /** The message was dead-lettered although nothing was in doubt. */
  readonly deadLettered: readonly Finding[];
  /** The message did not end. */
  readonly stuck: readonly Finding[];
}

/** One sweep at a time: they listen to the process for unhandled rejections, and could not tell which sweep one belongs to. */
let line: Promise<unknown> = Promise.resolve();

/**
 * Kills a handler at every await, fails there, loses the response there, applies the call late there, never responds there, singly and in
 * pairs. Lets the queue (or callers) deliver again, in several ways, and reports each effect that doubled, each message that was lost, and other harm.
 *
 * @throws OptionError when an option is out of range; TypeError when `effects` or `expected` return no counts; whatever `provider`,
 * `handler`, `effects` or `expected` throws; Error when the handler has no effect that could be counted
 * @example
 * declare const options: CrashSweepOptions<unknown>;
 * const { runs, findings } = await crashSweep({ ...options, max: 200 });
 * if (findings.length > 0) console.log(`${findings.length} of ${runs} runs did harm`);
 */
export function crashSweep<Provider>(options: CrashSweepOptions<Provider>): Promise<CrashSweepReport> {
  const swept = line.then(() => sweep(options));
  line = swept.catch(() => undefined);
  return swept;
}

async function sweep<Provider>(options: CrashSweepOptions<Provider>): Promise<CrashSweepReport> {
  const settings = crashSweepSettings(options);
  const restore = installAmbient();
  const realWork = watchRealWork();
  try {
    const started = new Sweep(settings, realWork);
    return await (settings.replay === undefined ? started.all() : started.replay(settings.replay));
  } finally {
    realWork.stop();
    restore();
  }
}

/** A run that was made, and where more can go wrong in it. */
interface MadeRun<Provider> extends Required<Scenario> {
  readonly boundaries: readonly Boundary[];
  readonly isHarmless: boolean;
  readonly run: Run<Provider>;
}

/** A run to be made, and where its last fault is. */
interface Planned extends Required<Scenario> {
  readonly name: string;
}

/** The runs of one sweep, and what they found. */
class Sweep<Provider> {
  readonly #settings: CrashSweepSettings<Provider>;
  readonly #realWork: RealWork;
  readonly #fates: Fates = { acknowledged: 0, parked: 0, deadLettered: 0, stuck: 0 };
  readonly #findings: Finding[] = [];
  /** The claims of each message when it is alone, by its number. */
  readonly #claimsAlone = new Map<number, Promise<ReadonlySet<string>>>();
  #runs = 0;
  #planned = 0;
  #skipped = 0;

  constructor(settings: CrashSweepSettings<Provider>, realWork: RealWork) {
    this.#settings = settings;
    this.#realWork = realWork;
  }

  /** Makes one run and no other. */
  async replay(scenario: Required<Scenario>): Promise<CrashSweepReport> {
    const [made] = await this.#makeAll([scenario], 1);
    return this.#report(made, [scenario.delivery]);
  }

  /** Makes a run without faults of each delivery, then the single faults, then the pairs; as many as `max` allows. */
  async all(): Promise<CrashSweepReport> {
    const { deliveries, max } = this.#settings;
    const plain = deliveries.map((delivery) => ({ delivery, faults: [] }));
    const [first, ...others] = await this.#makeAll(plain, max);
    if (first !== undefined) {
      if (this.#findings.length === 0) expectToSee(first.run, this.#settings);
      const singles = await this.#makeSingles(first, others);
      await this.#makeAll(harmlessOf(singles).flatMap(withOneMore), max - this.#runs);
    }
    return this.#report(first, deliveries);
  }

  async #makeSingles(
    first: MadeRun<Provider>,
    others: readonly MadeRun<Provider>[],
  ): Promise<readonly MadeRun<Provider>[]> {
    const { max } = this.#settings;
    const singles = await this.#makeAll(withOneMore(first), max - this.#runs);
    const elsewhere = harmlessOf(others).flatMap(withOneMore);
    const most = this.#runs + Math.ceil((max - this.#runs) / 2);
    // The handler's own calls first: what its traffic changes most is what it meets there.
    const own = await this.#makeAll(
      elsewhere.filter(({ name }) => !isOurs(name)),
      most - this.#runs,
    );
    const ours = await this.#makeAll(
      elsewhere.filter(({ name }) => isOurs(name)),
      most - this.#runs,
    );
    return [...singles, ...own, ...ours];
  }

  /** Makes so many of these runs at most, spread over all of them. */
  async #makeAll(scenarios: readonly Required<Scenario>[], most: number): Promise<readonly MadeRun<Provider>[]> {
    const within = evenly(scenarios, Math.max(0, most));
    this.#skipped += scenarios.length - within.length;
    this.#planned = this.#runs + within.length;
    const made: MadeRun<Provider>[] = [];
    for (const scenario of within) made.push(await this.#make(scenario));
    return made;
  }

  async #make(scenario: Required<Scenario>): Promise<MadeRun<Provider>> {
    const run = await runOnce(this.#settings, { ...scenario, realWork: this.#realWork });
    const found = await judge(run, this.#settings, (number) => this.#claimsOf(number));
    this.#findings.push(...found);
    countFates(this.#fates, run.messages);
    this.#runs++;
    callListener(this.#settings.onProgress, { runs: this.#runs, of: this.#planned });
    return { ...scenario, run, boundaries: run.boundaries, isHarmless: found.length === 0 };
  }

  /** The claims that a message has when nothing else is sent, and nothing goes wrong. */
  #claimsOf(only: number): Promise<ReadonlySet<string>> {
    const known = this.#claimsAlone.get(only);
    if (known !== undefined) return known;
    const alone = { delivery: 'together', faults: [], only, realWork: this.#realWork } as const;
    const claims = runOnce(this.#settings, alone).then(({ attended }) => attended);
    this.#claimsAlone.set(only, claims);
    return claims;
  }

  /** @throws Error when no run was made */
  #report(first: MadeRun<Provider> | undefined, deliveries: readonly Delivery[]): CrashSweepReport {
    if (first === undefined) throw new Error('crashSweep: no run was made');
    const findings = this.#findings;
    const of = (wanted: Problem) => findings.filter(({ problem }) => problem === wanted);
    return {
      boundaries: first.boundaries.map(({ name }) => name),
      deliveries,
      runs: this.#runs,
      skipped: this.#skipped,
      fates: this.#fates,
      findings,
      doubled: of('doubled'),
      lost: of('lost'),
      outOfOrder: of('out-of-order'),
      neverRan: of('never-ran'),
      deadLettered: of('dead-lettered'),
      stuck: of('stuck'),
    };
  }
}

/** What does harm alone does harm in company, and would hide the rest. */
function harmlessOf<Provider>(made: readonly MadeRun<Provider>[]): readonly MadeRun<Provider>[] {
  return made.filter(({ isHarmless }) => isHarmless);
}

/** @throws Error when a sweep would find nothing, whatever the handler did */
function expectToSee<Provider>(run: Run<Provider>, { effects, expected }: CrashSweepSettings<Provider>): void {
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

/** The same run, with one fault more, at any boundary after the last. */
function withOneMore({ delivery, faults, boundaries }: MadeRun<unknown>): readonly Planned[] {
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
