import { fork } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { killWithUs } from '../../lib/rehearsal/engine/children.ts';
import type { HttpServer } from '../../lib/rehearsal/engine/http.ts';
import { type ProviderRoutes, startProvider } from '../../lib/rehearsal/provider.ts';
import type { CallbackBatch } from './callback-sender.ts';
import { type Callbacks, together } from './callbacks.ts';

/** A payment that the processor has taken. */
export interface ProcessedPayment {
  readonly paymentId: string;
  readonly customerId: string;
  readonly amountCents: number;
  readonly currency: string;
}

/** A payment as the processor's statements have it. */
interface StatedPayment extends ProcessedPayment {
  /** When it was taken, in epoch milliseconds. */
  readonly at: number;
}

/** What the statements say that is not so, as far as the app knows. */
export interface Misstatements {
  /** Taken, and never reported to the app: refunds are due. */
  readonly unreported: readonly ProcessedPayment[];
  /** The ids of payments that were reported, and are in no statement. */
  readonly omitted: readonly string[];
  /** The ids of payments that are stated with a cent more. */
  readonly wrong: readonly string[];
}

/** A payment that the processor reports, and how many of its first calls are malformed. */
interface ReportedPayment {
  readonly payment: ProcessedPayment;
  readonly flawedCalls: number;
}

/**
 * A stand-in for a payment processor. It sends two callbacks for each payment at the same instant, from two processes of its own. Like
 * real processors, it counts its attempts in the body and says when each was made, corrects malformed callbacks, and calls again until
 * the response is 2xx.
 */
export interface Processor {
  /** What it does with a call. */
  readonly routes: ProviderRoutes;
  readonly publicKey: string;
  /** Lets the statements say something else than what is reported. */
  misstate(misstatements: Misstatements): void;
  /** Reports all of them, until each callback has a response of 2xx, or the time is up. */
  report(
    callbackUrl: string,
    payments: readonly ReportedPayment[],
    until: number,
    options?: ReportOptions,
  ): Promise<Callbacks>;
}

interface ReportOptions {
  /** A file with a certificate that the processor trusts. */
  readonly certificate?: string;
  /** How long it waits between two payments, so that they spread over a run, in milliseconds. @default 40 */
  readonly apartMs?: number;
}

const sender = fileURLToPath(new URL('callback-sender.ts', import.meta.url));

/** Starts the processor. */
export async function startProcessor(): Promise<Processor & HttpServer> {
  const processor = createProcessor();
  return { ...(await startProvider(processor.routes)), ...processor };
}

/** `/statements` returns every payment that it has ever reported, each once, but for what it misstates. */
export function createProcessor(): Processor {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const statements = new Map<string, StatedPayment>();
  let misstated: Misstatements = { unreported: [], omitted: [], wrong: [] };
  return {
    routes: ({ path }) =>
      path === '/statements'
        ? { status: 200, body: stated([...statements.values()], misstated) }
        : { status: 404, body: { message: 'The processor stand-in has only /statements.' } },
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    misstate(misstatements) {
      misstated = misstatements;
    },
    async report(callbackUrl, payments, until, { certificate, apartMs = 40 } = {}) {
      for (const { payment } of payments) {
        // What is reported again was taken when it was reported first.
        const { at = Date.now() } = statements.get(payment.paymentId) ?? {};
        statements.set(payment.paymentId, { ...payment, at });
      }
      const batch: CallbackBatch = {
        callbackUrl,
        privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
        // Both processes need some time to start, and then call at the same millisecond.
        calls: payments.map((payment, index) => ({ ...payment, at: Date.now() + 1500 + index * apartMs })),
        until,
      };
      return together(await Promise.all([sendFrom(batch, certificate), sendFrom(batch, certificate)]));
    },
  };
}

/** The statements, with what is not so. */
function stated(
  payments: readonly StatedPayment[],
  { unreported, omitted, wrong }: Misstatements,
): readonly StatedPayment[] {
  const at = Math.min(...payments.map((payment) => payment.at));
  const listed = payments
    .filter(({ paymentId }) => !omitted.includes(paymentId))
    .map((one) => (wrong.includes(one.paymentId) ? { ...one, amountCents: one.amountCents + 1 } : one));
  return payments.length === 0 ? [] : [...listed, ...unreported.map((payment) => ({ ...payment, at }))];
}

function sendFrom(batch: CallbackBatch, certificate: string | undefined): Promise<Callbacks> {
  const env = { ...process.env, ...(certificate === undefined ? {} : { NODE_EXTRA_CA_CERTS: certificate }) };
  const child = killWithUs(fork(sender, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], env }));
  return new Promise((resolve, reject) => {
    child.once('message', (callbacks) => resolve(callbacks as Callbacks));
    // Its end may be known before what it has said: the channel closes behind that.
    void Promise.all([once(child, 'exit'), once(child, 'disconnect')]).then(
      ([[code]]) => reject(new Error(`A process of the payment processor ended with ${code}.`)),
      reject,
    );
    child.send(batch);
  });
}
