import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';
import { expect } from 'vitest';
import { signedHeaders } from '../../lib/pawl/aws/signed-requests.ts';
import { createRandom } from '../../lib/rehearsal/engine/random.ts';
import { someDay } from './virtual-host.ts';

/** SHA-256, and its keyed form, as the signer of the SDK wants them. */
class Sha256 {
  readonly #hash: Hash | Hmac;
  constructor(secret?: string | Uint8Array) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', secret);
  }
  update(data: string | Uint8Array): void {
    this.#hash.update(data);
  }
  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }
}

const { next } = createRandom(19);
const below = (limit: number) => Math.floor(next() * limit);
const letters = ['a', 'Z', '0', '/', '+', '=', ' ', '"', 'é', '漢', '😀', '\\', '\n', '%', '\u0000'];
const text = (most: number) => Array.from({ length: below(most) }, () => letters[below(letters.length)]).join('');
const regions = ['us-east-1', 'eu-west-1', 'cn-north-1', 'us-gov-west-1'];
const targets = [
  ...['PutItem', 'GetItem', 'BatchGetItem', 'BatchExecuteStatement', 'TransactWriteItems'].map(
    (operation) => ['dynamodb', `DynamoDB_20120810.${operation}`] as const,
  ),
  ...['SendMessage', 'ChangeMessageVisibilityBatch'].map((operation) => ['sqs', `AmazonSQS.${operation}`] as const),
];

/** Signs random requests as the lean transports do, and as the AWS SDK does. */
export async function expectSameSignatures(times: number): Promise<void> {
  for (let index = 0; index < times; index++) {
    const region = regions[below(regions.length)] ?? '';
    const port = next() < 0.2 ? `:${1024 + below(60_000)}` : '';
    const [name, target] = targets[below(targets.length)] ?? (['sqs', ''] as const);
    const endpoint = new URL(`https://${name}.${region}.amazonaws.com${port}`);
    const token = text(40).replaceAll(/[^\w/+=]/g, '');
    const credentials = {
      accessKeyId: `AKIA${below(1e9)}`,
      secretAccessKey: `secret/${text(20).replaceAll(/[^\w/+=]/g, '')}`,
      ...(token !== '' && { sessionToken: token }),
    };
    const body = JSON.stringify({ [text(6)]: { S: text(30) }, id: { N: String(below(1e9)) } });
    const now = someDay + below(1e11);
    const given = { 'Content-Type': 'application/x-amz-json-1.0', 'X-Amz-Target': target };
    const ours = signedHeaders({ name }, { endpoint, region }, credentials, { headers: given, body, now });

    const theirs = new SignatureV4({
      credentials,
      region,
      service: name,
      sha256: Sha256 as never,
      applyChecksum: false,
    });
    const request = {
      method: 'POST',
      protocol: 'https:',
      hostname: endpoint.hostname,
      path: '/',
      query: {},
      body,
      headers: { ...given, host: endpoint.host, 'content-length': String(Buffer.byteLength(body)) },
    };
    const signed = await theirs.sign(request, { signingDate: new Date(now) });
    const authorization = Object.entries(signed.headers).find(([name]) => name.toLowerCase() === 'authorization');
    expect(ours['Authorization'], body).toBe(authorization?.[1]);
  }
}
