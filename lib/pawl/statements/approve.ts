import { approvalRefused, isIdentity, type NoApproval } from '../rules/remedy.ts';
import type { RemedyDesk } from './end-remedy.ts';
import { changeFinding, type Finding, isOpenFinding } from './finding.ts';

/** What became of an approval. */
export type ApproveResult =
  /** The next run of `settle` carries the remedy out. */
  | { readonly outcome: 'approved'; readonly finding: Finding }
  /** Nothing was changed. */
  | { readonly outcome: NoApproval; readonly finding: Finding }
  | { readonly outcome: 'unknown-finding' };

/** Approves what was asked for, as a second person. @throws what `identity` throws; the store's error */
export async function approve(
  { store, host }: Omit<RemedyDesk, 'operation'>,
  id: string,
  { by, note, request: seen }: { readonly by: string; readonly note: string; readonly request?: string | undefined },
  identity: (() => Promise<string>) | undefined,
): Promise<ApproveResult> {
  const who = await identity?.();
  const at = host.now();
  let refused: NoApproval | undefined;
  const finding = await changeFinding(
    store,
    id,
    (found) => {
      refused = approvalRefused(found, isOpenFinding(found), who, seen);
      const { request, approval } = found;
      if (refused !== undefined || request === undefined || !isIdentity(who)) {
        // Our own write, whose response was lost.
        if (refused === 'approved-before' && approval?.identity === who && approval?.at === at) refused = undefined;
        return undefined;
      }
      return { ...found, approval: { of: request.id, identity: who, by, note, at } };
    },
    at,
  );
  if (finding === undefined) return { outcome: 'unknown-finding' };
  return { outcome: refused ?? 'approved', finding };
}
