import type { ProviderFault } from '../../lib/rehearsal/provider.ts';
import { type Rehearsal, startRehearsal } from '../../lib/rehearsal/rehearsal.ts';
import { shopApp } from '../../shop/app/project.ts';
import { type Shop, shopOf } from '../../shop/app/shop.ts';
import { startAccounts } from '../../shop/providers/accounts.ts';
import { startGiftCards } from '../../shop/providers/gift-cards.ts';
import { createLedger, type EffectKind } from '../../shop/providers/ledger.ts';
import { startProcessor } from '../../shop/providers/processor.ts';
import { startSes } from '../../shop/providers/ses.ts';

export interface StartOptions {
  /** The timeout of the app's functions. @default 3 */
  readonly functionTimeoutSeconds?: number;
  readonly onLog?: (line: string, sandbox: string) => void;
  /** What happens to the call of a provider. @default nothing */
  readonly provider?: (effect: EffectKind, orderId: string) => ProviderFault | undefined;
}

/** The shop, up until it is stopped. Nothing is sent to it but what the test sends. */
export interface StartedShop extends Shop {
  stop(): Promise<void>;
}

/** Starts the shop with all of its providers. What was started is stopped if the app does not start. */
export async function startShop(options: StartOptions = {}): Promise<StartedShop> {
  const { functionTimeoutSeconds = 3, onLog, provider: nextFault } = options;
  await using stopping = new AsyncDisposableStack();
  const up: { rehearsal?: Rehearsal } = {};
  const served = { kill: (sandbox: string) => void up.rehearsal?.kill(sandbox), ...(nextFault ? { nextFault } : {}) };
  const stopped = <Part extends { stop(): Promise<void> }>(part: Part) => stopping.adopt(part, (one) => one.stop());
  const ledger = createLedger();
  const ses = stopped(await startSes(ledger, served));
  const cards = stopped(await startGiftCards(ledger, { lookupLagMs: 300, ...served }));
  const accounts = stopped(await startAccounts());
  const processor = stopped(await startProcessor());
  const rehearsal = stopping.use(
    await startRehearsal({
      app: shopApp,
      sandboxesPerFunction: 1,
      context: {
        functionTimeoutSeconds,
        giftCardApiUrl: cards.endpoint,
        accountsApiUrl: accounts.endpoint,
        processorApiUrl: processor.endpoint,
        processorPublicKey: processor.publicKey,
      },
      endpoints: { SESV2: ses.endpoint },
      ...(onLog ? { onLog } : {}),
    }),
  );
  up.rehearsal = rehearsal;
  const shop = shopOf(rehearsal, { ledger, processor });
  const ending = stopping.move();
  return { ...shop, stop: () => ending.disposeAsync() };
}
