import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Call, FromSandbox, ToSandbox } from './sandbox-messages.ts';

/**
 * What runs inside a sandbox: Lambda's runtime, as far as a handler can see it.
 *
 * A process of its own, so that killing it loses exactly what a killed sandbox loses, and freezing it freezes its timers and sockets.
 */

type Handler = (event: unknown, context: Context) => unknown;

interface Context {
  readonly awsRequestId: string;
  readonly functionName: string;
  readonly functionVersion: string;
  readonly invokedFunctionArn: string;
  readonly memoryLimitInMB: string;
  readonly logGroupName: string;
  readonly logStreamName: string;
  getRemainingTimeInMillis(): number;
  callbackWaitsForEmptyEventLoop: boolean;
  done(error?: unknown, value?: unknown): void;
  fail(error?: unknown): void;
  succeed(value?: unknown): void;
}

const environment = process.env;
const sandbox = environment['AWS_ACCESS_KEY_ID'] ?? '';

/** The runtime that the template names, as the rehearsal says: 22 of `nodejs22.x`. The function does not see it. */
const runtimeOfNode = 'PAWL_RUNTIME_OF_NODE';

/** The last runtime of Lambda whose handlers may respond by a function. From the next one on, what a handler returns is the response. */
const lastOfCallbacks = 22;

// Node has read it. What the function starts does not have it either.
delete environment['NODE_COMPILE_CACHE'];

function send(message: FromSandbox): void {
  process.send?.(message);
}

/**
 * `folder/file.export`: the export is what stands behind the first dot of the last part, and may be inside another.
 *
 * @returns why there is no handler, if there is none
 */
async function load(): Promise<Handler | string> {
  const written = environment['_HANDLER'] ?? '';
  const [, path = '', file = 'index', name = 'handler'] = /^(.*\/)?([^./]+)\.(.+)$/.exec(written) ?? [];
  const folder = environment['LAMBDA_TASK_ROOT'] ?? '.';
  const firstOf = (...endings: readonly string[]) =>
    endings.map((ending) => path + file + ending).find((one) => existsSync(join(folder, one)));
  const found = firstOf('.mjs', '.js', '.cjs');
  if (found === undefined) {
    const source = firstOf('.ts', '.mts', '.cts', '.tsx');
    const build = source === undefined ? 'Build the app first' : `It has ${source}: compile the app first`;
    return `its asset has no ${path}${file}.mjs, ${path}${file}.js or ${path}${file}.cjs, and its handler is '${written}'. ${build}, or let the command that synthesizes it do so.`;
  }
  const exported: unknown = await import(pathToFileURL(join(folder, found)).href);
  const handler = find(exported, name) ?? find(inside(exported, 'default'), name);
  if (typeof handler !== 'function') {
    return `${found} of its asset exports no function '${name}', and its handler is '${written}'. Export it, or name the one that it exports.`;
  }
  const isOfCallbacks =
    handler.length >= 3 || Number(environment[runtimeOfNode] ?? lastOfCallbacks + 1) <= lastOfCallbacks;
  delete environment[runtimeOfNode];
  if (!isOfCallbacks) return (event, context) => handler(event, context);
  return (event, context) => byCallback(context, (callback) => handler(event, context, callback));
}

function find(exported: unknown, name: string): unknown {
  return name.split('.').reduce(inside, exported);
}

function inside(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && name in value ? Reflect.get(value, name) : undefined;
}

type Callback = (error?: unknown, value?: unknown) => void;

/**
 * A handler as Lambda calls it up to Node 22. It responds by a promise, or by a function. Without either, and behind a function, Lambda waits
 * until nothing is left to do: a call that is not awaited still happens. A returned value that is no promise is not the response.
 */
function byCallback(context: Context, call: (callback: Callback) => unknown): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const end: Callback = (error, value) => {
      if (error === null || error === undefined) resolve(value);
      else reject(error);
    };
    context.done = end;
    context.succeed = (value) => end(null, value);
    context.fail = (error) => end(error ?? 'handled');
    whenIdle(() => resolve(null));
    let isCalled = false;
    const returned = call((error, value) => {
      if (isCalled) return;
      isCalled = true;
      const isFailure = error !== null && error !== undefined;
      if (isFailure || !context.callbackWaitsForEmptyEventLoop) end(error, value);
      else whenIdle(() => resolve(value));
    });
    if (returned instanceof Promise) {
      notWhenIdle();
      returned.then(resolve, reject);
    }
  }).finally(notWhenIdle);
}

/** What to do as soon as the handler has left nothing to do. The channel to the rehearsal is always open, and must not count. */
let atIdle: (() => void) | undefined;

function whenIdle(then: () => void): void {
  atIdle = then;
  process.channel?.unref();
}

function notWhenIdle(): void {
  atIdle = undefined;
  process.channel?.ref();
}

process.on('beforeExit', () => {
  const then = atIdle;
  notWhenIdle();
  then?.();
});

/** When the invocation that is being handled ends, in epoch milliseconds. */
let current = { requestId: '', deadline: 0 };

function contextOf(call: Call): Context {
  const name = environment['AWS_LAMBDA_FUNCTION_NAME'] ?? '';
  const arn = `arn:aws:lambda:${environment['AWS_REGION']}:000000000000:function:${name}`;
  return {
    awsRequestId: call.requestId,
    functionName: name,
    functionVersion: '$LATEST',
    invokedFunctionArn: call.qualifier === undefined ? arn : `${arn}:${call.qualifier}`,
    memoryLimitInMB: environment['AWS_LAMBDA_FUNCTION_MEMORY_SIZE'] ?? '128',
    logGroupName: `/aws/lambda/${name}`,
    logStreamName: createHash('sha256').update(sandbox).digest('hex').slice(0, 32),
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis() {
      const { deadline } = current.requestId === call.requestId ? current : call;
      return Math.max(0, deadline - Date.now());
    },
    done: () => undefined,
    fail: () => undefined,
    succeed: () => undefined,
  };
}

async function respond(handler: Handler, call: Call): Promise<FromSandbox> {
  try {
    const value = await handler(JSON.parse(call.event), contextOf(call));
    // Lambda's response is JSON, so a returned value loses what JSON cannot hold, here as there.
    return { kind: 'response', requestId: call.requestId, value: JSON.stringify(value) ?? 'null' };
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    console.error(error);
    return { kind: 'error', requestId: call.requestId, name: error.name, message: error.message };
  }
}

if (process.send !== undefined) {
  // The service is gone, so no caller is left. A frozen sandbox gets here as soon as it is thawed.
  process.on('disconnect', () => process.exit(0));
  const handler = await load();
  // Most sandboxes end by SIGKILL, and Node writes at its exit.
  flushCompileCache();
  if (typeof handler === 'string') {
    // It is ended by who hears this, so that this is heard before its end.
    send({ kind: 'unloadable', why: handler });
  } else {
    process.on('message', (told: ToSandbox) => {
      if (told.kind === 'call') {
        current = told;
        void respond(handler, told).then(send);
      } else if (told.requestId === current.requestId) current = told;
    });
    send({ kind: 'ready' });
  }
}
