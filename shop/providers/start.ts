import { allOrNothing } from '../../lib/rehearsal/all-or-nothing.ts';
import type { HttpServer } from '../../lib/rehearsal/http.ts';
import type { ProviderFault } from '../../lib/rehearsal/provider.ts';
import { type Accounts, startAccounts } from './accounts.ts';
import { type GiftCardRules, startGiftCards } from './gift-cards.ts';
import { createLedger, type EffectKind, type Ledger } from './ledger.ts';
import { type Processor, startProcessor } from './processor.ts';
import { startSes } from './ses.ts';

/** What goes wrong at the providers. @default nothing */
export interface ProvidersFaults {
  readonly provider?: (effect: EffectKind, orderId: string) => ProviderFault | undefined;
  readonly accounts?: (changeId: string, accountId: string) => ProviderFault | undefined;
}

export interface ProvidersOptions {
  readonly faults: ProvidersFaults;
  /** How the gift card provider is. @default it honours idempotency keys, and its look-up lags by 300 ms */
  readonly giftCards?: GiftCardRules;
  /** Kills the sandbox that is calling. */
  readonly kill: (sandbox: string) => void;
}

/** The services that the shop's functions call, and that are not AWS's, with SES, which has no stand-in elsewhere. */
export interface Providers {
  readonly ses: HttpServer;
  readonly giftCards: HttpServer;
  readonly accounts: Accounts & HttpServer;
  readonly processor: Processor & HttpServer;
  /** What the providers really did. */
  readonly ledger: Ledger;
}

/** Starts all providers. `stopping` gets all that has to be stopped, also if one of them fails. */
export async function startProviders(
  { faults, kill, giftCards = {} }: ProvidersOptions,
  stopping: AsyncDisposableStack,
): Promise<Providers> {
  const ledger = createLedger();
  const options = { kill, ...(faults.provider ? { nextFault: faults.provider } : {}) };
  const stopped = <Part extends HttpServer>(part: Part): Part => stopping.adopt(part, (server) => server.stop());
  const [ses, cards, accounts, processor] = await allOrNothing([
    startSes(ledger, options).then(stopped),
    startGiftCards(ledger, { lookupLagMs: 300, ...giftCards, ...options }).then(stopped),
    startAccounts({ kill, ...(faults.accounts ? { nextFault: faults.accounts } : {}) }).then(stopped),
    startProcessor().then(stopped),
  ]);
  return { ses, giftCards: cards, accounts, processor, ledger };
}
