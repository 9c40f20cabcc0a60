import { nodeHost } from '../../lib/pawl/host.ts';
import type { ClaimRecord, ClaimStore, Host, ResolutionVerdict, StepResolutions } from '../../lib/pawl/index.ts';
import { idOf } from '../../lib/pawl/operate/claim-view.ts';
import { operator, type ResolvedByOperator } from '../../lib/pawl/operate/index.ts';
import { understood } from '../../lib/pawl/rules/record.ts';

interface Resolving {
  readonly operation: string;
  readonly store: ClaimStore;
  readonly retentionSeconds?: number | 'forever';
  readonly host?: Host;
}

/** An operator of one operation, who resolves its claims by their keys and reads their whole records. */
export function resolverOf({ operation, store, host = nodeHost, ...rest }: Resolving) {
  const operate = operator({ store, host, onEvent: () => undefined, ...rest });
  return {
    resolve: (key: string, verdict: ResolutionVerdict | StepResolutions, by: ResolvedByOperator) =>
      operate.resolve({ operation, key }, verdict, by),
    read: async (key: string): Promise<ClaimRecord | undefined> =>
      understood(await store.read(idOf({ operation, key }, host))),
  };
}
