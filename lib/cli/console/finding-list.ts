import { recordedError } from 'pawl/kernel';
import type { ApprovedBy, Finding, Findings, StatementReport } from 'pawl/statements';
import type { FindingAct, FindingResult, FindingsList, PlannedFinding } from './api.ts';

/** What the page holds at once. The command line lists more. */
const mostFindings = 2000;

/** What statements have found, as the page shows and ends it. @param findings `undefined` if the console's store keeps no findings */
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

  async function doneBy(act: FindingAct, id: string, { request, ...acted }: ApprovedBy) {
    switch (act) {
      case 'accept':
        return findings?.accept(id, acted);
      case 'approve':
        return findings?.approve(id, { ...acted, request });
      case 'settle-by-hand':
        return findings?.settleByHand(id, acted);
    }
  }

  return {
    async read(): Promise<FindingsList> {
      const { found, truncated } = await open();
      const operations = [...new Set(found.map(({ operation }) => operation))].toSorted();
      return { at: now(), findings: found, truncated, operations, reports: await reportsOf(operations) };
    },

    /** Of which of these the act is possible. */
    async plan(act: FindingAct, ids: readonly string[]): Promise<readonly PlannedFinding[]> {
      const found = new Map((await open()).found.map((finding) => [finding.id, finding]));
      return [...new Set(ids)].map((id) => {
        const finding = found.get(id);
        if (finding === undefined) return { id, will: 'stay', whyNot: 'not-open' };
        if (act !== 'approve') return { id, will: act };
        const { request } = finding;
        if (request === undefined) return { id, will: 'stay', whyNot: 'not-asked' };
        return { id, will: act, remedy: request.operation, amount: request.amount, request: request.id };
      });
    },

    /** Never throws: a finding that fails says so. */
    async act(act: FindingAct, id: string, acted: ApprovedBy): Promise<FindingResult> {
      try {
        return { id, outcome: (await doneBy(act, id, acted))?.outcome ?? 'unknown-finding' };
      } catch (error) {
        return { id, outcome: 'failed', error: recordedError(error) };
      }
    },
  };
}

export type FindingDesk = ReturnType<typeof findingList>;
