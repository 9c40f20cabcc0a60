import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { expect, expectWhole } from '../../kernel/check.ts';
import { errorKind } from '../../kernel/error-kind.ts';
import { InvalidMessageError } from '../../kernel/errors.ts';
import { answeredBy } from '../../kernel/request.ts';
import { expectOptions } from '../../kernel/take-options.ts';
import { propertyOf } from '../../kernel/unknown.ts';
import type { NamesOf } from '../../kernel/unknown-option.ts';
import { type Envelope, type Opened, type Opening, PayloadUnavailableError, unexpected } from './envelope.ts';
import { type Pointer, pointerIn } from './shapes.ts';

export type { Envelope };

/**
 * The options of `largePayload`.
 *
 * @example
 * import { S3Client } from '@aws-sdk/client-s3';
 *
 * const options: LargePayloadOptions = { s3Client: new S3Client({}), buckets: ['payloads'], maxBytes: 8 * 2 ** 20 };
 */
export interface LargePayloadOptions {
  /** Reads the objects. Its role needs `s3:GetObject`, and `s3:ListBucket` to tell an object that is missing from one that is forbidden. */
  readonly s3Client: S3Client;
  /**
   * The buckets that payloads may be in. The sender of a message names the bucket: without a list, it reads whatever the function's role may read.
   * @default all that the function's role may read
   */
  readonly buckets?: readonly string[];
  /**
   * The largest payload that is read, in bytes. A message with a larger one is dead-lettered: it would end the worker.
   * @default 33554432, which is 32 MiB
   */
  readonly maxBytes?: number;
  /**
   * How long reading one object may take, in milliseconds. The message comes again then.
   * @default 20000
   */
  readonly timeoutMs?: number;
}

const known = {
  s3Client: true,
  buckets: true,
  maxBytes: true,
  timeoutMs: true,
} as const satisfies NamesOf<LargePayloadOptions>;

const defaults = { maxBytes: 32 * 2 ** 20, timeoutMs: 20_000 };

/** The attribute with which the extended clients mark a message whose payload is in S3, and what its name was before. */
const marks = ['ExtendedPayloadSize', 'SQSLargePayloadSize'];
/** What S3 says of an object that can never be read, and what that means. It finds whatever was written before, so nothing was, or it was deleted. */
const neverReadable: ReadonlyMap<unknown, string> = new Map([
  ['NoSuchKey', 'its payload is not in S3: there is no such object (NoSuchKey)'],
  ['InvalidRange', 'its payload in S3 is empty'],
]);
/** More than a bucket, a key of 1,024 bytes and a URL of both take, in characters. */
const longestPointer = 16_384;

/**
 * Reads a payload that is kept in S3 because SQS or SNS does not take one as large. It reads the pointers of the extended clients of Java and Python
 * (which Powertools reads as well) and of `sns-sqs-big-payload`. A message without a pointer is taken as it is.
 *
 * If S3 cannot be reached or refuses, the message comes again, and pawl reports `payload-unavailable`. If the object does not exist, the message can
 * never run, and is dead-lettered. pawl deletes no object: a duplicate needs it to find its key.
 *
 * @throws OptionError at once when an option is missing or out of range
 * @example
 * import { S3Client } from '@aws-sdk/client-s3';
 * import { snsEnvelope } from 'pawl/sqs';
 *
 * const envelope = [snsEnvelope(), largePayload({ s3Client: new S3Client({}), buckets: ['payloads'] })];
 */
export function largePayload(options: LargePayloadOptions): Envelope {
  expectOptions(options, { door: 'largePayload', known, docs: 'docs/guides/envelopes.md' });
  const { s3Client, buckets, maxBytes = defaults.maxBytes, timeoutMs = defaults.timeoutMs } = options;
  expect(typeof s3Client?.send === 'function', 's3Client', 'an S3Client', s3Client);
  const isList = buckets === undefined || (Array.isArray(buckets) && buckets.every((one) => typeof one === 'string'));
  expect(isList, 'buckets', 'a list of names', buckets);
  expectWhole('maxBytes', maxBytes);
  expectWhole('timeoutMs', timeoutMs);
  const reader: Reader = { s3Client, buckets, maxBytes, timeoutMs };
  return {
    name: 'largePayload()',
    several: false,
    open: (sealed, opening) => open(reader, sealed, opening),
  };
}

type Reader = Required<Pick<LargePayloadOptions, 's3Client' | 'maxBytes' | 'timeoutMs'>> & {
  readonly buckets: readonly string[] | undefined;
};

async function open(reader: Reader, sealed: Opened, opening: Opening): Promise<readonly Opened[]> {
  const { messageAttributes, metadata } = sealed;
  const pointer = pointerOf(sealed);
  if (pointer === undefined) {
    const isMarked = marks.some((name) => Object.hasOwn(messageAttributes, name));
    if (isMarked) throw unexpected('a pointer to a payload in S3, as an attribute says', 'a body that is none');
    return [sealed];
  }
  if (reader.buckets?.includes(pointer.bucket) === false) {
    throw unexpected('a pointer to one of the `buckets` of S3', 'a pointer to another one');
  }
  const bytes = await read(reader, pointer, opening);
  return [{ content: { kind: 'bytes', bytes }, messageAttributes, metadata: { ...metadata, largePayload: pointer } }];
}

function pointerOf({ content }: Opened): Pointer | undefined {
  // What is longer is a payload, and may be no JSON.
  if (content.kind !== 'text' || content.text.length > longestPointer) return undefined;
  try {
    return pointerIn(JSON.parse(content.text));
  } catch {
    return undefined;
  }
}

/** @throws InvalidMessageError when there is no such object, or it is too large; PayloadUnavailableError when it could not be read */
async function read(reader: Reader, pointer: Pointer, { host, until }: Opening): Promise<Uint8Array> {
  const giveUp = new AbortController();
  const inTime = Math.min(until, host.now() + reader.timeoutMs);
  try {
    return await answeredBy(host, inTime, request(reader, pointer, giveUp.signal));
  } catch (cause) {
    giveUp.abort(cause);
    if (errorKind(cause) === 'invalid-message') throw cause;
    const never = neverReadable.get(propertyOf(cause, 'name'));
    if (never !== undefined) throw new InvalidMessageError('invalid-message', never);
    throw new PayloadUnavailableError('S3 did not return the payload of the message', { cause });
  }
}

async function request(
  { s3Client, maxBytes }: Reader,
  { bucket, key }: Pointer,
  abortSignal: AbortSignal,
): Promise<Uint8Array> {
  // One byte more than may be: a body that is left unread would throw out of nowhere when its connection ends.
  const range = `bytes=0-${maxBytes}`;
  const command = new GetObjectCommand({ Bucket: bucket, Key: key, Range: range });
  const { Body } = await s3Client.send(command, { abortSignal });
  const bytes = (await Body?.transformToByteArray()) ?? new Uint8Array();
  if (bytes.length <= maxBytes) return bytes;
  throw new InvalidMessageError('invalid-message', `its payload in S3 is larger than maxBytes, which is ${maxBytes}`);
}
