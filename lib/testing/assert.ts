import { inWords } from './faults.ts';
import type { Finding, Problem } from './judge.ts';
import { type CrashSweepOptions, expectCrashSweepOptions } from './options.ts';
import { type CrashSweepReport, crashSweep } from './sweep.ts';

/**
 * What the assertion throws: one sentence, the story of one run, and the other findings in a line each.
 *
 * @example
 * declare const options: CrashSweepOptions<unknown>;
 * await assertSurvivesCrashes(options).catch((error) => {
 *   if (error instanceof SweepError) console.log(error.report.doubled.map(({ message }) => message));
 *   throw error;
 * });
 */
export class SweepError extends Error {
  override readonly name = 'SweepError';
  readonly report: CrashSweepReport;
  constructor(report: CrashSweepReport) {
    super(explain(report));
    this.report = report;
  }
}

/**
 * Sweeps a handler as `crashSweep` does, and throws when any harm was done: see `Finding`. For Vitest, Jest, `node:test` or any other framework.
 *
 * @throws SweepError, which tells the story of the first finding; whatever `crashSweep` throws
 * @example
 * import { bodyField, eachMessage } from 'pawl/sqs';
 *
 * await assertSurvivesCrashes({
 *   messages: [{ body: { id: 'order-1' } }, { body: { id: 'order-2' } }],
 *   provider: () => ({ sent: [] as string[] }),
 *   handler: (world, { sent }) =>
 *     eachMessage<Order>(
 *       { ...world.options, operation: 'send-email', key: bodyField('id'), onAbandoned: 'park' },
 *       ({ body }) => world.io('mailer.send', async () => sent.push(body.id)),
 *     ),
 *   effects: ({ sent }, { body }) => sent.filter((id) => JSON.stringify(body).includes(id)).length,
 * });
 */
export async function assertSurvivesCrashes<Provider>(options: CrashSweepOptions<Provider>): Promise<CrashSweepReport> {
  expectCrashSweepOptions('assertSurvivesCrashes', options);
  const report = await crashSweep(options);
  if (report.findings.length > 0) throw new SweepError(report);
  return report;
}

const mostListed = 10;

/**
 * A report in words: how many runs, what harm, and the story of one run that did harm.
 *
 * @example
 * declare const options: CrashSweepOptions<unknown>;
 * console.log(explain(await crashSweep(options)));
 */
export function explain({ runs, skipped, fates, findings, boundaries, deliveries }: CrashSweepReport): string {
  const left = skipped > 0 ? `, ${skipped} runs left out` : '';
  const counts = Object.entries(Object.groupBy(findings, ({ problem }) => problem));
  const harm = counts.map(([problem, found]) => `${found?.length ?? 0} ${problem}`).join(', ');
  const lines = [
    `${counts.length === 0 ? 'no harm' : harm}, in ${runs} runs over ${boundaries.length} await boundaries, delivered ${deliveries.join(', ')}${left}.`,
    `Messages: ${fates.acknowledged} acknowledged, ${fates.parked} parked, ${fates.deadLettered} dead-lettered, ${fates.stuck} stuck.`,
  ];
  const [first, ...others] = findings.toSorted((a, b) => a.faults.length - b.faults.length);
  if (first !== undefined) lines.push('', inOneLine(first), ...first.story.map((line) => `  ${line}`), '');
  lines.push(...others.slice(0, mostListed).map((finding) => `also: ${inOneLine(finding)}`));
  if (others.length > mostListed) lines.push(`and ${others.length - mostListed} more`);
  return lines.join('\n').trimEnd();
}

const problems: Readonly<Record<Problem, string>> = {
  doubled: 'is doubled',
  lost: 'is lost',
  'out-of-order': 'has its effect before an earlier one of its group',
  'never-ran': 'is dead-lettered, and never ran',
  'dead-lettered': 'is dead-lettered, and was not in doubt',
  stuck: 'is stuck',
};

function inOneLine({ problem, message, delivery, faults }: Finding): string {
  const where = faults.map(({ at, fault }) => `at #${at} ${inWords(fault)}`).join('; ');
  const replay = JSON.stringify({ delivery, faults });
  return `message ${message} ${problems[problem]}, delivered ${delivery}: ${where || 'without any fault'}. replay: ${replay}`;
}
