import { type ClaimEvent, type ClaimOptions, memoryStore, once } from '../../../lib/pawl/index.ts';
import {
  type Finding,
  findings,
  type ReconcileStatementsOptions,
  reconcileStatements,
  type StatementLine,
} from '../../../lib/pawl/statements/index.ts';
import { collect } from '../../support/collect.ts';
import { someDay, virtualHost } from '../../support/virtual-host.ts';

export const hour = 3_600_000;
const operation = 'charge';

export interface Charge {
  readonly key: string;
  readonly amountCents: number;
}

/** A world of charges: their claims, and the statement of their provider, which a test writes by hand. */
export function charges(store = memoryStore()) {
  const host = virtualHost();
  const lines: StatementLine[] = [];
  const events: ClaimEvent[] = [];
  const options = {
    operation,
    store,
    host,
    key: ({ key }: Charge) => key,
    attributes: ({ amountCents }: Charge) => ({ amountCents }),
    onAbandoned: 'park',
    statements: true,
    onEvent: () => undefined,
  } satisfies ClaimOptions<Charge> & { key: (charge: Charge) => string };

  /** Charges once, an hour after the one before. The provider's line is written by the test. */
  async function charge(key: string, fn: () => unknown = () => undefined, more: Partial<ClaimOptions<Charge>> = {}) {
    await host.advance(hour);
    const charging = once<Charge, unknown, boolean>({ ...options, ...more }, async () => fn()).outcome({
      key,
      amountCents: 1250,
    });
    const settled = charging.catch((error: unknown) => error);
    await host.advance(10);
    return settled;
  }

  function line(key: string, more: Partial<StatementLine> = {}): StatementLine {
    const one = {
      effectKey: `${operation}#${key}`,
      at: host.now(),
      facts: { amountCents: 1250 },
      id: `txn_${lines.length}`,
      ...more,
    };
    lines.push(one);
    return one;
  }

  const settings = (more: Partial<ReconcileStatementsOptions> = {}): ReconcileStatementsOptions => ({
    operation,
    store,
    host,
    from: someDay,
    settleMs: hour,
    statement: () => lines,
    onEvent: (event) => events.push(event),
    ...more,
  });

  /** Reconciles three hours later, when everything before has settled. */
  async function reconciled(more: Partial<ReconcileStatementsOptions> = {}) {
    await host.advance(3 * hour);
    const done = await reconcileStatements(settings(more));
    if (done.outcome !== 'done') throw new Error(`the run has ended as ${done.outcome}`);
    return { ...done, found: done.findings.map(shown) };
  }

  const open = async () => (await collect(findings({ store, host }).list())).map(shown);
  return { store, host, lines, events, charge, line, settings, reconciled, open };
}

/** A finding in one line. */
function shown({ kind, claimId, line }: Finding): string {
  return `${kind} ${claimId ?? line?.id}`;
}
