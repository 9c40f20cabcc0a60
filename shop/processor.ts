import { fork } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { killWithUs } from '../lib/rehearsal/children.ts';
import { type HttpServer, sendJson, startHttpServer } from '../lib/rehearsal/http.ts';
import type { CallbackBatch } from './callback-sender.ts';
import { type Told, together } from './told.ts';

/** One payment as the processor has taken it. */
export interface ProcessedPayment {
  readonly paymentId: string;
  readonly customerId: string;
  readonly amountCents: number;
  readonly currency: string;
}

/** A payment to tell of, and how many calls it takes until what is told of it is in order. */
export interface ToldPayment {
  readonly payment: ProcessedPayment;
  readonly flawedCalls: number;
}

/**
 * A stand-in for a payment processor that tells of each payment twice at the same instant, from two processes of its own. As the real
 * ones, it counts its attempts in the body and says when each was made, corrects what it told wrong, and calls again until the answer
 * is 2xx.
 */
export interface Processor extends HttpServer {
  readonly publicKey: string;
  /** Tells of them all, until each callback was answered with 2xx, or the time is up. */
  tell(callbackUrl: string, payments: readonly ToldPayment[], until: number): Promise<Told>;
}

const SENDER = fileURLToPath(new URL('callback-sender.ts', import.meta.url));
/** Between two payments, so that they spread over a run, in milliseconds. */
const APART_MS = 40;

/** Starts it. It answers `/statements` with every payment that it was ever told to tell of. */
export async function startProcessor(): Promise<Processor> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const statements: ProcessedPayment[] = [];
  const server = await startHttpServer((request, response) => {
    if (request.url === '/statements') void sendJson(response, 200, statements);
    else void sendJson(response, 404, { message: 'The processor stand-in has only /statements.' });
  });

  return {
    ...server,
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    async tell(callbackUrl, payments, until) {
      statements.push(...payments.map(({ payment }) => payment));
      const batch: CallbackBatch = {
        callbackUrl,
        privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
        // Both processes need some time to start, and then call at the same millisecond.
        calls: payments.map((told, index) => ({ ...told, at: Date.now() + 1500 + index * APART_MS })),
        until,
      };
      return together(await Promise.all([sendFrom(batch), sendFrom(batch)]));
    },
  };
}

function sendFrom(batch: CallbackBatch): Promise<Told> {
  const child = killWithUs(fork(SENDER, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] }));
  return new Promise((resolve, reject) => {
    child.once('message', (told) => resolve(told as Told));
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`A process of the payment processor ended with ${code}.`)));
    child.send(batch);
  });
}
