import { type ActLine, type LiveEvent, sessionHeader, tableParameter } from '../api.ts';

/*
 * Calls of the console's server.
 *
 * Owns: the key of the session, and which table of claims the page is about. The server writes it into the page that has used the token, once; only this origin can read it afterwards.
 */

const stored = 'pawl-session';
const given = document.querySelector<HTMLMetaElement>('meta[name="pawl-session"]')?.content;
if (given !== undefined) localStorage.setItem(stored, given);
// A token that was used opens nothing. The address bar need not show it.
if (location.search !== '') history.replaceState(null, '', `/${location.hash}`);

/** The server has refused, or could not do it. Its message is for the operator. */
class CallError extends Error {
  override readonly name = 'CallError';
}

let table: string | undefined;

/** All calls from now on are about this table of claims. */
export function askAbout(name: string | undefined): void {
  table = name;
}

function withTable(path: string): string {
  if (table === undefined) return path;
  return `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams({ [tableParameter]: table })}`;
}

async function ask(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { [sessionHeader]: localStorage.getItem(stored) ?? '', ...init.headers };
  let response: Response;
  try {
    response = await fetch(withTable(path), { ...init, headers });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new CallError('The console has ended. Start it again, and open its new link.');
  }
  if (!response.ok) throw new CallError(await response.text());
  return response;
}

/** @throws CallError */
export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await ask(path, { ...(signal && { signal }) })).json();
}

function posting(body: unknown): RequestInit {
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

/** @throws CallError */
export async function post<T>(path: string, body: unknown): Promise<T> {
  return (await ask(path, posting(body))).json();
}

/** Each line of an act, as it comes. @throws CallError */
export async function* act(body: unknown): AsyncGenerator<ActLine> {
  const response = await ask('/api/act', posting(body));
  for await (const line of linesOf(response)) if (line !== '') yield JSON.parse(line);
}

/** What is reported until the signal. @throws CallError */
export async function* liveEvents(signal: AbortSignal): AsyncGenerator<LiveEvent> {
  const response = await ask('/api/live', { signal });
  for await (const line of linesOf(response)) if (line.startsWith('data: ')) yield JSON.parse(line.slice(6));
}

async function* linesOf({ body }: Response): AsyncGenerator<string> {
  if (body === null) return;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    const lines = (rest + value).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  yield rest;
}
