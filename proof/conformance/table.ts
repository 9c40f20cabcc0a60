import type { Case, CaseApp } from './case.ts';
import type { Outcomes } from './run.ts';

export type EngineName = 'rehearsal' | 'emulator';

/** A case beside what became of it in one engine. */
type Comparison =
  | { readonly kind: 'as-documented' }
  | { readonly kind: 'explained'; readonly outcome: string; readonly why: string }
  | { readonly kind: 'unexplained'; readonly outcome: string; readonly expected: string }
  | { readonly kind: 'not-run' };

function compare(one: Case, engine: EngineName, outcomes: Outcomes | undefined): Comparison {
  const outcome = outcomes?.get(one.name);
  if (outcome === undefined) return { kind: 'not-run' };
  const difference = one[engine];
  if (difference === undefined && outcome === one.documented) return { kind: 'as-documented' };
  if (difference !== undefined && outcome === difference.outcome) return { kind: 'explained', ...difference };
  // Also if an explained difference is gone: its explanation is no longer true.
  return { kind: 'unexplained', outcome, expected: difference?.outcome ?? one.documented };
}

export interface Report {
  readonly lines: readonly string[];
  readonly unexplained: number;
}

/** The table of all cases, as Markdown, with the differences explained below it. */
export function report(
  apps: readonly CaseApp[],
  outcomes: { readonly [Name in EngineName]: Outcomes | undefined },
): Report {
  const rows: string[] = [];
  const reasons: string[] = [];
  let unexplained = 0;
  let same = 0;
  for (const app of apps)
    for (const one of app.cases) {
      const compared = (['rehearsal', 'emulator'] as const).map((engine) => ({
        engine,
        comparison: compare(one, engine, outcomes[engine]),
      }));
      for (const { engine, comparison } of compared) {
        if (comparison.kind === 'unexplained') unexplained += 1;
        if (comparison.kind === 'explained') reasons.push(`- \`${one.name}\`, ${engine}: ${comparison.why}`);
      }
      const isSame = compared.every(({ comparison: { kind } }) => kind === 'as-documented');
      if (isSame) same += 1;
      const cells = compared.map(({ comparison }) => cellOf(comparison));
      rows.push(
        `| \`${one.name}\` | ${one.about} | ${one.documented} | ${cells.join(' | ')} | ${isSame ? 'yes' : 'no'} |`,
      );
    }
  return {
    lines: [
      '| case | what happens | AWS documents | rehearsal | emulator | same? |',
      '|---|---|---|---|---|---|',
      ...rows,
      '',
      `${rows.length} cases: ${same} the same everywhere, ${reasons.length} differences explained, ${unexplained} not explained.`,
      ...(reasons.length === 0 ? [] : ['', ...reasons]),
    ],
    unexplained,
  };
}

function cellOf(comparison: Comparison): string {
  switch (comparison.kind) {
    case 'as-documented':
      return 'the same';
    case 'explained':
      return comparison.outcome;
    case 'unexplained':
      return `**${comparison.outcome}**, not ${comparison.expected}`;
    case 'not-run':
      return 'not run';
  }
}
