import type { KeyValue } from '../../kernel/key.ts';
import { propertyOf } from '../../kernel/unknown.ts';
import { bodyField, compositeKey } from '../keys.ts';
import { documentIn, type Envelope, type Opened, unexpected } from './envelope.ts';
import { isS3Notification, isS3TestEvent, type S3Record, textOf } from './shapes.ts';

/** The body of one record of S3's: what happened to which object. What differs between two notifications of one event is in the metadata. */
export interface S3ObjectEvent {
  /** `ObjectCreated:Put`, … */
  readonly eventName: string;
  readonly bucket: string;
  /** The object's key, decoded: S3 sends it as in a URL. */
  readonly key: string;
  /** Of a bucket with versions. */
  readonly versionId?: string;
  /** Orders the events of one key, and tells them apart. S3 sends it with objects that are created or deleted. */
  readonly sequencer?: string;
  /** In bytes. */
  readonly size?: number;
  readonly eTag?: string;
}

/**
 * Opens a notification of S3's. Each of its records has a key, a claim and a handler call of its own, and its body is an `S3ObjectEvent`. The message
 * is done when all of them are. If one of them can never run, the message is dead-lettered once the others are done.
 *
 * S3 sends a test event when a queue is set up for it: that is acknowledged. The handler finds `bucket`, `key`, `eventTime` and the record itself in
 * `message.metadata.s3`. Not for `sqsOnce`.
 *
 * @example
 * export const handler = eachMessage<S3ObjectEvent>(
 *   { operation: 'make-thumbnail', store, envelope: s3Events(), key: s3EventKey(), onAbandoned: 'retry' },
 *   async ({ body }) => console.log(`a thumbnail of ${body.key} in ${body.bucket}`),
 * );
 */
export function s3Events(): Envelope {
  return {
    name: 's3Events()',
    several: true,
    open(sealed) {
      const expected = 'a notification of S3';
      const { json } = documentIn(sealed.content, expected);
      if (isS3TestEvent(json)) return [];
      if (!isS3Notification(json)) throw unexpected(expected, 'JSON without Records that name a bucket and an object');
      return json.Records.map((record) => opened(sealed, record));
    },
  };
}

function opened({ messageAttributes, metadata }: Opened, record: S3Record): Opened {
  const { eventName } = record;
  const { object } = record.s3;
  const bucket = record.s3.bucket.name;
  const key = decodedKey(object.key);
  const size = propertyOf(object, 'size');
  const texts = Object.entries({
    versionId: textOf(object, 'versionId'),
    sequencer: textOf(object, 'sequencer'),
    eTag: textOf(object, 'eTag'),
  }).filter(([, value]) => value !== undefined);
  const body: S3ObjectEvent = {
    eventName,
    bucket,
    key,
    ...Object.fromEntries(texts),
    ...(typeof size === 'number' && { size }),
  };
  const s3 = { bucket, key, region: textOf(record, 'awsRegion'), eventTime: textOf(record, 'eventTime'), record };
  return { content: { kind: 'text', text: JSON.stringify(body) }, messageAttributes, metadata: { ...metadata, s3 } };
}

/** As in a URL: a space is `+`. */
function decodedKey(key: string): string {
  try {
    return decodeURIComponent(key.replaceAll('+', ' '));
  } catch {
    return key;
  }
}

/**
 * The key is the event of S3's: its bucket, its object and its sequencer. A second notification of the same event has the same key, and a new version
 * of the object has another key. Missing for the kinds of events to which S3 gives no sequencer, such as tagging: give these a key of your own.
 *
 * @example
 * export const handler = eachMessage<S3ObjectEvent>(
 *   { operation: 'index-upload', store, envelope: s3Events(), key: s3EventKey(), onAbandoned: 'retry' },
 *   async ({ body }) => console.log(body.key),
 * );
 */
export function s3EventKey(): (input: { readonly body: unknown }) => KeyValue {
  return compositeKey(bodyField('bucket'), bodyField('key'), bodyField('sequencer'));
}
