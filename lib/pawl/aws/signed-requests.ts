import aws4 from 'aws4';
import { type Host, sleep, whenOver } from '../kernel/host.ts';
import { type Pauses, pauseMs } from '../kernel/retry.ts';
import type { Credentials, LeanCredentials } from './credentials.ts';
import type { Place } from './endpoint.ts';
import type { Http } from './http.ts';
import type { Service } from './service.ts';
import { gaveUp, type Verdict, verdictOf } from './verdict.ts';

/**
 * Requests to a service of AWS without the AWS SDK.
 *
 * Owns: what is sent again, when, and how often; the signature, and the clock that it is made by. Does not own: connections (`http.ts`), what a
 * response means (`verdict.ts`), where credentials come from (`credentials.ts`).
 *
 * 1. A request is sent again only after an error that the SDK would repeat it for. What was applied may be applied to again: each write of a claim
 *    compares a revision, and recognises itself; a message that is in its queue twice has one key.
 * 2. Every try has the same body. So a transaction keeps its token, and DynamoDB applies it once.
 * 3. A connection that the service closed while it was idle costs no try and no pause.
 */

/** What requests are made of. */
export interface Parts {
  readonly service: Service;
  readonly host: Host;
  readonly http: Http;
  readonly place: Place;
  readonly credentials: Credentials;
}

/** For one try, in milliseconds, as the SDK's client of pawl. */
const tryMs = 3000;
/** For all tries together, in milliseconds. */
const wholeMs = 12_000;
/** After a throttled request, as the SDK: a service that is asked sooner throttles the next one too. */
const ofThrottled: Pauses = { firstMs: 500, mostMs: 5000 };
/** So many times a request finds its connection closed at no cost. Others may have put theirs back in between. */
const mostIdle = 3;
/** AWS refuses signatures that are further off, at 5 minutes. */
const longestSkewMs = 240_000;

/** What one request remembers over its tries. */
interface Sending {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly until: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Sends a request, and again as often as it may help.
 *
 * @param body as JSON
 * @param signal gives the request up. It may have been applied
 * @returns the response
 * @throws an error with the name of the service's; the signal's reason
 */
export type Send = (operation: string, body: string, signal?: AbortSignal) => Promise<object>;

export function signedRequests({ service, host, http, place, credentials }: Parts): Send {
  /** How far the service's clock is ahead of this one, in milliseconds. */
  let skewMs = 0;

  async function send(operation: string, body: string, signal?: AbortSignal): Promise<object> {
    const sending = { headers: headersOf(service, operation), body, until: host.now() + wholeMs, signal };
    let failures = 0;
    let idle = 0;
    let hasRenewed = false;
    for (;;) {
      const signer = await credentials.current();
      signal?.throwIfAborted();
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
      if (failures >= service.mostTries || host.now() + waitMs >= sending.until) throw error;
      await sleep(host, waitMs);
    }
  }

  function tryOnce(
    { headers, body, until, signal }: Sending,
    signer: LeanCredentials,
  ): Promise<{ readonly verdict: Verdict; readonly wasIdle: boolean }> {
    const now = host.now();
    const ms = Math.max(1, Math.min(tryMs, until - now));
    const signed = signedHeaders(service, place, signer, { headers, body, now: now + skewMs });
    return new Promise((resolve, reject) => {
      const end = () => {
        cancel();
        signal?.removeEventListener('abort', abort);
      };
      const giveUp = http.send({ headers: signed, body }, (result) => {
        end();
        if (result.kind === 'response') skewMs = skewAfter(skewMs, result.headers.date, host.now());
        resolve({ verdict: verdictOf(service, result), wasIdle: result.kind === 'failed' && result.wasIdle });
      });
      const cancel = whenOver(host, ms, () => {
        end();
        giveUp();
        resolve({ verdict: gaveUp(service, ms), wasIdle: false });
      });
      const abort = () => {
        end();
        giveUp();
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', abort);
    });
  }

  return send;
}

/** The headers of a try, signed. @internal */
export function signedHeaders(
  { name }: Pick<Service, 'name'>,
  { endpoint, region }: Place,
  signer: LeanCredentials,
  { headers, body, now }: Pick<Sending, 'headers' | 'body'> & { readonly now: number },
): Readonly<Record<string, string | number>> {
  const request = {
    service: name,
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

function headersOf({ target }: Service, operation: string): Readonly<Record<string, string>> {
  return { 'Content-Type': 'application/x-amz-json-1.0', 'X-Amz-Target': `${target}.${operation}` };
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
