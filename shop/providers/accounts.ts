import { record } from '../../lib/rehearsal/engine/app/template.ts';
import type { HttpServer } from '../../lib/rehearsal/engine/http.ts';
import { type ProviderRoutes, startProvider } from '../../lib/rehearsal/provider.ts';

/** A call that the service got, or a change that it booked. */
export interface AccountsEntry {
  /** `asked`: a call to book the change arrived. `booked`: the change is booked. */
  readonly kind: 'asked' | 'booked';
  readonly accountId: string;
  readonly changeId: string;
}

/** A stand-in for the service that keeps customers' points. It books every call that it gets, and keeps a log of the calls. */
export interface Accounts {
  /** What it does with a call. */
  readonly routes: ProviderRoutes<'account-change'>;
  /** Everything, in the order of arrival. */
  readonly log: readonly AccountsEntry[];
  /** The account of a change that it was asked for. */
  accountOf(changeId: string): string | undefined;
}

/** Starts the service. */
export async function startAccounts(): Promise<Accounts & HttpServer> {
  const accounts = createAccounts();
  return { ...(await startProvider(accounts.routes)), ...accounts };
}

/** It refuses to let an account fall below zero, has no idempotency keys, and finds at once what it has booked. */
export function createAccounts(): Accounts {
  const log: AccountsEntry[] = [];
  const balances = new Map<string, number>();
  const references = new Set<string>();
  const accountOf = new Map<string, string>();

  return {
    log,
    accountOf: (changeId) => accountOf.get(changeId),
    routes(call) {
      const reference = /^\/changes\/by-reference\/(.+)$/.exec(call.path)?.[1];
      if (call.method === 'GET' && reference !== undefined) {
        const isKnown = references.has(decodeURIComponent(reference));
        return { status: isKnown ? 200 : 404, body: { booked: isKnown } };
      }
      const accountId = /^\/accounts\/([^/]+)\/changes$/.exec(call.path)?.[1];
      if (call.method !== 'POST' || accountId === undefined) {
        return { status: 404, body: { message: `The accounts stand-in has no ${call.method} ${call.path}.` } };
      }
      const { changeId, points, reference: given } = record(call.body);
      if (typeof changeId !== 'string' || typeof points !== 'number' || typeof given !== 'string') {
        return { status: 400, body: { message: 'A change needs changeId, points and reference.' } };
      }
      log.push({ kind: 'asked', accountId, changeId });
      accountOf.set(changeId, accountId);
      return {
        effect: 'account-change',
        subject: changeId,
        apply() {
          const balance = (balances.get(accountId) ?? 0) + points;
          if (balance < 0) return { status: 422, body: { message: 'The account has fewer points.' } };
          balances.set(accountId, balance);
          references.add(given);
          log.push({ kind: 'booked', accountId, changeId });
          return { status: 201, body: { balance } };
        },
      };
    },
  };
}
