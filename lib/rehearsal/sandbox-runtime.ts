import { createHash } from 'node:crypto';
import { subscribe } from 'node:diagnostics_channel';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { FromSandbox, ToSandbox } from './sandbox.ts';

/**
 * What runs inside a sandbox: Lambda's runtime, as far as a handler can see it.
 *
 * A process of its own, so that killing it loses exactly what a killed sandbox loses, and freezing it freezes its timers and sockets.
 */

type Handler = (event: unknown, context: unknown) => unknown;

const environment = process.env;
const sandbox = environment['AWS_ACCESS_KEY_ID'] ?? '';

// AWS's servers know a caller by its credentials. Any other server gets a header, added where tracing adds its own.
subscribe('undici:request:create', (message) => {
  const { request } = message as { request: { addHeader(name: string, value: string): void } };
  request.addHeader('x-local-sandbox', sandbox);
});

function send(message: FromSandbox): void {
  process.send?.(message);
}

async function load(): Promise<Handler> {
  const [file = 'index', name = 'handler'] = (environment['_HANDLER'] ?? '').split('.');
  const folder = environment['LAMBDA_TASK_ROOT'] ?? '.';
  const found = ['.mjs', '.js', '.cjs'].map((ending) => join(folder, file + ending)).find(existsSync);
  if (found === undefined) throw new Error(`There is no ${file}.mjs in ${folder}.`);
  const handler: unknown = (await import(pathToFileURL(found).href))[name];
  if (typeof handler !== 'function') throw new Error(`${found} exports no function ${name}.`);
  return (event, context) => handler(event, context);
}

function contextOf(call: ToSandbox): object {
  const name = environment['AWS_LAMBDA_FUNCTION_NAME'] ?? '';
  return {
    awsRequestId: call.requestId,
    functionName: name,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:${environment['AWS_REGION']}:000000000000:function:${name}`,
    memoryLimitInMB: environment['AWS_LAMBDA_FUNCTION_MEMORY_SIZE'] ?? '128',
    logGroupName: `/aws/lambda/${name}`,
    logStreamName: createHash('sha256').update(sandbox).digest('hex').slice(0, 32),
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => Math.max(0, call.deadline - Date.now()),
    done: () => undefined,
    fail: () => undefined,
    succeed: () => undefined,
  };
}

async function respond(handler: Handler, call: ToSandbox): Promise<FromSandbox> {
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
  process.on('message', (call: ToSandbox) => {
    void respond(handler, call).then(send);
  });
  send({ kind: 'ready' });
}
