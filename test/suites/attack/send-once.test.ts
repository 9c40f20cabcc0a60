import type { SQSClient } from '@aws-sdk/client-sqs';
import { expect, test } from 'vitest';
import { memoryStore } from '../../../lib/pawl/index.ts';
import { sendOnce } from '../../../lib/pawl/sqs/index.ts';
import { sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { virtualHost } from '../../support/virtual-host.ts';

interface Sending {
  readonly abortSignal?: AbortSignal;
}

/** How long `sendOnce` tries, with `giveUpAfterMs: 2_000` and a queue that takes a request and never responds. */
async function triesFor(heedsAbort: boolean): Promise<number> {
  const host = virtualHost();
  const client = {
    send: (_: unknown, { abortSignal }: Sending = {}) =>
      new Promise((_resolve, reject) => {
        if (heedsAbort) abortSignal?.addEventListener('abort', () => reject(abortSignal.reason));
      }),
  };
  const send = sendOnce({
    operation: 'refund',
    store: memoryStore(),
    queueUrl: 'https://sqs.us-east-1.amazonaws.com/000000000000/refunds',
    aws: sdk({ sqs: client as Partial<SQSClient> as SQSClient }),
    giveUpAfterMs: 2_000,
    onEvent: () => {},
    host,
  });
  const began = host.now();
  let took = Number.POSITIVE_INFINITY;
  const ended = () => {
    took = host.now() - began;
  };
  send({ key: 'payment/1234/refund', body: {} }).then(ended, ended);
  await host.advance(120_000);
  return took;
}

// docs/guides/producers.md: "`sendOnce` tries for `giveUpAfterMs` (30 s)." and throws "the last error, if SQS could not be reached in that time".
test('sendOnce gives up within giveUpAfterMs and one wait between tries, if the queue never responds', async () => {
  expect(await triesFor(true)).toBeLessThanOrEqual(2_500);
});

test('sendOnce comes to an end with a client that does not heed an abort', async () => {
  expect(await triesFor(false)).toBeLessThan(120_000);
});
