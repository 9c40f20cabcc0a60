import { createHash, getFips } from 'node:crypto';
import { propertyOf } from '../kernel/unknown.ts';
import type { SqsOperation, SqsTransport } from './aws.ts';
import { binariesAsBase64 } from './binaries.ts';
import type { Service } from './service.ts';
import type { Send } from './signed-requests.ts';

/** SQS, as it is asked without the SDK. */
export const sqs: Service = {
  title: 'SQS',
  name: 'sqs',
  target: 'AmazonSQS',
  mostTries: 3,
  // A received message may hold binary values in its attributes.
  readValue: (text) => JSON.parse(text, withBinaries),
  // The name in the older protocol of SQS, which the SDK puts beside the new one.
  factsOf: (_, { queryError }) => (queryError === undefined ? {} : { Code: queryError.split(';')[0] }),
};

/** The requests of pawl to SQS, by what sends them. */
export function leanSqs(send: Send): SqsTransport {
  return {
    async call(operation, input, options) {
      // Only a message can hold binary values, in its attributes.
      const isMessage = operation === 'SendMessage';
      const body = isMessage ? JSON.stringify(input, binariesAsBase64) : JSON.stringify(input);
      const said = await send(operation, body, options?.abortSignal);
      expectUndamaged(operation, input, said);
      return said;
    },
  };
}

function withBinaries(key: string, value: unknown): unknown {
  return key === 'BinaryValue' && typeof value === 'string' ? Uint8Array.from(Buffer.from(value, 'base64')) : value;
}

/**
 * A copy that was damaged on its way is not a message that is safe: the original must stay on its queue.
 *
 * @throws Error when SQS has another body than the one that was sent, or sent another one than the one that arrived
 */
function expectUndamaged(operation: SqsOperation, input: object, said: object): void {
  // Node has no MD5 in that mode.
  if (getFips() === 1) return;
  const isDamaged = (body: unknown, md5: unknown) => md5Of(String(body)) !== md5;
  if (
    operation === 'SendMessage' &&
    isDamaged(propertyOf(input, 'MessageBody'), propertyOf(said, 'MD5OfMessageBody'))
  ) {
    throw damaged('SQS received another body than the one that was sent');
  }
  const received = propertyOf(said, 'Messages');
  if (operation !== 'ReceiveMessage' || !Array.isArray(received)) return;
  if (received.some((one) => isDamaged(propertyOf(one, 'Body'), propertyOf(one, 'MD5OfBody')))) {
    throw damaged('another body arrived than the one that SQS sent');
  }
}

function md5Of(text: string): string {
  return createHash('md5').update(text).digest('hex');
}

function damaged(said: string): Error {
  return Object.assign(new Error(said), { name: 'InvalidChecksumError' });
}
