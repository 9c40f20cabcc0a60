import { crc32 } from 'node:zlib';
import { propertyOf } from '../kernel/unknown.ts';
import type { HttpResult } from './http.ts';
import type { ErrorHeaders, Service } from './service.ts';

/**
 * What a try of a request came to, and whether another one may help. The classes of errors are those of the AWS SDK's standard retry.
 *
 * Owns: which error is of which class, and the form of an error, which is the SDK's. Does not own: how often and how soon.
 */

export type Verdict =
  | { readonly kind: 'value'; readonly value: object }
  | { readonly kind: 'failed'; readonly error: Error; readonly again: Again };

/**
 * Whether to send it again. `soon`: the connection or the service failed. `throttled`: the service asks for fewer requests. `credentials`, `clock`: it was
 * refused for its signature, and helps only with other credentials, or under another time.
 */
type Again = 'never' | 'soon' | 'throttled' | 'credentials' | 'clock';

const throttling =
  /^(LimitExceededException|ProvisionedThroughputExceededException|RequestLimitExceeded|RequestThrottled(Exception)?|SlowDown|Throttl(ed|ing)Exception|Throttling|TooManyRequestsException|TransactionInProgressException)$/;
const transient: readonly string[] = ['TimeoutError', 'RequestTimeout', 'RequestTimeoutException'];
const transientStatus: readonly number[] = [500, 502, 503, 504];
/** The codes of Node's errors after which the SDK sends a request again. */
const connection: readonly unknown[] = [
  'ECONNRESET',
  'ECONNREFUSED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
];
const clock: readonly string[] = [
  'AccessDeniedException',
  'AuthFailure',
  'InvalidSignatureException',
  'RequestExpired',
  'RequestInTheFuture',
  'RequestTimeTooSkewed',
  'SignatureDoesNotMatch',
];
const credentials: readonly string[] = ['ExpiredTokenException', 'ExpiredToken', 'UnrecognizedClientException'];

export function verdictOf(service: Service, result: HttpResult): Verdict {
  if (result.kind === 'failed') {
    const { error } = result;
    // The name that the SDK gives it, for listeners that look at names.
    if (connection.includes(propertyOf(error, 'code'))) return failed(named(error, 'TimeoutError'), 'soon');
    return failed(error, 'never');
  }
  const { title, readValue = JSON.parse, readError = JSON.parse } = service;
  const { status, headers, body } = result;
  // A proxy on the way may cut or change a response. Half of a list of statements would be taken for all of it.
  if (headers.crc32 !== undefined && Number(headers.crc32) !== crc32(body)) {
    return failed(named(new Error(`the response of ${title} does not match its checksum`), 'CRC32CheckFailed'), 'soon');
  }
  const said = objectIn(body.toString('utf8'), status === 200 ? readValue : readError);
  if (status === 200 && said !== undefined) return { kind: 'value', value: said };
  if (status === 200) {
    return failed(named(new SyntaxError(`the response of ${title} is no JSON`), 'InvalidResponse'), 'soon');
  }
  return failedBy(service, status, said ?? {}, headers);
}

/** A try that was given up after its time. */
export function gaveUp({ title }: Service, ms: number): Verdict {
  return failed(named(new Error(`${title} did not respond within ${ms} ms`), 'TimeoutError'), 'soon');
}

function failedBy({ title, factsOf }: Service, status: number, said: object, headers: ErrorHeaders): Verdict {
  const type = propertyOf(said, '__type');
  // `com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException`
  const name = typeof type === 'string' ? type.slice(type.indexOf('#') + 1) : `HttpStatus${status}`;
  const text = propertyOf(said, 'message') ?? propertyOf(said, 'Message');
  const error = new Error(typeof text === 'string' ? text : `${title} returned ${name}, with status ${status}`);
  Object.assign(error, { $metadata: { httpStatusCode: status } }, factsOf?.(said, headers));
  return failed(named(error, name), againAfter(status, name));
}

function againAfter(status: number, name: string): Again {
  if (status === 429 || throttling.test(name)) return 'throttled';
  if (transientStatus.includes(status) || transient.includes(name)) return 'soon';
  if (clock.includes(name)) return 'clock';
  return credentials.includes(name) ? 'credentials' : 'never';
}

function failed(error: Error, again: Again): Verdict {
  return { kind: 'failed', error, again };
}

function named(error: Error, name: string): Error {
  return Object.assign(error, { name });
}

function objectIn(text: string, read: (text: string) => unknown): object | undefined {
  try {
    const value = read(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
