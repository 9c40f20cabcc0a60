import { recordedError } from 'pawl/kernel';
import type { AcceptedBy, Finding, Findings, StatementReport } from 'pawl/statements';
import type { AcceptanceResult, FindingsList, PlannedAcceptance } from './api.ts';

/** What the page holds at once. The command line lists more. */
const mostFindings = 2000;

/** What statements have found, as the page shows and accepts it. @param findings `undefined` if the console's store keeps no findings */
export function findingList(findings: Findings | undefined, now: () => number) {
  async function open(): Promise<{ readonly found: readonly Finding[]; readonly truncated: boolean }> {
    const found: Finding[] = [];
    for await (const finding of findings?.list() ?? []) {
      if (found.length === mostFindings) return { found, truncated: true };
      found.push(finding);
    }
    return { found, truncated: false };
  }

  async function reportsOf(operations: readonly string[]): Promise<readonly StatementReport[]> {
    const reports = await Promise.all(operations.map((operation) => findings?.report(operation)));
    return reports.filter((report) => report !== undefined);
  }

  return {
    async read(): Promise<FindingsList> {
      const { found, truncated } = await open();
      const operations = [...new Set(found.map(({ operation }) => operation))].toSorted();
      return { at: now(), findings: found, truncated, operations, reports: await reportsOf(operations) };
    },

    /** Which of these can be accepted. */
    async plan(ids: readonly string[]): Promise<readonly PlannedAcceptance[]> {
      const isOpen = new Set((await open()).found.map(({ id }) => id));
      return [...new Set(ids)].map((id) =>
        isOpen.has(id) ? { id, will: 'accept' } : { id, will: 'stay', whyNot: 'not-open' },
      );
    },

    /** Never throws: a finding that fails says so. */
    async accept(id: string, accepted: AcceptedBy): Promise<AcceptanceResult> {
      try {
        const outcome = (await findings?.accept(id, accepted))?.outcome ?? 'unknown-finding';
        return { id, outcome };
      } catch (error) {
        return { id, outcome: 'failed', error: recordedError(error) };
      }
    },
  };
}

export type FindingDesk = ReturnType<typeof findingList>;
