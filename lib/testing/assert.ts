import { inWords } from './faults.ts';
import type { Finding } from './judge.ts';
import type { SweepOptions } from './options.ts';
import { crashSweep, type SweepReport } from './sweep.ts';

/** What the assertion throws: one sentence, the story of one run, and the other findings in a line each. */
export class SweepError extends Error {
  override readonly name = 'SweepError';
  readonly report: SweepReport;
  constructor(report: SweepReport) {
    super(explain(report));
    this.report = report;
  }
}

/**
 * Sweeps a handler as `crashSweep` does, and throws when an effect doubled, or a message was lost or got stuck. For Vitest,
 * `node:test` or anything else.
 *
 * @throws SweepError, which tells the story of the first finding; whatever `crashSweep` throws
 * @example
 * test('survives crashes', async () => {
 *   await assertSurvivesCrashes({ messages, provider, handler, effects });
 * });
 */
export async function assertSurvivesCrashes<Provider>(options: SweepOptions<Provider>): Promise<SweepReport> {
  const report = await crashSweep(options);
  if (report.doubled.length + report.lost.length + report.stuck.length > 0) throw new SweepError(report);
  return report;
}

const mostListed = 10;

/** A report in words. */
export function explain({ runs, skipped, fates, doubled, lost, stuck, boundaries }: SweepReport): string {
  const left = skipped > 0 ? `, ${skipped} pairs of faults left out` : '';
  const lines = [
    `${count(doubled)} doubled, ${count(lost)} lost, ${count(stuck)} stuck, in ${runs} runs over ${boundaries.length} await boundaries${left}.`,
    `Messages: ${fates.acknowledged} acknowledged, ${fates.parked} parked, ${fates.deadLettered} dead-lettered, ${fates.stuck} stuck.`,
  ];
  const [first, ...others] = [...doubled, ...lost, ...stuck].sort((a, b) => a.faults.length - b.faults.length);
  if (first !== undefined) lines.push('', inOneLine(first), ...first.story.map((line) => `  ${line}`), '');
  lines.push(...others.slice(0, mostListed).map((finding) => `also: ${inOneLine(finding)}`));
  if (others.length > mostListed) lines.push(`and ${others.length - mostListed} more`);
  return lines.join('\n').trimEnd();
}

function count(findings: readonly Finding[]): string {
  return String(findings.length);
}

function inOneLine({ problem, message, faults }: Finding): string {
  const where = faults.map(({ at, fault }) => `at #${at} ${inWords(fault)}`).join('; ');
  return `message ${message} is ${problem}: ${where || 'without any fault'}. replay: ${JSON.stringify(faults)}`;
}
