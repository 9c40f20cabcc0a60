import { execFile } from 'node:child_process';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { esbuildOptions } from './esbuild-options.ts';

/**
 * What a cold start and the first delivery of a batch take: the bundle is imported in a process of its own and given ten messages, with the
 * real client of the SDK. The server behind it grants every write, and counts.
 */

const root = fileURLToPath(new URL('..', import.meta.url));
const messages = 10;
const coldStarts = 5;

export interface FirstDelivery {
  /** Requests to DynamoDB and to SQS for ten messages. */
  readonly requests: number;
  /** The median of a few cold starts, in milliseconds. It depends on the machine, and on what else this does. */
  readonly importMs: number;
}

/** The process of a function: it reports how long the import took, and is then given the batch. */
const child = `
const begun = performance.now();
const { handler } = await import(process.argv[1]);
const importMs = performance.now() - begun;
const Records = Array.from({ length: ${messages} }, (_, n) => ({
  messageId: 'message-' + n,
  receiptHandle: 'receipt-' + n,
  body: JSON.stringify({ orderId: 'order-' + n }),
  attributes: { ApproximateReceiveCount: '1', SentTimestamp: String(Date.now()) },
  messageAttributes: {},
  eventSource: 'aws:sqs',
  eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:orders',
  awsRegion: 'us-east-1',
}));
console.log = () => undefined;
const { batchItemFailures } = await handler({ Records }, { getRemainingTimeInMillis: () => 30_000 });
process.stdout.write(JSON.stringify({ importMs, failures: batchItemFailures.length }));
process.exit();
`;

/** Bundles a consumer as the construct does, and starts it a few times. */
export async function measureFirstDelivery(entry: string): Promise<FirstDelivery> {
  const outfile = join(root, '.pawl/sizes', entry, 'index.mjs');
  await build({ ...esbuildOptions(entry), absWorkingDir: root, outfile, logLevel: 'error' });
  const { url, stop, requestsSoFar } = await startCountingServer();
  const importTimes: number[] = [];
  try {
    for (let start = 0; start < coldStarts; start++) importTimes.push(await startCold(outfile, url));
  } finally {
    stop();
  }
  const [importMs = 0] = importTimes.toSorted((a, b) => a - b).slice(Math.floor(coldStarts / 2));
  return { requests: requestsSoFar() / coldStarts, importMs: Math.round(importMs) };
}

/** @returns how long the import took, in milliseconds. @throws Error when a message was not acknowledged */
async function startCold(bundle: string, url: string): Promise<number> {
  const env = {
    ...process.env,
    CLAIMS_TABLE: 'claims',
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'counted',
    AWS_SECRET_ACCESS_KEY: 'counted',
    AWS_ENDPOINT_URL_DYNAMODB: url,
    AWS_ENDPOINT_URL_SQS: url,
  };
  const args = ['--input-type=module', '--eval', child, bundle];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env, cwd: dirname(bundle), timeout: 30_000 });
  const { importMs, failures }: { readonly importMs: number; readonly failures: number } = JSON.parse(stdout);
  if (failures > 0) throw new Error(`${bundle}: ${failures} of ${messages} messages were not acknowledged`);
  return importMs;
}

/** A stand-in for DynamoDB that grants every statement and every write. */
async function startCountingServer() {
  let requests = 0;
  const server = createServer(async (request, response) => {
    requests++;
    const input: { readonly Statements?: readonly unknown[] } = JSON.parse(await textOf(request));
    const granted = input.Statements === undefined ? {} : { Responses: input.Statements.map(() => ({})) };
    response.setHeader('content-type', 'application/x-amz-json-1.0').end(JSON.stringify(granted));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requestsSoFar: () => requests,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString();
}
