import { type Part, part } from '../../engine/parts.ts';
import type { Service } from '../../engine/service.ts';
import { changesOf, notify } from './bucket-events.ts';
import { bucketOf, type RehearsedBucket } from './buckets.ts';
import { createBuckets } from './create-buckets.ts';
import { types } from './rules.ts';

type BucketPart = Part<'bucket', RehearsedBucket, RehearsedBucket>;

export const s3: Service<BucketPart, object, 's3'> = {
  types: types,
  page: [
    '| bucket | objects; notifications to queues, topics and functions, with prefix and suffix | versions, lifecycle, replication, EventBridge | a function that is not run |',
  ],
  finds: { bucket: 'bucket' },
  endpoint: {
    name: 's3',
    title: 'S3',
    server: ({ sqs }) => sqs.endpoint,
    /** S3 tells of an object when it has it, also if the caller never hears of it. */
    async onCarriedOut({ provisioned, destinations }, request, body, headers) {
      const size = Number(request.headers['x-amz-decoded-content-length'] ?? body.length);
      const buckets = provisioned.parts.filter(isBucket).map(({ item }) => item);
      for (const change of changesOf(request, body)) {
        await notify(buckets, { ...change, size, eTag: String(headers['etag'] ?? '') }, destinations);
      }
    },
  },
  async provision({ reading, servers }) {
    const buckets = await createBuckets(reading, servers.sqs.endpoint);
    return { parts: buckets.map((bucket) => part('bucket', bucketOf(bucket, servers.quiet['s3'] ?? ''))) };
  },
};

function isBucket(one: Part): one is BucketPart {
  return one.kind === 'bucket';
}
