import type { Fact, Finding } from './fact.ts';
import type { Latency } from './latency.ts';

/** What a run has found out about an account. */
export interface Report {
  readonly at: string;
  readonly region: string;
  /** Where the requests went, if not to AWS. */
  readonly endpoint?: string;
  readonly findings: readonly (Omit<Fact, 'check'> & Finding)[];
  readonly latencies: readonly Latency[];
  readonly seconds: number;
}

export function isConfirmed({ findings }: Report): boolean {
  return findings.every(({ kind }) => kind === 'confirmed');
}

const words = { confirmed: 'confirmed', refuted: '**refuted**', unknown: 'not found out' } as const;

/** The report for a person. */
export function markdown({ at, region, endpoint, findings, latencies, seconds }: Report): string {
  const count = (kind: Finding['kind']) => findings.filter((finding) => finding.kind === kind).length;
  return `${[
    '# What an account says',
    '',
    `\`npm run e2e -- account\`, ${at}, ${endpoint === undefined ? `region ${region}` : `at ${endpoint}: not AWS`}, in ${seconds} s.`,
    `${count('confirmed')} facts are confirmed, ${count('refuted')} refuted, ${count('unknown')} not found out.`,
    '',
    '| fact | finding | seen | what of pawl stands on it |',
    '|---|---|---|---|',
    ...findings.map(({ fact, kind, seen, matters }) => row([fact, words[kind], seen, matters])),
    '',
    'One request, from a function in the same region (1,024 MB, arm64), on a warm connection, in milliseconds:',
    '',
    '| request | samples | p50 | p99 |',
    '|---|---|---|---|',
    ...latencies.map(({ request, samples, p50Ms, p99Ms }) =>
      row([request, String(samples), p50Ms.toFixed(1), p99Ms.toFixed(1)]),
    ),
  ].join('\n')}\n`;
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
}
