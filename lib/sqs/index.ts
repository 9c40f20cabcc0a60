export { type DeadLetters, deadLetterQueue } from './dead-letters.ts';
export { eachMessage, type MessageHandler } from './each-message.ts';
export type { InvocationContext, SqsBatchResponse, SqsEvent, SqsMessageAttribute, SqsRecord } from './event.ts';
export type { DeadLetterReason } from './fate.ts';
export { bodyField, compositeKey, type MessageKey, messageAttribute, messageId, sentKey } from './keys.ts';
export type { BodySchema, Message } from './message.ts';
export type { SqsOptions } from './options.ts';
export { entityKey, type Outgoing, requestKey, type SendOnceOptions, type SendOutcome, sendOnce } from './send-once.ts';
