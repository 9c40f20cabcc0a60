import aws4 from 'aws4';
import { type Host, sleep, whenOver } from '../../../kernel/host.ts';
import { type Pauses, pauseMs } from '../../../kernel/retry.ts';
import type { DynamoTransport, Operation } from '../transport.ts';
import type { Credentials, LeanCredentials } from './credentials.ts';
import type { Place } from './endpoint.ts';
import type { Http } from './http.ts';
import { gaveUp, type Verdict, verdictOf } from './verdict.ts';

/**
 * Requests to DynamoDB without the AWS SDK.
 *
 * Owns: what is sent again, when, and how often; the signature, and the clock that it is made by. Does not own: connections (`http.ts`), what a
 * response means (`verdict.ts`), where credentials come from (`credentials.ts`).
 *
 * 1. A request is sent again only after an error that the SDK would repeat it for. What was applied may be applied to again: each write of pawl
 *    compares a revision, and recognises itself.
 * 2. A transaction keeps its token over all tries, so that DynamoDB applies it once.
 * 3. A connection that DynamoDB closed while it was idle costs no try and no pause.
 */

/** What a transport is made of. */
export interface Parts {
  readonly host: Host;
  readonly http: Http;
  readonly place: Place;
  readonly credentials: Credentials;
}

/** As often as the SDK's client of pawl sends a request. */
const mostTries = 4;
/** For one try, in milliseconds, as the SDK's client of pawl. */
const tryMs = 3000;
/** For all tries together, in milliseconds. */
const wholeMs = 12_000;
/** After a throttled request, as the SDK: a table that is asked sooner throttles the next one too. */
const ofThrottled: Pauses = { firstMs: 500, mostMs: 5000 };
/** So many times a request finds its connection closed at no cost. Others may have put theirs back in between. */
const mostIdle = 3;
/** DynamoDB refuses signatures that are further off, at 5 minutes. */
const longestSkewMs = 240_000;

/** What one request remembers over its tries. */
interface Sending {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly until: number;
}

export function leanTransport({ host, http, place, credentials }: Parts): DynamoTransport {
  /** How far DynamoDB's clock is ahead of this one, in milliseconds. */
  let skewMs = 0;

  async function send(operation: Operation, input: object): Promise<object> {
    const sending = {
      headers: headersOf(operation),
      body: bodyOf(operation, input, host),
      until: host.now() + wholeMs,
    };
    let failures = 0;
    let idle = 0;
    let hasRenewed = false;
    for (;;) {
      const signer = await credentials.current();
      const skewBefore = skewMs;
      const { verdict, wasIdle } = await tryOnce(sending, signer);
      if (verdict.kind === 'value') return verdict.value;
      const { error, again } = verdict;
      if (wasIdle && ++idle <= mostIdle) {
        // Those that wait beside it are as old, after a freeze of the sandbox all of them.
        http.dropIdle();
        continue;
      }
      if (again === 'never') throw error;
      if (again === 'clock') {
        if (skewMs === skewBefore) throw error;
      } else if (again === 'credentials') {
        if (hasRenewed) throw error;
        hasRenewed = true;
        credentials.forget(signer);
      }
      const waitMs = pauseMs(host, failures, again === 'throttled' ? ofThrottled : undefined);
      failures += 1;
      if (failures >= mostTries || host.now() + waitMs >= sending.until) throw error;
      await sleep(host, waitMs);
    }
  }

  function tryOnce(
    { headers, body, until }: Sending,
    signer: LeanCredentials,
  ): Promise<{ readonly verdict: Verdict; readonly wasIdle: boolean }> {
    const now = host.now();
    const ms = Math.max(1, Math.min(tryMs, until - now));
    const signed = signedHeaders(place, signer, { headers, body, now: now + skewMs });
    return new Promise((resolve) => {
      const giveUp = http.send({ headers: signed, body }, (result) => {
        cancel();
        if (result.kind === 'response') skewMs = skewAfter(skewMs, result.headers.date, host.now());
        resolve({ verdict: verdictOf(result), wasIdle: result.kind === 'failed' && result.wasIdle });
      });
      const cancel = whenOver(host, ms, () => {
        giveUp();
        resolve({ verdict: gaveUp(ms), wasIdle: false });
      });
    });
  }

  return { kind: 'dynamo-transport', call: send, region: async () => place.region };
}

/** The headers of a try, signed. @internal */
export function signedHeaders(
  { endpoint, region }: Place,
  signer: LeanCredentials,
  { headers, body, now }: Pick<Sending, 'headers' | 'body'> & { readonly now: number },
): Readonly<Record<string, string | number>> {
  const request = {
    service: 'dynamodb',
    region,
    method: 'POST',
    path: '/',
    host: endpoint.host,
    headers: { ...headers, 'X-Amz-Date': amzDate(now) },
    body,
  };
  const { accessKeyId, secretAccessKey, sessionToken } = signer;
  const signed = aws4.sign(request, { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) });
  return signed.headers as Readonly<Record<string, string | number>>;
}

function headersOf(operation: Operation): Readonly<Record<string, string>> {
  return { 'Content-Type': 'application/x-amz-json-1.0', 'X-Amz-Target': `DynamoDB_20120810.${operation}` };
}

/** The request as DynamoDB's JSON. Only the application's writes, in a transaction, can hold binary values. */
function bodyOf(operation: Operation, input: object, host: Pick<Host, 'randomId'>): string {
  if (operation !== 'TransactWriteItems') return JSON.stringify(input);
  return JSON.stringify({ ClientRequestToken: host.randomId(), ...input }, binariesAsBase64);
}

/** A `Buffer` has become an object of its own by the time that it is passed in, so the holder is looked at. */
function binariesAsBase64(this: object, key: string, value: unknown): unknown {
  const given: unknown = Reflect.get(this, key);
  return given instanceof Uint8Array ? Buffer.from(given).toString('base64') : value;
}

/** `20261121T093000Z` */
function amzDate(ms: number): string {
  return new Date(ms).toISOString().replace(/[:-]|\.\d{3}/g, '');
}

/** A clock that is a little off stays as it is: the date of a response is whole seconds, and older than its arrival. */
function skewAfter(skewMs: number, date: string | undefined, now: number): number {
  const serverMs = date === undefined ? Number.NaN : Date.parse(date);
  const isFar = Math.abs(now + skewMs - serverMs) >= longestSkewMs;
  return isFar ? serverMs - now : skewMs;
}
