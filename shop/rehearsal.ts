import { type App, type Given, type Rehearsal, rehearsal, rows } from '@pawl/rehearsal';
import type { Pool } from 'pg';
import { messagesIn } from '../lib/rehearsal/engine/servers/sqs-local.ts';
import { routedProvider } from '../lib/rehearsal/file/providers.ts';
import { shopEffects } from './app/app-functions.ts';
import type { Shop } from './app/shop.ts';
import { type ChainEffect, chainEffects, type PlannedChain } from './plan/chain-plan.ts';
import type { PlannedMisstatements } from './plan/misstatements.ts';
import type { PlannedOrder, PlannedPayment, PlannedRepayment } from './plan/plan.ts';
import type { Protection } from './protection/changed-bundle.ts';
import { createAccounts } from './providers/accounts.ts';
import type { Callbacks } from './providers/callbacks.ts';
import { giftCardRoutes } from './providers/gift-cards.ts';
import type { EffectKind, Ledger } from './providers/ledger.ts';
import { mailRoutes } from './providers/mails.ts';
import type { Processor } from './providers/processor.ts';
import { sesRoutes } from './providers/ses.ts';
import { complaints } from './traffic/conclusion.ts';
import { deadLetteredOrders } from './traffic/dead-letters.ts';
import { type Decided, decideSomeParked } from './traffic/operator.ts';
import { sweepOutbox } from './traffic/outbox.ts';
import { judgePayments, type PaymentsVerdict } from './traffic/payments.ts';
import { debtsOf, judgeRepayments, type RepaymentsVerdict } from './traffic/repayments.ts';
import { type EffectVerdict, judge } from './traffic/verdict.ts';

/*
 * The rehearsal of the shop, as the author of any app would write one.
 *
 * Owns: what stands for the outside, what is sent, which effects are counted, what the operator does, and what the tables must say in the end.
 * Does not own: the parts of AWS, the order of things, the stories, and what goes wrong.
 */

/** What is planned for a run. */
export interface TrafficPlan {
  readonly orders: readonly PlannedOrder[];
  readonly payments: readonly PlannedPayment[];
  readonly chain: readonly PlannedChain[];
  readonly repayments: readonly PlannedRepayment[];
  readonly misstatements: PlannedMisstatements;
}

/** What a rehearsal of the shop is about. */
export interface RehearsedShop {
  readonly plan: TrafficPlan;
  readonly protection: Protection;
  /** What the providers really did. */
  readonly ledger: Ledger;
  readonly processor: Processor;
  /** The shop, once it is up. */
  readonly shop: () => Shop;
  /** For how long the processor calls, from the first message on; and for how long the queues are waited for, from the last one on. */
  readonly deadlineMs: number;
  /** @default 3 */
  readonly functionTimeoutSeconds?: number;
  /** Environment variables of all functions, in place of the app's. @default those of the app */
  readonly environment?: Readonly<Record<string, string>>;
  /** The database that the functions keep their data in, past all faults. @default the tables of the app */
  readonly postgres?: Pool | undefined;
  /** Called when all is quiet for the first time. Returns whether there are messages again. */
  readonly onDrained?: (shop: Shop) => Promise<boolean>;
}

/** What the operator and the judges of the shop found. */
export interface Found {
  readonly decided: readonly Decided[];
  /** Whether the machine was too slow to go on: what is missing was not waited for. */
  readonly isCutOff: boolean;
  readonly emails: EffectVerdict;
  readonly giftCards: EffectVerdict;
  readonly payments: PaymentsVerdict;
  readonly repayments: RepaymentsVerdict;
  /** Messages that are still in the outbox. */
  readonly outboxLeft: number;
}

/** Where the functions find the provider of each effect. */
const addressOf = {
  email: 'AWS_ENDPOINT_URL_SESV2',
  'gift-card': 'GIFT_CARD_API_URL',
  receipt: 'MAILS_API_URL',
  points: 'ACCOUNTS_API_URL',
} as const satisfies Readonly<Record<EffectKind | ChainEffect, string>>;

/** The effect on an order of a provider, by the environment variable with its address; `undefined` if it has none. */
export function effectOf(provider: string): EffectKind | undefined {
  return shopEffects.find((effect) => addressOf[effect] === provider);
}

/** Likewise the effect behind a payment. */
export function chainEffectOf(provider: string): ChainEffect | undefined {
  return chainEffects.find((effect) => addressOf[effect] === provider);
}

/** How long after it was issued the look-up of the provider finds a card. */
const lookupLagMs = 300;

