import { propertyOf } from '../../kernel/unknown.ts';

/** The shapes in which services publish their envelopes. */

export interface SnsNotification {
  readonly TopicArn: string;
  readonly Message: string;
}

export function isSnsNotification(json: unknown): json is SnsNotification {
  return textOf(json, 'Type') === 'Notification' && hasTexts(json, ['TopicArn', 'Message']);
}

export interface EventBridgeEvent {
  readonly source: string;
  readonly 'detail-type': string;
  readonly detail: unknown;
}

export function isEventBridgeEvent(json: unknown): json is EventBridgeEvent {
  return hasTexts(json, ['source', 'detail-type']) && propertyOf(json, 'detail') !== undefined;
}

/** A notification of S3's: its records, each of which names a bucket and an object. */
export function isS3Notification(json: unknown): json is { readonly Records: readonly S3Record[] } {
  const records = propertyOf(json, 'Records');
  return Array.isArray(records) && records.length > 0 && records.every(isS3Record);
}

export interface S3Record {
  readonly eventName: string;
  readonly s3: { readonly bucket: { readonly name: string }; readonly object: { readonly key: string } };
}

function isS3Record(record: unknown): record is S3Record {
  const s3 = propertyOf(record, 's3');
  const names = [textOf(propertyOf(s3, 'bucket'), 'name'), textOf(propertyOf(s3, 'object'), 'key')];
  return textOf(record, 'eventName') !== undefined && !names.includes(undefined);
}

/** What S3 sends once when a queue or a topic is set up for its notifications. */
export function isS3TestEvent(json: unknown): boolean {
  return textOf(json, 'Event') === 's3:TestEvent' && textOf(json, 'Service') === 'Amazon S3';
}

/** Where in S3 a payload is. */
export interface Pointer {
  readonly bucket: string;
  readonly key: string;
}

/** The names of the class that the extended clients send, over their versions; one repackages it under a longer name. */
const pointerClasses = ['payloadoffloading.PayloadS3Pointer', 'sqs.javamessaging.MessageS3Pointer'];

/**
 * The pointer in a body, if it is one. The extended clients of Java, Python and others send `["software.amazon.payloadoffloading.PayloadS3Pointer",
 * { "s3BucketName": …, "s3Key": … }]`, which Powertools reads as well; `sns-sqs-big-payload` sends `{ "S3Payload": { "Bucket": …, "Key": … } }`.
 */
export function pointerIn(json: unknown): Pointer | undefined {
  if (Array.isArray(json)) {
    const [name, place] = json;
    const isPointer = json.length === 2 && typeof name === 'string' && pointerClasses.some((one) => name.endsWith(one));
    return isPointer ? pointerOf(textOf(place, 's3BucketName'), textOf(place, 's3Key')) : undefined;
  }
  const place = propertyOf(json, 'S3Payload');
  return pointerOf(textOf(place, 'Bucket'), textOf(place, 'Key'));
}

function pointerOf(bucket: string | undefined, key: string | undefined): Pointer | undefined {
  return bucket && key ? { bucket, key } : undefined;
}

/** The envelope that a body seems to be in, as its option is written. */
export function envelopeLike(json: unknown): { readonly what: string; readonly option: string } | undefined {
  if (isSnsNotification(json)) return { what: 'a notification of SNS', option: 'snsEnvelope()' };
  if (isEventBridgeEvent(json)) return { what: 'an event of EventBridge', option: 'eventBridgeEnvelope()' };
  if (isS3Notification(json)) return { what: 'a notification of S3', option: 's3Events()' };
  if (pointerIn(json)) return { what: 'a pointer to a payload in S3', option: 'largePayload({ s3Client })' };
  return undefined;
}

/** A property of a document, if it is a text. */
export function textOf(json: unknown, name: string): string | undefined {
  const value = propertyOf(json, name);
  return typeof value === 'string' ? value : undefined;
}

function hasTexts(json: unknown, names: readonly string[]): boolean {
  return names.every((name) => textOf(json, name) !== undefined);
}
