import { LambdaClient, type LambdaClientConfig } from '@aws-sdk/client-lambda';
import { readBody, startHttpServer } from '../../lib/rehearsal/engine/http.ts';
import { callerOf, type Fate } from './step-functions.ts';

type Status = 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'TIMED_OUT' | 'STOPPED';

export interface DurableExecution {
  readonly arn: string;
  readonly name: string;
  readonly input: string;
  readonly startedAt: number;
  status: Status;
  endedAt?: number;
}

interface StandInOptions {
  /** What becomes of each request. @param caller the access key that it is signed with */
  readonly fate?: (operation: string, input: string, caller: string) => Fate;
  /** Epoch milliseconds. */
  readonly now?: () => number;
  readonly retentionDays?: number;
  /** Retries and time-outs of the client. */
  readonly client?: LambdaClientConfig;
}

const day = 24 * 3600 * 1000;
const unqualified = 'arn:aws:lambda:eu-west-1:123456789012:function:settle';
export const durable = { alias: `${unqualified}:live`, unqualified, ordinary: `${unqualified}-plainly:live` } as const;

/**
 * Lambda on 127.0.0.1, as its API reference and its page on idempotency document durable executions:
 *
 * - the same name and payload, byte by byte, is the execution that there is, also of one that has ended; another payload is
 *   `DurableExecutionAlreadyStartedException`; a name is free again when the retention of its execution has ended, and then is not listed either.
 * - a function without a durable configuration is invoked, and has no execution.
 */
export async function startDurableFunctions({
  fate,
  now = Date.now,
  retentionDays = 14,
  client: config,
}: StandInOptions = {}) {
  const started: DurableExecution[] = [];
  const calls: string[] = [];

  const server = await startHttpServer((request, response) => {
    void (async () => {
      const payload = (await readBody(request)).toString('utf8');
      const url = new URL(request.url ?? '', 'http://lambda');
      const path = decodeURIComponent(url.pathname);
      const [operation, carryOut] = routeOf(path, url.searchParams, request.headers, payload);
      calls.push(operation);
      const becomes = fate?.(operation, payload, callerOf(request.headers));
      if (becomes === 'lost-before') return void request.socket.destroy();
      const said = becomes === 'throttled' ? refused(429, 'TooManyRequestsException') : carryOut();
      if (becomes === 'lost-after') return void request.socket.destroy();
      const { status = 200, headers, body } = said;
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(body === undefined ? '' : JSON.stringify(body));
    })();
  });

  function routeOf(
    path: string,
    query: URLSearchParams,
    headers: NodeJS.Dict<string | string[]>,
    payload: string,
  ): readonly [string, () => Said] {
    const invoked = /^\/2015-03-31\/functions\/(.+)\/invocations$/.exec(path)?.[1];
    if (invoked !== undefined) {
      return ['Invoke', () => invoke(invoked, String(headers['x-amz-durable-execution-name'] ?? ''), payload)];
    }
    const listed = /^\/2025-12-01\/functions\/(.+)\/durable-executions$/.exec(path)?.[1];
    if (listed !== undefined) return ['ListDurableExecutionsByFunction', () => list(listed, query)];
    const arn = path.replace('/2025-12-01/durable-executions/', '');
    return ['GetDurableExecution', () => get(arn)];
  }

  function invoke(functionName: string, name: string, payload: string): Said {
    if (functionName === durable.ordinary) return { status: 202 };
    if (functionName !== durable.alias) return refused(404, 'ResourceNotFoundException');
    if (!/^[a-zA-Z0-9-_]{1,64}$/.test(name)) return refused(400, 'InvalidParameterValueException');
    if (Buffer.byteLength(payload) > 1_048_576) return refused(413, 'RequestTooLargeException');
    const found = kept().find((one) => one.name === name);
    if (found !== undefined && found.input !== payload) return refused(409, 'DurableExecutionAlreadyStartedException');
    if (found !== undefined) return accepted(found);
    const arn = `${unqualified}:7/durable-execution/${name}/${crypto.randomUUID()}`;
    const execution: DurableExecution = { arn, name, input: payload, startedAt: now(), status: 'RUNNING' };
    started.push(execution);
    return accepted(execution);
  }

  /** A page has one execution, the newest first; names that begin with what is asked for are shown too. */
  function list(functionName: string, query: URLSearchParams): Said {
    if (functionName !== unqualified) return refused(404, 'ResourceNotFoundException');
    const asked = query.get('DurableExecutionName') ?? '';
    const found = kept()
      .filter(({ name }) => name.startsWith(asked))
      .toReversed();
    const at = Number(query.get('Marker') ?? 0);
    const page = found.slice(at, at + 1).map(shown);
    return { body: { DurableExecutions: page, ...(at + 1 < found.length && { NextMarker: String(at + 1) }) } };
  }

  function get(arn: string): Said {
    const found = kept().find((one) => one.arn === arn);
    if (found === undefined) return refused(404, 'ResourceNotFoundException');
    const failed =
      found.status === 'RUNNING' || found.status === 'SUCCEEDED' ? undefined : { ErrorType: 'CardDeclined' };
    return {
      body: {
        ...shown(found),
        InputPayload: found.input,
        DurableConfig: { RetentionPeriodInDays: retentionDays, ExecutionTimeout: 3600 },
        ...(failed && { Error: { ...failed, ErrorMessage: 'card declined' } }),
      },
    };
  }

  const kept = () => started.filter(({ endedAt }) => endedAt === undefined || now() - endedAt < retentionDays * day);

  const client = new LambdaClient({
    endpoint: server.endpoint,
    region: 'eu-west-1',
    credentials: { accessKeyId: 'function', secretAccessKey: 'local' },
    ...config,
  });

  return {
    client,
    endpoint: server.endpoint,
    /** The executions that were started, in their order. */
    started,
    /** The operations of the requests that came. */
    calls,
    end(execution: DurableExecution, status: Exclude<Status, 'RUNNING'>): void {
      execution.status = status;
      execution.endedAt = now();
    },
    async stop(): Promise<void> {
      client.destroy();
      await server.stop();
    },
  };
}

/** What EventBridge tells of a durable execution, as Lambda documents it: without its input, its result and its error. */
export function durableEvent({ arn, name, startedAt }: DurableExecution, status: Status) {
  const detail = {
    durableExecutionArn: arn,
    durableExecutionName: name,
    functionArn: `${unqualified}:7`,
    status,
    startTimestamp: new Date(startedAt).toISOString(),
  };
  return { source: 'aws.lambda', 'detail-type': 'Durable Execution Status Change', detail };
}

interface Said {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

function shown({ arn, name, status, startedAt }: DurableExecution) {
  const FunctionArn = `${unqualified}:7`;
  return {
    DurableExecutionArn: arn,
    DurableExecutionName: name,
    FunctionArn,
    Status: status,
    StartTimestamp: startedAt / 1000,
  };
}

function accepted({ arn }: DurableExecution): Said {
  return { status: 202, headers: { 'x-amz-durable-execution-arn': arn } };
}

function refused(status: number, type: string): Said {
  return { status, headers: { 'x-amzn-errortype': type }, body: { Type: 'User', Message: type, message: type } };
}
