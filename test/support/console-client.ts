import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { sessionHeader } from '../../lib/cli/console/api.ts';

export interface Said {
  readonly status: number;
  readonly text: string;
  readonly headers: IncomingMessage['headers'];
}

/** Sends a request as it is written: a test of attacks says the host, the origin and the path that no browser would. */
export async function send(
  port: number,
  method: string,
  path: string,
  { headers = {}, body }: { readonly headers?: Readonly<Record<string, string>>; readonly body?: string } = {},
): Promise<Said> {
  const sent = request({ host: '127.0.0.1', port, method, path, headers: { host: `127.0.0.1:${port}`, ...headers } });
  sent.end(body);
  const [response]: IncomingMessage[] = await once(sent, 'response');
  if (response === undefined) throw new Error('there is no response');
  return { status: response.statusCode ?? 0, text: await text(response), headers: response.headers };
}

/** Opens the console as a browser does. @returns the headers of every later call of the page */
export async function openPage({ url, port }: { readonly url: string; readonly port: number }) {
  const { pathname, search } = new URL(url);
  const opened = await send(port, 'GET', `${pathname}${search}`);
  const [cookie = ''] = (opened.headers['set-cookie']?.[0] ?? '').split(';');
  const key = /<meta name="pawl-session" content="([^"]+)">/.exec(opened.text)?.[1] ?? '';
  const session = { cookie, [sessionHeader]: key };
  const own = { ...session, origin: `http://127.0.0.1:${port}` };
  return {
    opened,
    session,
    get: (path: string) => send(port, 'GET', path, { headers: session }),
    post: (path: string, body: unknown) =>
      send(port, 'POST', path, { headers: { ...own, 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  };
}
