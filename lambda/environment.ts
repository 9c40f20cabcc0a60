import type { SqsOptions } from 'pawl/sqs';
import type { Order } from './order.ts';

/** What a consumer is given by where it runs: the deployed function, or a test. */
export type Wiring = Pick<SqsOptions<Order>, 'store' | 'deadLetters' | 'onEvent' | 'aws' | 'host'>;

/** Seconds that a message waits before it is tried again, by how often it was received: 10, 30, 90 … unless the app says otherwise. */
export function backoffSeconds(receiveCount: number): number {
  return Math.min(900, Number(process.env['BACKOFF_SECONDS'] ?? 10) * 3 ** (receiveCount - 1));
}

/** @throws Error at the cold start, naming the variable: better than at the first message */
export function required(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') {
    throw new Error(`the environment variable ${name} is not set on this function; the CDK app sets it`);
  }
  return value;
}
