export type { SqsEvent, SqsRecord } from '../sqs/event.ts';
export type { Message } from '../sqs/message.ts';
export { openedMessage } from './opened-message.ts';
export { type SqsOnceOptions, sqsOnce } from './sqs-once.ts';