/** The rehearsal, and what it found, which is complete when the rehearsal has a result. */
export function shopRehearsal(run: RehearsedShop): { readonly rehearsal: Rehearsal; found(): Found } {
  const { ledger, processor, protection, functionTimeoutSeconds = 3, environment, deadlineMs } = run;
  const mails = routedProvider(sesRoutes(ledger));
  const cards = routedProvider(giftCardRoutes(ledger, { lookupLagMs: lookupLagMs }));
  const receipts = routedProvider(mailRoutes());
  const points = routedProvider(createAccounts().routes);
  let callbacks: Callbacks = { calls: 0, refused: [] };
  let decided: readonly Decided[] = [];
  let verdicts: Omit<Found, 'decided'> | undefined;
  return {
    rehearsal: rehearsal({
      context: { functionTimeoutSeconds, processorPublicKey: processor.publicKey },
      // The app says it, as a deployment would have it.
      functionTimeoutSeconds: 'as-written',
      ...(environment ? { environment } : {}),
      providers: {
        [addressOf.email]: mails,
        [addressOf['gift-card']]: cards,
        [addressOf.receipt]: receipts,
        [addressOf.points]: points,
        PROCESSOR_API_URL: routedProvider(processor.routes),
      },
      async traffic(app) {
        callbacks = await send(app, run);
      },
      effects: {
        email: mails,
        'gift-card': cards,
        receipt: receipts,
        points: points,
        entry: run.postgres ? entriesIn(run.postgres) : rows('PawlPayments/Ledger', ({ paymentId }) => paymentId),
        repayment: () => run.shop().records.timesRepaid(),
      },
      expect: {
        // A debit and a credit.
        entry: () => 2,
        // These have no effect keys, and 'retry' is for providers that have.
        ...(protection === 'retry' ? { email: repeats, receipt: repeats, points: repeats } : {}),
      },
      // The plan of the shop decides what goes wrong.
      faults: {},
      settleSeconds: deadlineMs / 1000,
      afterwards: [
        () => run.onDrained?.(run.shop()) ?? false,
        async () => {
          // As a rule only emails are parked: the consumer of gift cards looks up what is in doubt.
          if (protection === 'as-written') decided = await decideSomeParked(run.shop(), 'email');
          return decided.length > 0;
        },
      ],
      async check(_, given) {
        verdicts = await judgeAll(run, callbacks, given);
        return complaints(verdicts);
      },
    }),
    found() {
      if (verdicts === undefined) throw new Error('the rehearsal of the shop has no result yet');
      return { decided, ...verdicts };
    },
  };
}

const repeats = () => 'at-least-once' as const;

/** Sends everything, and returns when every callback of the processor has its response and the outbox is empty, or nothing moves any more. */
async function send(app: App, { plan, processor, shop, deadlineMs, postgres }: RehearsedShop): Promise<Callbacks> {
  const { consumers, repayments, payments } = shop();
  for (const { order, effects } of plan.orders) {
    for (const effect of shopEffects) {
      const queue = app.queue(consumers[effect].queue.construct);
      const { sentAgainAfterSeconds: delaySeconds } = effects[effect];
      const intended = { intent: order.orderId, effects: [effect] };
      void queue.send(order, intended);
      if (delaySeconds !== undefined) void queue.send(order, { ...intended, delaySeconds });
    }
  }
  await createDebts(app, debtsOf(plan.repayments), postgres);
  for (const { request } of [...plan.repayments, ...plan.repayments]) {
    // Its debts have the effects.
    void app.queue(repayments.consumer.queue.construct).send(request, { intent: request.requestId, effects: [] });
  }
  for (const { payment } of plan.payments) {
    app.announce({ intent: payment.paymentId, effects: ['entry', ...chainEffects] });
  }
  processor.misstate(plan.misstatements);
  const callbacks = await processor.report(payments.callbackUrl, plan.payments, Date.now() + deadlineMs);
  await sweepOutbox(shop());
  return callbacks;
}

/** Puts debts into the table that the functions repay them in. */
async function createDebts(app: App, debts: readonly string[], postgres: Pool | undefined): Promise<void> {
  const asked = (intent: string) => ({ intent, effects: ['repayment'] });
  if (postgres === undefined) {
    const table = app.table('PawlRepayments/Debts');
    await Promise.all(debts.map((debtId) => table.put({ debtId, amountCents: 100 }, asked(debtId))));
    return;
  }
  await postgres.query('INSERT INTO debts (debt_id, amount_cents) SELECT unnest($1::text[]), 100', [debts]);
  for (const debtId of debts) app.announce(asked(debtId));
}

/** The payments of the entries in the ledger. */
function entriesIn(postgres: Pool): () => Promise<readonly string[]> {
  return async () => {
    const { rows } = await postgres.query<{ payment_id: string }>('SELECT payment_id FROM entries');
    return rows.map((row) => row.payment_id);
  };
}

/** Asks the providers, the tables and the dead-letter queues what became of everything. */
async function judgeAll(
  run: RehearsedShop,
  callbacks: Callbacks,
  { starved, isCutOff }: Given,
): Promise<Omit<Found, 'decided'>> {
  const { plan, protection, ledger } = run;
  const shop = run.shop();
  // What a producer has not sent yet is not on a queue.
  const left = isCutOff ? Number.POSITIVE_INFINITY : await messagesLeft(shop);
  const parked = await shop.records.parked();
  const orderIds = plan.orders.map(({ order }) => order.orderId);
  const verdictOn = async (effect: EffectKind) => {
    const url = shop.consumers[effect].deadLetterQueue?.url;
    const deadLettered = url === undefined ? new Set<string>() : await deadLetteredOrders(shop.sqs.client, url);
    const mayRepeat = protection === 'retry' && effect === 'email';
    return judge(effect, orderIds, ledger, { parkedClaims: parked, deadLettered, left, starved }, mayRepeat);
  };
  return {
    isCutOff,
    emails: await verdictOn('email'),
    giftCards: await verdictOn('gift-card'),
    payments: await judgePayments(shop.payments, plan.payments, callbacks, plan.misstatements.toBeFound),
    repayments: await judgeRepayments(shop.records, plan.repayments),
    outboxLeft: await shop.records.outboxLeft(),
  };
}

async function messagesLeft({ consumers, payments, outbox, repayments, sqs }: Shop): Promise<number> {
  const ofOrders = shopEffects.map((effect) => consumers[effect]);
  const all = [...ofOrders, payments.consumer, ...Object.values(outbox.consumers), repayments.consumer];
  const depths = await Promise.all(all.map(({ queue }) => sqs.depth(queue.name)));
  return depths.reduce((sum, depth) => sum + messagesIn(depth), 0);
}
