import { setTimeout as sleep } from 'node:timers/promises';
import { expectOptions, type NamesOf } from 'pawl/kernel';
import type { AppApi, AppResponse, RequestOptions } from './app.ts';
import { again, begin, docs, enqueue, intend, type Sending, type Sent } from './sending.ts';

const requestOptions: NamesOf<RequestOptions> = {
  intent: true,
  effects: true,
  headers: true,
  retries: true,
  timeoutMs: true,
};

/** An HTTP API, for its client. */
export function apiOf(state: Sending, construct: string, endpoint: string): AppApi {
  const request: AppApi['request'] = (method, path, body, options) => {
    const take = () => {
      expectOptions(options, { door: 'request', known: requestOptions, docs });
      return intend(state, options, `${method} to ${construct}`);
    };
    return begin(state, take, (sent) => requested(sent, method, path, body, options));
  };
  const requested = (sent: Sent, ...[method, path, body, options]: Parameters<AppApi['request']>) => {
    const url = `${endpoint}${path.startsWith('/') ? '' : '/'}${path}`;
    let isAccepted = false;
    const call = async (copy: 'first' | 'again') => {
      const response = await callApi(state, { url, method, body, copy }, options);
      const { status = 500 } = response;
      // What was accepted once is owed, whatever the response is when it is sent again.
      isAccepted ||= status < 400;
      const refusal = status >= 500 ? 'no-response' : 'refused';
      sent.ended = isAccepted ? 'sent' : refusal;
      return response;
    };
    again(state, options.intent, construct, () => call('again'));
    return enqueue<AppResponse>(state, () => call('first'), { status: undefined, text: '' });
  };
  return {
    url: endpoint,
    request,
    post: (path, body, options) => request('POST', path, body, options),
    put: (path, body, options) => request('PUT', path, body, options),
  };
}

interface Request {
  readonly url: string;
  readonly method: string;
  readonly body: unknown;
  readonly copy: 'first' | 'again';
}

/** Calls an API, as a client that waits longer each time. */
async function callApi(
  state: Sending,
  { url, method, body, copy }: Request,
  { intent, headers = {}, retries = true, timeoutMs = 10_000 }: RequestOptions,
): Promise<AppResponse> {
  const { journal, stats } = state;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  let last: AppResponse = { status: undefined, text: '' };
  for (let attempt = 1; attempt <= (retries ? 12 : 1) && !state.stopped; attempt += 1) {
    if (attempt > 1) await sleep(Math.min(2_000, 100 * 2 ** attempt), undefined, { ref: false });
    stats.messages += 1;
    const repeated = copy === 'again' || attempt > 1 ? ' AGAIN' : '';
    const which = attempt > 1 ? `, attempt ${attempt}` : '';
    journal.add([intent], { kind: 'asked', how: `${method} ${new URL(url).pathname}${repeated}${which}` });
    last = await fetchText(url, method, text, headers, timeoutMs);
    const { status } = last;
    journal.add([intent], { kind: 'answered', how: status === undefined ? 'no response' : `response ${status}` });
    if (status !== undefined && status < 500 && status !== 409 && status !== 429) return last;
  }
  return last;
}

async function fetchText(
  url: string,
  method: string,
  body: string | undefined,
  headers: Readonly<Record<string, string>>,
  timeoutMs: number,
): Promise<AppResponse> {
  try {
    const response = await fetch(url, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      signal: AbortSignal.timeout(timeoutMs),
      ...(body === undefined ? {} : { body }),
    });
    return { status: response.status, text: await response.text() };
  } catch {
    return { status: undefined, text: '' };
  }
}
