import { createHash, randomUUID } from 'node:crypto';
import { rehearsedRegion } from '../../engine/app/template.ts';
import type { Destinations } from '../../engine/destinations.ts';
import type { ProvisionedBucket } from './create-buckets.ts';

/** A change of an object, seen at the server's response. */
export interface BucketChange {
  readonly bucket: string;
  readonly key: string;
  /** Without its `s3:`, as an event has it. */
  readonly event:
    | 'ObjectCreated:Put'
    | 'ObjectCreated:Copy'
    | 'ObjectCreated:CompleteMultipartUpload'
    | 'ObjectRemoved:Delete';
  readonly size: number;
  readonly eTag: string;
}

/** What a request to S3 changes, if it succeeds; `undefined` if it changes no object. */
export function changeOf({
  method = '',
  url = '/',
  headers,
}: {
  method?: string | undefined;
  url?: string | undefined;
  headers: Readonly<Record<string, unknown>>;
}): Pick<BucketChange, 'bucket' | 'key' | 'event'> | undefined {
  const { pathname, searchParams } = new URL(url, 'http://s3');
  const [, bucket = '', ...rest] = pathname.split('/');
  const key = decodeURIComponent(rest.join('/'));
  if (bucket === '' || key === '') return undefined;
  if (method === 'PUT' && !searchParams.has('partNumber')) {
    const copied = headers['x-amz-copy-source'] !== undefined;
    return { bucket, key, event: copied ? 'ObjectCreated:Copy' : 'ObjectCreated:Put' };
  }
  if (method === 'POST' && searchParams.has('uploadId')) {
    return { bucket, key, event: 'ObjectCreated:CompleteMultipartUpload' };
  }
  return method === 'DELETE' && !searchParams.has('uploadId')
    ? { bucket, key, event: 'ObjectRemoved:Delete' }
    : undefined;
}

let sequence = 0;

/** Tells all that want to know of a change. S3 promises no sequence among its events, so neither does this. */
export async function notify(
  buckets: readonly ProvisionedBucket[],
  change: BucketChange,
  destinations: Destinations,
): Promise<void> {
  const bucket = buckets.find(({ name }) => name === change.bucket);
  for (const { id, arn, events, prefix, suffix } of bucket?.notifications ?? []) {
    if (!events.some((wanted) => covers(wanted, change.event))) continue;
    if (!change.key.startsWith(prefix) || !change.key.endsWith(suffix)) continue;
    sequence += 1;
    await destinations.send(arn, { Records: [eventRecord(change, id)] });
  }
}

/** `s3:ObjectCreated:*` covers `ObjectCreated:Put`. */
function covers(wanted: string, event: string): boolean {
  const name = wanted.replace(/^s3:/, '');
  return name.endsWith('*') ? event.startsWith(name.slice(0, -1)) : name === event;
}

function eventRecord({ bucket, key, event, size, eTag }: BucketChange, configurationId: string) {
  const removed = event.startsWith('ObjectRemoved');
  return {
    eventVersion: '2.1',
    eventSource: 'aws:s3',
    awsRegion: rehearsedRegion,
    eventTime: new Date().toISOString(),
    eventName: event,
    userIdentity: { principalId: 'AWS:REHEARSAL' },
    requestParameters: { sourceIPAddress: '127.0.0.1' },
    responseElements: { 'x-amz-request-id': randomUUID(), 'x-amz-id-2': createHash('md5').update(key).digest('hex') },
    s3: {
      s3SchemaVersion: '1.0',
      configurationId,
      bucket: { name: bucket, ownerIdentity: { principalId: 'REHEARSAL' }, arn: `arn:aws:s3:::${bucket}` },
      object: {
        // As S3 has it: encoded as in a form, with a plus for a space.
        key: encodeURIComponent(key).replaceAll('%20', '+').replaceAll('%2F', '/'),
        ...(removed ? {} : { size, eTag: eTag.replaceAll('"', '') }),
        sequencer: sequence.toString(16).toUpperCase().padStart(18, '0'),
      },
    },
  };
}
