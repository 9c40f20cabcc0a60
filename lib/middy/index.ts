export { openedMessage } from './opened-message.ts';
export { type SqsOnceOptions, sqsOnce } from './sqs-once.ts';
