export type { SqsEvent, SqsRecord } from '../sqs/event.ts';
export type { Message } from '../sqs/message.ts';
export type { SqsOnceOptions } from './batch-middleware.ts';
export { openedMessage } from './opened-message.ts';
export { sqsOnce } from './sqs-once.ts';
