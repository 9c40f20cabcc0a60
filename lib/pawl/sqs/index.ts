export type { Aws, DynamoOperation, DynamoTransport, SqsOperation, SqsTransport } from '../aws/aws.ts';
export { decoded, type Encoded } from '../payload/envelopes/decoded.ts';
export type { Envelope, EnvelopeOption, MessageAttribute } from '../payload/envelopes/envelope.ts';
export { eventBridgeEnvelope } from '../payload/envelopes/event-bridge.ts';
export type {
  EventBridgeMetadata,
  LargePayloadMetadata,
  Metadata,
  S3Metadata,
  SnsMetadata,
} from '../payload/envelopes/metadata.ts';
export { type S3ObjectEvent, s3EventKey, s3Events } from '../payload/envelopes/s3-events.ts';
export { snsEnvelope } from '../payload/envelopes/sns.ts';
export { type BodyField, type BodyFields, bodyField, compositeKey } from '../payload/keys.ts';
export type { BodySchema } from '../payload/schema.ts';
export type { KeyValue } from '../rules/identity.ts';
export { type DeadLetters, deadLetterQueue } from './dead-letters.ts';
export type { DeadLetterReason } from './disposition.ts';
export type { SqsHandler } from './each-by.ts';
export { eachMessage } from './each-message.ts';
export type { InvocationContext, SqsBatchResponse, SqsEvent, SqsMessageAttribute, SqsRecord } from './event.ts';
export { type MessageKey, messageAttribute, messageId, sentKey } from './keys.ts';
export type { Message, MessageHandler } from './message.ts';
export type { SqsOptions } from './options.ts';
export { entityKey, requestKey } from './producer-keys.ts';
export { sendOnce } from './send-once.ts';
export type { Outgoing, SendOnceOptions, SendOutcome } from './send-once-options.ts';
