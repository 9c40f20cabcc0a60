import {
  Agent,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { readBody, sandboxOf, startHttpServer } from './http.ts';

/** One request on its way to a server. */
export interface TapCall {
  /** Whose credentials signed it: the sandbox's id. */
  readonly sandbox: string | undefined;
  /** The operation's name: `PutItem` of `DynamoDB_20120810.PutItem`. */
  readonly operation: string;
  readonly body: string;
}

export interface TapAnswer {
  readonly status: number;
  readonly body: string;
}

/**
 * What becomes of a call. `kill` ends the calling sandbox and drops the call; `drop` destroys the connection, so that
 * the caller cannot know whether the server did it.
 */
export type TapVerdict = 'pass' | 'kill' | 'drop' | { readonly delayMs: number };

/** A request that is changed on its way, and its answer on the way back. */
export interface Rewrite {
  /** What the server is asked instead; nothing when it is not asked at all. */
  readonly body: string | undefined;
  /** The answer, made from the server's if it was asked. */
  answer(body?: string): string;
}

export interface TapHooks {
  /** Before all else. What it answers nothing for passes as it is. */
  readonly rewrite?: (call: TapCall) => Rewrite | undefined;
  /** Before the server sees the call. After `kill` or `drop` it never does. */
  readonly onRequest?: (call: TapCall) => TapVerdict;
  /** After the server did it, before the caller knows. */
  readonly onResponse?: (call: TapCall, answer: TapAnswer) => TapVerdict;
  /** After the caller was told. */
  readonly onAnswered?: (call: TapCall, answer: TapAnswer) => 'pass' | 'kill';
}

export interface TapOptions {
  /** The server behind it. */
  readonly target: string;
  readonly hooks?: TapHooks;
  /** What `kill` does. */
  readonly kill?: (sandbox: string) => void;
}

const perConnection = new Set(['connection', 'transfer-encoding', 'content-length']);

/** A proxy in front of one server, which can make any of its answers late, lost or fatal. */
export interface Tap {
  readonly endpoint: string;
  readonly stats: { readonly calls: number };
  stop(): Promise<void>;
}

export async function startTap(options: TapOptions): Promise<Tap> {
  const { hooks = {} } = options;
  const target = new URL(options.target);
  const agent = new Agent({ keepAlive: true });
  const stats = { calls: 0 };

  /** Carries a verdict out. False when the call ends here. */
  async function obey(verdict: TapVerdict, call: TapCall, response: ServerResponse): Promise<boolean> {
    if (verdict === 'pass') return true;
    if (typeof verdict === 'object') {
      await sleep(verdict.delayMs);
      return true;
    }
    if (verdict === 'kill') kill(call);
    response.destroy();
    return false;
  }

  function kill({ sandbox }: TapCall): void {
    if (sandbox !== undefined) options.kill?.(sandbox);
  }

  async function forward(request: IncomingMessage, body: Buffer): Promise<{ head: IncomingMessage; body: Buffer }> {
    const head = await new Promise<IncomingMessage>((resolve, reject) => {
      const onward = httpRequest(
        { agent, host: target.hostname, port: target.port, method: request.method, path: request.url },
        resolve,
      );
      // Copied one by one, as they came; the connection's own headers belong to each connection.
      for (const [name, value] of Object.entries(request.headers)) {
        if (value !== undefined && !perConnection.has(name)) onward.setHeader(name, value);
      }
      onward.setHeader('content-length', body.length);
      onward.once('error', reject);
      onward.end(body);
    });
    return { head, body: await readBody(head) };
  }

  async function ask(
    request: IncomingMessage,
    call: TapCall,
    rewrite: Rewrite | undefined,
  ): Promise<{ answer: TapAnswer; headers: IncomingHttpHeaders }> {
    if (rewrite !== undefined && rewrite.body === undefined) {
      const headers = { 'content-type': 'application/x-amz-json-1.0' };
      return { answer: { status: 200, body: rewrite.answer() }, headers };
    }
    const onward = await forward(request, Buffer.from(rewrite?.body ?? call.body));
    const { connection: _, 'transfer-encoding': __, ...headers } = onward.head.headers;
    const status = onward.head.statusCode ?? 502;
    const body = onward.body.toString('utf8');
    if (rewrite === undefined || status !== 200) return { answer: { status, body }, headers };
    // Both are about the body that the server sent.
    const { 'content-length': ___, 'x-amz-crc32': ____, ...others } = headers;
    return { answer: { status, body: rewrite.answer(body) }, headers: others };
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    stats.calls += 1;
    const body = await readBody(request);
    const operation = String(request.headers['x-amz-target'] ?? '').replace(/^.*\./, '');
    const call: TapCall = { sandbox: sandboxOf(request), operation, body: body.toString('utf8') };
    if (!(await obey(hooks.onRequest?.(call) ?? 'pass', call, response))) return;
    const { answer, headers } = await ask(request, call, hooks.rewrite?.(call));
    if (!(await obey(hooks.onResponse?.(call, answer) ?? 'pass', call, response))) return;
    response.writeHead(answer.status, headers);
    response.end(answer.body, () => {
      if (hooks.onAnswered?.(call, answer) === 'kill') kill(call);
    });
  }

  const server = await startHttpServer((request, response) => {
    // A sandbox that is killed takes its connections with it: there is nobody to tell.
    handle(request, response).catch(() => response.destroy());
  });
  return {
    endpoint: server.endpoint,
    stats,
    async stop() {
      await server.stop();
      agent.destroy();
    },
  };
}
