import { createHash, getFips } from 'node:crypto';
import { binariesAsBase64 } from '../../aws/binaries.ts';
import type { Service } from '../../aws/service.ts';
import type { Send } from '../../aws/signed-requests.ts';
import { propertyOf } from '../../kernel/unknown.ts';
import type { SqsTransport } from '../transport.ts';

/** SQS, as the lean transport asks it. */
export const sqs: Service = {
  title: 'SQS',
  name: 'sqs',
  target: 'AmazonSQS',
  mostTries: 3,
  // The name in the older protocol of SQS, which the SDK puts beside the new one.
  factsOf: (_, { queryError }) => (queryError === undefined ? {} : { Code: queryError.split(';')[0] }),
};

/** The requests of pawl to SQS, by what sends them. */
export function leanTransport(send: Send): SqsTransport {
  return {
    kind: 'sqs-transport',
    async call(operation, input, options) {
      // Only a message can hold binary values, in its attributes.
      const isMessage = operation === 'SendMessage';
      const body = isMessage ? JSON.stringify(input, binariesAsBase64) : JSON.stringify(input);
      const said = await send(operation, body, options?.abortSignal);
      if (isMessage) expectSent(input, said);
      return said;
    },
  };
}

/**
 * A copy that was damaged on its way is not a message that is safe: the original must stay on its queue.
 *
 * @throws Error when SQS has another body than the one that was sent
 */
function expectSent(input: object, said: object): void {
  // Node has no MD5 in that mode.
  if (getFips() === 1) return;
  const sent = createHash('md5')
    .update(String(propertyOf(input, 'MessageBody')))
    .digest('hex');
  if (propertyOf(said, 'MD5OfMessageBody') === sent) return;
  throw Object.assign(new Error('SQS received another body than the one that was sent'), {
    name: 'InvalidChecksumError',
  });
}
