import { PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { environmentName, expect } from '../kernel/check.ts';
import { expectOptions } from '../kernel/take-options.ts';
import type { NamesOf } from '../kernel/unknown-option.ts';
import type { LargeBodies } from './message.ts';

export type { LargeBodies };

/**
 * The options of `largeBodies`.
 *
 * @example
 * import { S3Client } from '@aws-sdk/client-s3';
 *
 * const options: LargeBodiesOptions = { s3Client: new S3Client({}), bucket: process.env.PAYLOADS_BUCKET, prefix: 'outbox/' };
 */
export interface LargeBodiesOptions {
  /** Writes the objects. Its role needs `s3:PutObject`. */
  readonly s3Client: S3Client;
  /** The bucket. A missing name, `undefined` or an empty text, is reported at the first large body. Give it a lifecycle rule: an object is needed for as long as its message may come again, and pawl deletes none. */
  readonly bucket: string | undefined;
  /**
   * What the keys of the objects begin with.
   * @default 'outbox/'
   */
  readonly prefix?: string;
}

const known = { s3Client: true, bucket: true, prefix: true } as const satisfies NamesOf<LargeBodiesOptions>;

/**
 * Keeps bodies in S3 that are too large for an item or for their destination, and sends a pointer as the extended clients of AWS do. The consumer reads it
 * by `largePayload()` of `pawl/s3`. The object is written before the commit. If the commit fails, the object is left behind, and nothing points to it.
 *
 * @throws OptionError at once when an option is wrong; at the first large body when the name of the bucket is missing
 * @example
 * import { S3Client } from '@aws-sdk/client-s3';
 * import { dynamoOutbox } from 'pawl/outbox';
 *
 * const { message } = dynamoOutbox({
 *   aws,
 *   tableName: process.env.OUTBOX_TABLE,
 *   largeBodies: largeBodies({ s3Client: new S3Client({}), bucket: process.env.PAYLOADS_BUCKET }),
 * });
 */
export function largeBodies(options: LargeBodiesOptions): LargeBodies {
  expectOptions(options, { door: 'largeBodies', known, docs: 'docs/guides/outbox.md' });
  const { s3Client, bucket, prefix = 'outbox/' } = options;
  expect(typeof s3Client?.send === 'function', 's3Client', 'an S3Client', s3Client);
  const { read } = environmentName('bucket', {
    value: bucket,
    expected: 'the name of a bucket',
    variable: 'Set the environment variable that it is read from to the name of the bucket.',
  });
  expect(typeof prefix === 'string', 'prefix', 'a text', prefix);
  return {
    async keep(uid, Body) {
      const s3BucketName = read();
      const s3Key = `${prefix}${uid}`;
      await s3Client.send(
        new PutObjectCommand({ Bucket: s3BucketName, Key: s3Key, Body, ContentType: 'application/json' }),
      );
      return JSON.stringify(['software.amazon.payloadoffloading.PayloadS3Pointer', { s3BucketName, s3Key }]);
    },
  };
}
