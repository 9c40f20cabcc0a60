/**
 * The text of a record of SQS as Lambda delivers it, for the programs of fresh projects, in JavaScript and in TypeScript.
 *
 * @param id, body expressions of the program
 */
export const recordText = (id: string, body: string) => `{
  messageId: ${id},
  receiptHandle: ${id},
  body: ${body},
  attributes: {
    ApproximateReceiveCount: '1',
    SentTimestamp: '1800000000000',
    SenderId: 'shop',
    ApproximateFirstReceiveTimestamp: '1800000000000',
  },
  messageAttributes: {},
  md5OfBody: '',
  eventSource: 'aws:sqs',
  eventSourceARN: 'arn:aws:sqs:eu-west-1:123456789012:mails',
  awsRegion: 'eu-west-1',
}`;
