import type { SendMessageCommandInput } from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import { deadLetterQueue, type SqsRecord, type SqsTransport } from '../../../lib/pawl/sqs/index.ts';
import { sqsEvent, sqsRecord } from '../../support/lambda.ts';

const [record] = sqsEvent(sqsRecord({ orderId: 'o-1' })).Records;

/** A way to SQS whose first call fails like this. */
function failingOnce(failure: Error) {
  const sent: string[][] = [];
  const transport: SqsTransport = {
    async call(_, input: Partial<SendMessageCommandInput>) {
      sent.push(Object.keys(input.MessageAttributes ?? {}));
      if (sent.length === 1) throw failure;
      return {};
    },
  };
  return { transport, sent };
}

const send = (transport: SqsTransport) =>
  record && deadLetterQueue('https://sqs/dead').send(transport, record, 'rejected', 'no');

describe('a copy for the dead-letter queue', () => {
  it('goes without its reason only where SQS refuses it with the reason', async () => {
    const refusal = Object.assign(new Error('too many attributes'), {
      name: 'InvalidParameterValue',
      $metadata: { httpStatusCode: 400 },
    });
    const { transport, sent } = failingOnce(refusal);
    await send(transport);
    expect(sent).toEqual([['pawl-reason', 'pawl-error', 'pawl-source-message-id'], ['pawl-source-message-id']]);
  });

  it('says which claim is that of the message, unless SQS refuses it with that: then it keeps its reason', async () => {
    const refusal = Object.assign(new Error('bad text'), { $metadata: { httpStatusCode: 400 } });
    const { transport, sent } = failingOnce(refusal);
    await deadLetterQueue('https://sqs/dead').send(transport, record as SqsRecord, 'parked', 'no', 'pay#o-1');
    const named = ['pawl-reason', 'pawl-error', 'pawl-source-message-id'];
    expect(sent).toEqual([[...named, 'pawl-claim'], named]);
  });

  it('that goes without its reason goes without that of its last stay there as well', async () => {
    const refusal = Object.assign(new Error('bad text'), { $metadata: { httpStatusCode: 400 } });
    const { transport, sent } = failingOnce(refusal);
    const text = (stringValue: string) => ({ dataType: 'String', stringValue });
    const messageAttributes = { 'pawl-reason': text('parked'), 'pawl-error': text('Error: old'), tenant: text('t-1') };
    const redriven = { ...sqsRecord({ orderId: 'o-1' }), messageAttributes };
    await deadLetterQueue('https://sqs/dead').send(transport, redriven, 'rejected', 'no');
    expect(sent.at(-1)).toEqual(['tenant', 'pawl-source-message-id']);
  });

  it('says which message it was first made of, through any number of copies: a key that is made of that id stays the same', async () => {
    const sent: SendMessageCommandInput['MessageAttributes'][] = [];
    const transport: SqsTransport = {
      async call(_, input: Partial<SendMessageCommandInput>) {
        sent.push(input.MessageAttributes);
        return {};
      },
    };
    const first = sqsRecord({ orderId: 'o-1' }, { messageId: 'first' });
    const source = { 'pawl-source-message-id': { dataType: 'String', stringValue: 'first' } };
    const redriven = sqsRecord({ orderId: 'o-1' }, { messageId: 'second', messageAttributes: source });
    for (const one of [first, redriven]) await deadLetterQueue('https://sqs/dead').send(transport, one, 'parked', 'no');
    expect(sent.map((attributes) => attributes?.['pawl-source-message-id']?.StringValue)).toEqual(['first', 'first']);
  });

  it.each([
    ['a connection that was reset', new Error('socket hang up')],
    [
      'throttling',
      Object.assign(new Error('slow down'), { name: 'RequestThrottled', $metadata: { httpStatusCode: 400 } }),
    ],
    ['an outage', Object.assign(new Error('oops'), { $metadata: { httpStatusCode: 503 } })],
  ])(
    'is not sent without its reason because of %s: the message stays, and is buried with its reason later',
    async (_, failure) => {
      const { transport, sent } = failingOnce(failure);
      await expect(send(transport)).rejects.toBe(failure);
      expect(sent).toHaveLength(1);
    },
  );
});
