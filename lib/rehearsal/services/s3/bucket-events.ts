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

/** What a request to S3 changes, if it succeeds. One request may delete many objects, and S3 tells of each. */
export function changesOf(
  {
    method = '',
    url = '/',
    headers,
  }: {
    method?: string | undefined;
    url?: string | undefined;
    headers: Readonly<Record<string, unknown>>;
  },
  body: Buffer,
): readonly Pick<BucketChange, 'bucket' | 'key' | 'event'>[] {
  const { pathname, searchParams } = new URL(url, 'http://s3');
  const [, bucket = '', ...rest] = pathname.split('/');
  const key = decodeURIComponent(rest.join('/'));
  if (method === 'POST' && bucket !== '' && searchParams.has('delete')) {
    return keysIn(body.toString()).map((one) => ({ bucket, key: one, event: 'ObjectRemoved:Delete' }));
  }
  const event = bucket === '' || key === '' ? undefined : eventOf(method, searchParams, headers);
  return event === undefined ? [] : [{ bucket, key, event }];
}

function eventOf(
  method: string,
  query: URLSearchParams,
  headers: Readonly<Record<string, unknown>>,
): BucketChange['event'] | undefined {
  if (method === 'PUT' && !query.has('partNumber')) {
    return headers['x-amz-copy-source'] === undefined ? 'ObjectCreated:Put' : 'ObjectCreated:Copy';
  }
  if (method === 'POST' && query.has('uploadId')) return 'ObjectCreated:CompleteMultipartUpload';
  return method === 'DELETE' && !query.has('uploadId') ? 'ObjectRemoved:Delete' : undefined;
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** The keys in the XML of a request that deletes many objects. */
function keysIn(xml: string): readonly string[] {
  return [...xml.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) =>
    key.replaceAll(/&(?:#x([\da-f]+)|#(\d+)|(\w+));/gi, (whole, hex?: string, decimal?: string, name = '') => {
      const code = hex === undefined ? decimal : `0x${hex}`;
      return code === undefined ? (entities[name] ?? whole) : String.fromCodePoint(Number(code));
    }),
  );
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
