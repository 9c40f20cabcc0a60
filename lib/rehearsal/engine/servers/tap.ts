import {
  Agent,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { readBody } from '../http.ts';
import { sandboxOf, startCalledServer } from '../lambda/callers.ts';

/** One request on its way to a server. */
export interface TapCall {
  /** The id of the sandbox that sent it. */
  readonly sandbox: string | undefined;
  /** The operation's name: `PutItem` of `DynamoDB_20120810.PutItem`, `Publish` of SNS, and `PUT /bucket/key` of S3. */
  readonly operation: string;
  readonly body: string;
}

export interface TapAnswer {
  readonly status: number;
  readonly body: string;
}

/**
 * What becomes of a call. `kill` ends the calling sandbox and drops the call. `drop` destroys the connection, so that
 * the caller cannot know whether the server has carried the call out.
 */
export type TapVerdict = 'pass' | 'kill' | 'drop' | { readonly delayMs: number };

/** A request that is changed on its way, and its response on the way back. */
export interface Rewrite {
  /** The request that the server gets instead; `undefined` if the server gets none. */
  readonly body: string | undefined;
  /** The status of a response that is made without the server. @default 200 */
  readonly status?: number;
  /** Makes the response, from the server's if it got a request. */
  answer(body?: string): string;
}

export interface TapHooks {
  /** Before the server gets the call. A call for which it returns `undefined` passes unchanged. */
  readonly rewrite?: (call: TapCall) => Rewrite | undefined;
  /** Before the server sees the call. After `kill` or `drop` it never does. */
  readonly onRequest?: (call: TapCall) => TapVerdict;
  /** After the server has carried the call out, before the caller gets the response. */
  readonly onResponse?: (call: TapCall, answer: TapAnswer) => TapVerdict;
  /** After the caller got the response. */
  readonly onAnswered?: (call: TapCall, answer: TapAnswer) => 'pass' | 'kill';
}

export interface TapOptions {
  /** The server behind it. `https:` needs a certificate that this process trusts. */
  readonly target: string;
  readonly hooks?: TapHooks;
  /** What `kill` does, at a call. */
  readonly kill?: (sandbox: string, call: TapCall) => void;
  /** Called when the server has carried a request out, before its caller knows. */
  readonly onCarriedOut?: OnCarriedOut;
  /** Waits for the server's answer to a call that it does not hold on purpose. @default just waits */
  readonly serving?: <Answer>(answer: Promise<Answer>) => Promise<Answer>;
}

export type OnCarriedOut = (request: IncomingMessage, body: Buffer, headers: IncomingHttpHeaders) => Promise<void>;

const perConnection = new Set(['connection', 'transfer-encoding', 'content-length']);

/** A proxy in front of one server, which can make any of its responses late, lost or fatal. */
export interface Tap {
  readonly endpoint: string;
  readonly stats: { readonly calls: number };
  stop(): Promise<void>;
}

/** A tap from the inside of this file. */
interface TapState {
  readonly target: URL;
  readonly hooks: TapHooks;
  readonly kill: (sandbox: string, call: TapCall) => void;
  readonly onCarriedOut: OnCarriedOut | undefined;
  readonly serving: NonNullable<TapOptions['serving']>;
  /** Keeps connections to the server open. */
  readonly agent: Agent;
  readonly stats: { calls: number };
}

export async function startTap(options: TapOptions): Promise<Tap> {
  const { target, hooks = {}, kill = () => undefined, onCarriedOut, serving = (answer) => answer } = options;
  const agent = isSecure(new URL(target)) ? new HttpsAgent({ keepAlive: true }) : new Agent({ keepAlive: true });
  const state: TapState = { target: new URL(target), hooks, kill, onCarriedOut, serving, agent, stats: { calls: 0 } };
  const server = await startCalledServer((request, response) => {
    // A sandbox that is killed takes its connections with it: no caller is left for a response.
    handle(state, request, response).catch(() => response.destroy());
  });
  return {
    endpoint: server.endpoint,
    stats: state.stats,
    async stop() {
      await server.stop();
      agent.destroy();
    },
  };
}

async function handle(state: TapState, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { hooks, stats } = state;
  stats.calls += 1;
  const body = await readBody(request);
  const text = body.toString('utf8');
  const call: TapCall = { sandbox: sandboxOf(request), operation: operationOf(request, text), body: text };
  if (!(await goesOn(state, hooks.onRequest?.(call) ?? 'pass', call, response))) return;
  const { answer, headers, raw } = await ask(state, request, call, body);
  if (!(await goesOn(state, hooks.onResponse?.(call, answer) ?? 'pass', call, response))) return;
  response.writeHead(answer.status, headers);
  response.end(raw ?? answer.body, () => {
    if (hooks.onAnswered?.(call, answer) === 'kill') killCaller(state, call);
  });
}

function operationOf({ headers, method = '', url = '' }: IncomingMessage, body: string): string {
  const target = headers['x-amz-target'];
  if (typeof target === 'string') return target.replace(/^.*\./, '');
  const isForm = String(headers['content-type']).startsWith('application/x-www-form-urlencoded');
  const action = isForm ? new URLSearchParams(body).get('Action') : null;
  return action ?? `${method} ${url}`;
}

/** Carries a verdict out. Returns false if the call ends here. */
async function goesOn(state: TapState, verdict: TapVerdict, call: TapCall, response: ServerResponse): Promise<boolean> {
  if (verdict === 'pass') return true;
  if (typeof verdict === 'object') {
    await sleep(verdict.delayMs);
    return true;
  }
  if (verdict === 'kill') killCaller(state, call);
  response.destroy();
  return false;
}

function killCaller({ kill }: TapState, call: TapCall): void {
  if (call.sandbox !== undefined) kill(call.sandbox, call);
}

/** The response to a call: the server's, or what a rewrite makes of it. */
async function ask(
  state: TapState,
  request: IncomingMessage,
  call: TapCall,
  given: Buffer,
): Promise<{ answer: TapAnswer; headers: IncomingHttpHeaders; raw?: Buffer }> {
  const rewrite = state.hooks.rewrite?.(call);
  if (rewrite !== undefined && rewrite.body === undefined) {
    const headers = { 'content-type': 'application/x-amz-json-1.0' };
    return { answer: { status: rewrite.status ?? 200, body: rewrite.answer() }, headers };
  }
  // The bytes as they are, if no rewrite touches them: an object of S3 need not be a text.
  const sent = rewrite?.body === undefined ? given : Buffer.from(rewrite.body);
  const onwards = forward(state, request, sent);
  // A receive may wait for messages, as long as it asks for.
  const onward = await (call.operation === 'ReceiveMessage' ? onwards : state.serving(onwards));
  const { connection: _, 'transfer-encoding': __, ...headers } = onward.head.headers;
  const status = onward.head.statusCode ?? 502;
  const body = onward.body.toString('utf8');
  if (status < 300) await state.onCarriedOut?.(request, given, headers);
  if (rewrite === undefined || status !== 200) return { answer: { status, body }, headers, raw: onward.body };
  // Both are about the body that the server sent.
  const { 'content-length': ___, 'x-amz-crc32': ____, ...others } = headers;
  return { answer: { status, body: rewrite.answer(body) }, headers: others };
}

async function forward({ agent, target }: TapState, request: IncomingMessage, body: Buffer) {
  const head = await new Promise<IncomingMessage>((resolve, reject) => {
    const onward = (isSecure(target) ? httpsRequest : httpRequest)(
      { agent, host: target.hostname, port: target.port, method: request.method, path: request.url },
      resolve,
    );
    // All but the connection's own headers, which belong to each connection.
    for (const [name, value] of Object.entries(request.headers)) {
      if (value !== undefined && !perConnection.has(name)) onward.setHeader(name, value);
    }
    onward.setHeader('content-length', body.length);
    onward.once('error', reject);
    onward.end(body);
  });
  return { head, body: await readBody(head) };
}

function isSecure({ protocol }: URL): boolean {
  return protocol === 'https:';
}
