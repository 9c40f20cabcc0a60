import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { sessionHeader } from './api.ts';

/*
 * Who may talk to the console's server.
 *
 * Owns: what every request has to prove, and the headers of every response. Does not own: what a request does.
 *
 * 1. The `Host` is the address that the server listens on. A name that a hostile DNS server leads to this machine is none.
 * 2. A request that has an `Origin`, or says that it comes from another site, comes from the console's own page. A request that is not a GET has one.
 * 3. A GET writes nothing, and receives no message.
 * 4. The body of a POST is JSON: no form of a page can send it.
 * 5. The session: a cookie, which no script can read, and for the API a key besides, which only the page's own origin can read. A browser sends cookies to
 *    every port of a host, so the cookie alone would let another server on this machine in.
 * 6. The token of the URL buys one session, once.
 */

/** A request that is refused. */
export interface Refusal {
  readonly status: number;
  readonly why: string;
}

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

/** @param port that the server listens on */
export function refusedByOrigin({ method, path, headers }: Asked, port: number): Refusal | undefined {
  const { host, origin } = headers;
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  if (host === undefined || !hosts.includes(host)) return { status: 421, why: 'The console has another host name.' };
  const own = `http://${host}`;
  if (origin !== undefined && origin !== own) return { status: 403, why: 'Only the page of the console may ask.' };
  if (method === 'GET') {
    const site = headers['sec-fetch-site'];
    const isOwn = site === undefined || site === 'same-origin' || site === 'none';
    return isOwn || path === '/' ? undefined : { status: 403, why: 'Only the page of the console may ask.' };
  }
  if (method !== 'POST') return { status: 405, why: 'The console takes GET and POST.' };
  if (origin === undefined) return { status: 403, why: 'Only the page of the console may ask.' };
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  return type.trim() === 'application/json' ? undefined : { status: 415, why: 'The console takes JSON.' };
}

/** The one session of a console: its token, and what the browser that has used the token proves itself with. */
export interface Session {
  /** Uses the token up. @returns whether it was the token, for the first time */
  open(token: string): boolean;
  /** Whether a request has the cookie. */
  hasCookie(headers: IncomingHttpHeaders): boolean;
  /** Whether it has the cookie and the key. */
  isOpen(headers: IncomingHttpHeaders): boolean;
  readonly token: string;
  readonly setCookie: string;
  readonly key: string;
}

/** @param secret makes a text that cannot be guessed */
export function createSession(port: number, secret: () => string): Session {
  const [token, cookie, key] = [secret(), secret(), secret()];
  // Cookies have no port: two consoles in one browser would sign each other out.
  const name = `pawl-console-${port}`;
  let isUsed = false;
  const hasCookie = ({ cookie: sent = '' }: IncomingHttpHeaders) =>
    sent.split(';').some((pair) => isSame(pair.trim(), `${name}=${cookie}`));
  return {
    token,
    key,
    setCookie: `${name}=${cookie}; Path=/; HttpOnly; SameSite=Strict`,
    open(given) {
      const opens = !isUsed && isSame(given, token);
      isUsed ||= opens;
      return opens;
    },
    hasCookie,
    isOpen(headers) {
      const sent = headers[sessionHeader];
      return hasCookie(headers) && typeof sent === 'string' && isSame(sent, key);
    },
  };
}

/** In the same time, wherever the two differ. */
function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}

/** Of every response. */
export const securityHeaders: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};
