import type { Boundary, FaultAt } from './faults.ts';
import { countFates, countsOf, type Fates, type Finding, judge } from './judge.ts';
import { type SweepOptions, sweepSettings } from './options.ts';
import { type Run, runOnce } from './run.ts';

/** What a sweep found. */
export interface SweepReport {
  /** The await boundaries of the run without a fault, in their order. */
  readonly boundaries: readonly string[];
  readonly runs: number;
  /** Pairs of faults that `max` left out. */
  readonly skipped: number;
  /** How the messages of all runs ended. */
  readonly fates: Readonly<Fates>;
  readonly doubled: readonly Finding[];
  readonly lost: readonly Finding[];
  readonly stuck: readonly Finding[];
}

/** One sweep at a time: they listen to the process for unhandled rejections, and could not tell whose one is. */
let line: Promise<unknown> = Promise.resolve();

/**
 * Kills a handler at every await, fails there, loses the answer there, never answers there, singly and in pairs; lets the queue
 * deliver again, and reports what doubled or was lost.
 *
 * @throws OptionError when an option is out of range; whatever `provider`, `handler` or `effects` throws; Error when the handler has no
 * effect that could be counted
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
 * expect(report.doubled).toEqual([]);
 * expect(report.lost).toEqual([]);
 */
export function crashSweep<Provider>(options: SweepOptions<Provider>): Promise<SweepReport> {
  const swept = line.then(() => sweep(options));
  line = swept.catch(() => undefined);
  return swept;
}

async function sweep<Provider>(options: SweepOptions<Provider>): Promise<SweepReport> {
  const settings = sweepSettings(options);
  const { effects, max, onProgress, replay } = settings;
  const fates: Fates = { acknowledged: 0, parked: 0, deadLettered: 0, stuck: 0 };
  const findings: Finding[] = [];
  let runs = 0;
  let planned = 1;

  /** Answers the boundaries of the run, and whether it did any harm. */
  async function run(faults: readonly FaultAt[]) {
    const done = await runOnce(settings, faults);
    const found = judge(done, effects);
    findings.push(...found);
    countFates(fates, done.messages);
    runs++;
    onProgress?.({ runs, of: planned });
    return { faults, boundaries: done.boundaries, harmless: found.length === 0, done };
  }

  const first = await run(replay ?? []);
  let skipped = 0;
  if (replay === undefined) {
    if (first.harmless) expectToSee(first.done, effects);
    const singles = possible(first.boundaries, 0).map((fault) => [fault]);
    const afterSingles = [];
    const within = evenly(singles, max - 1);
    planned += within.length;
    for (const faults of within) afterSingles.push(await run(faults));
    // What does harm alone does harm in company, and would hide the rest.
    const pairs = afterSingles
      .filter(({ harmless }) => harmless)
      .flatMap(({ faults, boundaries }) => possible(boundaries, faults[0]?.at ?? 0).map((fault) => [...faults, fault]));
    const made = evenly(pairs, max - runs);
    planned += made.length;
    skipped = singles.length - within.length + pairs.length - made.length;
    for (const faults of made) await run(faults);
  }
  const of = (problem: Finding['problem']) => findings.filter((finding) => finding.problem === problem);
  return {
    boundaries: first.boundaries.map(({ name }) => name),
    runs,
    skipped,
    fates,
    doubled: of('doubled'),
    lost: of('lost'),
    stuck: of('stuck'),
  };
}

/** @throws Error when a sweep would find nothing, whatever the handler did */
function expectToSee<Provider>(run: Run<Provider>, effectsOf: SweepOptions<Provider>['effects']): void {
  const counts = run.messages.flatMap(({ message }) => Object.values(countsOf(effectsOf(run.provider, message))));
  if (!counts.some((count) => count > 0)) {
    throw new Error(
      `crashSweep: without any fault, no message had an effect that was counted:\n${run.story.join('\n')}`,
    );
  }
  if (run.boundaries.every(({ name }) => /^(store\.|sqs\.|return$)/.test(name))) {
    throw new Error(
      'crashSweep: no call to the provider was seen: make it with world.io(…), or of a client from world.wrap(…)',
    );
  }
}

/** Every fault at every boundary after the first so many. */
function possible(boundaries: readonly Boundary[], after: number): readonly FaultAt[] {
  return boundaries
    .slice(after)
    .flatMap(({ faults }, index) => faults.map((fault) => ({ at: after + index + 1, fault })));
}

/** So many of them at most, spread over all. */
function evenly<T>(items: readonly T[], most: number): readonly T[] {
  if (items.length <= most) return items;
  return items.filter(
    (_, index) => Math.floor(((index + 1) * most) / items.length) > Math.floor((index * most) / items.length),
  );
}
