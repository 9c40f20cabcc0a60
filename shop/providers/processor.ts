import { fork } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { killWithUs } from '../../lib/rehearsal/children.ts';
import { type HttpServer, sendJson, startHttpServer } from '../../lib/rehearsal/http.ts';
import type { CallbackBatch } from './callback-sender.ts';
import { type Callbacks, together } from './callbacks.ts';

/** A payment that the processor has taken. */
export interface ProcessedPayment {
  readonly paymentId: string;
  readonly customerId: string;
  readonly amountCents: number;
  readonly currency: string;
}

/** A payment that the processor reports, and how many of its first calls are malformed. */
export interface ReportedPayment {
  readonly payment: ProcessedPayment;
  readonly flawedCalls: number;
}

/**
 * A stand-in for a payment processor. It sends two callbacks for each payment at the same instant, from two processes of its own. Like
 * real processors, it counts its attempts in the body and says when each was made, corrects malformed callbacks, and calls again until
 * the response is 2xx.
 */
export interface Processor extends HttpServer {
  readonly publicKey: string;
  /** Reports all of them, until each callback has a response of 2xx, or the time is up. */
  report(
    callbackUrl: string,
    payments: readonly ReportedPayment[],
    until: number,
    options?: ReportOptions,
  ): Promise<Callbacks>;
}

export interface ReportOptions {
  /** A file with a certificate that the processor trusts. */
  readonly certificate?: string;
  /** How long it waits between two payments, so that they spread over a run, in milliseconds. @default 40 */
  readonly apartMs?: number;
}

const SENDER = fileURLToPath(new URL('callback-sender.ts', import.meta.url));
/** Starts the processor. `/statements` returns every payment that it has ever reported, each once. */
export async function startProcessor(): Promise<Processor> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const statements = new Map<string, ProcessedPayment>();
  const server = await startHttpServer((request, response) => {
    if (request.url === '/statements') void sendJson(response, 200, [...statements.values()]);
    else void sendJson(response, 404, { message: 'The processor stand-in has only /statements.' });
  });

  return {
    ...server,
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    async report(callbackUrl, payments, until, { certificate, apartMs = 40 } = {}) {
      for (const { payment } of payments) statements.set(payment.paymentId, payment);
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

function sendFrom(batch: CallbackBatch, certificate: string | undefined): Promise<Callbacks> {
  const env = { ...process.env, ...(certificate === undefined ? {} : { NODE_EXTRA_CA_CERTS: certificate }) };
  const child = killWithUs(fork(SENDER, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], env }));
  return new Promise((resolve, reject) => {
    child.once('message', (callbacks) => resolve(callbacks as Callbacks));
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`A process of the payment processor ended with ${code}.`)));
    child.send(batch);
  });
}
