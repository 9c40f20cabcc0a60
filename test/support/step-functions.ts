import { SFNClient, type SFNClientConfig } from '@aws-sdk/client-sfn';
import { readBody, startHttpServer } from '../../lib/rehearsal/engine/http.ts';

/** What becomes of a request: its answer is lost after it was carried out, or before; or it is refused. `undefined`: it is carried out and answered. */
export type Fate = 'lost-after' | 'lost-before' | 'throttled' | undefined;

export interface StandInExecution {
  readonly executionArn: string;
  readonly name: string;
  readonly input: string;
  readonly startDate: number;
  status: 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'TIMED_OUT' | 'ABORTED';
  stopDate?: number;
}

interface StandInOptions {
  /** What becomes of each request. @param caller the access key that it is signed with */
  readonly fate?: (operation: string, input: string, caller: string) => Fate;
  /** How an execution ends, at once. @default it goes on */
  readonly runs?: (execution: StandInExecution) => 'SUCCEEDED' | 'FAILED' | undefined;
  /** Epoch milliseconds. */
  readonly now?: () => number;
  /** Retries and time-outs of the client. */
  readonly client?: SFNClientConfig;
}

const day = 24 * 3600 * 1000;
const prefix = 'arn:aws:states:eu-west-1:123456789012';
export const machines = {
  standard: `${prefix}:stateMachine:settle`,
  express: `${prefix}:stateMachine:notify`,
} as const;

/**
 * Step Functions on 127.0.0.1, as its API reference documents `StartExecution` and `DescribeExecution`:
 *
 * - standard: the same name and input as a running execution is that execution; another input, or one that is closed, is `ExecutionAlreadyExists`; a name
 *   is free again 90 days after its execution closed, and then is not described either.
 * - express: every request starts an execution, whatever its name.
 */
export async function startStepFunctions({ fate, runs, now = Date.now, client: config }: StandInOptions = {}) {
  const standard = new Map<string, StandInExecution>();
  const started: StandInExecution[] = [];
  const calls: string[] = [];

  const server = await startHttpServer((request, response) => {
    void (async () => {
      const body = JSON.parse((await readBody(request)).toString('utf8')) as Record<string, string>;
      const operation = String(request.headers['x-amz-target']).replace(/^.*\./, '');
      calls.push(operation);
      const becomes = fate?.(operation, body['input'] ?? '', callerOf(request.headers));
      if (becomes === 'lost-before') return void request.socket.destroy();
      const said =
        becomes === 'throttled' ? refused('ThrottlingException', 'Rate exceeded') : carryOut(operation, body);
      if (becomes === 'lost-after') return void request.socket.destroy();
      response.writeHead('__type' in said ? 400 : 200, { 'content-type': 'application/x-amz-json-1.0' });
      response.end(JSON.stringify(said));
    })();
  });

  function carryOut(operation: string, body: Record<string, string>): object {
    if (operation === 'StartExecution') return start(body);
    if (operation !== 'DescribeExecution') return refused('UnknownOperationException', operation);
    const found = remembered(String(body['executionArn']));
    if (found === undefined) return refused('ExecutionDoesNotExist', 'Execution Does Not Exist');
    const { name, input, executionArn, startDate, stopDate, status } = found;
    const stateMachineArn = machines.standard;
    const seconds = { startDate: startDate / 1000, ...(stopDate !== undefined && { stopDate: stopDate / 1000 }) };
    return { executionArn, stateMachineArn, name, status, input, ...seconds };
  }

  function start({ stateMachineArn = '', name = '', input = '{}' }: Record<string, string>): object {
    const [, , , , , , machine, qualifier] = stateMachineArn.split(':');
    const type = machine === 'settle' ? 'standard' : machine === 'notify' ? 'express' : undefined;
    if (type === undefined)
      return refused('StateMachineDoesNotExist', `State Machine Does Not Exist: ${stateMachineArn}`);
    // Of a version or an alias: its executions have the names of the state machine's.
    if (qualifier === '') return refused('InvalidArn', stateMachineArn);
    if (!/^[^\s<>{}[\]?*"#%\\^|~`$&,;:/\p{Cc}]{1,80}$/u.test(name))
      return refused('InvalidName', `Invalid Name: '${name}'`);
    if (Buffer.byteLength(input) > 262_144) return refused('InvalidExecutionInput', 'too long');
    try {
      JSON.parse(input);
    } catch {
      return refused('InvalidExecutionInput', 'Invalid State Machine Execution Input');
    }
    const unique = type === 'express' ? `:${started.length}` : '';
    const executionArn = `${prefix}:${type === 'express' ? 'express' : 'execution'}:${machine}:${name}${unique}`;
    const before = remembered(executionArn);
    if (before?.status === 'RUNNING' && before.input === input) return answered(before);
    if (before !== undefined) return refused('ExecutionAlreadyExists', `Execution Already Exists: '${executionArn}'`);
    const execution: StandInExecution = { executionArn, name, input, startDate: now(), status: 'RUNNING' };
    started.push(execution);
    if (type === 'standard') standard.set(executionArn, execution);
    const ended = runs?.(execution);
    if (ended !== undefined) end(execution, ended);
    return answered(execution);
  }

  function remembered(executionArn: string): StandInExecution | undefined {
    const found = standard.get(executionArn);
    const isForgotten = found?.stopDate !== undefined && now() - found.stopDate >= 90 * day;
    return isForgotten ? undefined : found;
  }

  function end(execution: StandInExecution, status: Exclude<StandInExecution['status'], 'RUNNING'>): void {
    execution.status = status;
    execution.stopDate = now();
  }

  const client = new SFNClient({
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
    end,
    async stop(): Promise<void> {
      client.destroy();
      await server.stop();
    },
  };
}

/** Who has signed a request. */
export function callerOf({ authorization = '' }: { readonly authorization?: string | undefined }): string {
  return /Credential=([^/]+)/.exec(authorization)?.[1] ?? '';
}

/** What EventBridge tells of an execution that has ended. @param shown whether with its input, which is left out where it is long */
export function endOf(
  { name, input, executionArn }: StandInExecution,
  status: Exclude<StandInExecution['status'], 'RUNNING'>,
  shown = true,
) {
  const failed = status === 'SUCCEEDED' ? {} : { error: 'States.TaskFailed', cause: 'card declined' };
  const detail = { executionArn, stateMachineArn: machines.standard, name, status, ...(shown && { input }), ...failed };
  return { source: 'aws.states', 'detail-type': 'Step Functions Execution Status Change', detail };
}

function answered({ executionArn, startDate }: StandInExecution): object {
  return { executionArn, startDate: startDate / 1000 };
}

function refused(type: string, message: string): { readonly __type: string; readonly message: string } {
  return { __type: `com.amazonaws.swf.service.v2.model#${type}`, message };
}
