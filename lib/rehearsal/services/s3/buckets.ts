import type { ProvisionedBucket } from './create-buckets.ts';

/** A bucket of S3. */
export interface RehearsedBucket extends ProvisionedBucket {
  /** Puts an object, past all faults. The notifications of the bucket go out. */
  put(key: string, body: string | Uint8Array): Promise<void>;
  /** Deletes an object, likewise. */
  delete(key: string): Promise<void>;
  /** Returns an object's content, or `undefined` if there is none. */
  get(key: string): Promise<Buffer | undefined>;
}

/** A bucket for a caller. @param endpoint of the server that sends the notifications */
export function bucketOf(bucket: ProvisionedBucket, endpoint: string): RehearsedBucket {
  const at = (key: string) => `${endpoint}/${bucket.name}/${key.split('/').map(encodeURIComponent).join('/')}`;
  return {
    ...bucket,
    async put(key, body) {
      await checked(await fetch(at(key), { method: 'PUT', body: Buffer.from(body) }), `put ${key}`);
    },
    async delete(key) {
      await checked(await fetch(at(key), { method: 'DELETE' }), `delete ${key}`);
    },
    async get(key) {
      const response = await fetch(at(key));
      if (response.status === 404) return undefined;
      await checked(response, `get ${key}`);
      return Buffer.from(await response.arrayBuffer());
    },
  };
}

async function checked(response: Response, what: string): Promise<void> {
  if (!response.ok) throw new Error(`The S3 stand-in did not ${what}: ${response.status} ${await response.text()}`);
}
