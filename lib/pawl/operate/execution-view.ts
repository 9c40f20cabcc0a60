import { executionsOperation } from '../kernel/name.ts';
import type { OpenClaim } from '../rules/open-claims.ts';

/** The execution that a claim waits for. */
export interface ExecutionView {
  /** Its ARN, or what else its target knows it by. */
  readonly execution: string;
  /** Where AWS shows it: the execution of a state machine, the function of a durable execution. `undefined` for a target of your own. */
  readonly consoleUrl: string | undefined;
}

/** Whether a claim waits for the end of an execution: no worker holds it. */
export function isWaiting({ id, status }: Pick<OpenClaim, 'id' | 'status'>): boolean {
  return status === 'in-flight' && id.startsWith(executionsOperation);
}

/** The execution of a claim, as soon as its start is certain. */
export function executionOf({ id, attributes }: Pick<OpenClaim, 'id' | 'attributes'>): ExecutionView | undefined {
  const execution = id.startsWith(executionsOperation) ? attributes?.['execution'] : undefined;
  return typeof execution === 'string' ? { execution, consoleUrl: consoleUrlOf(execution) } : undefined;
}

const consoles: Readonly<Record<string, string>> = {
  aws: 'console.aws.amazon.com',
  'aws-cn': 'console.amazonaws.cn',
  'aws-us-gov': 'console.amazonaws-us-gov.com',
};

function consoleUrlOf(arn: string): string | undefined {
  const [, partition = '', service, region = '', rest = ''] =
    /^arn:([a-z-]+):(states|lambda):([a-z0-9-]+):\d{12}:(.+)$/.exec(arn) ?? [];
  const host = consoles[partition];
  if (host === undefined) return undefined;
  const home = `https://${region}.${host}`;
  if (service === 'states' && rest.startsWith('execution:')) {
    return `${home}/states/home?region=${region}#/v2/executions/details/${encodeURIComponent(arn)}`;
  }
  // AWS documents no address for a durable execution. Its function lists them.
  const [, name] = /^function:([A-Za-z0-9_-]+):[^/]+\/durable-execution\//.exec(rest) ?? [];
  return name === undefined ? undefined : `${home}/lambda/home?region=${region}#/functions/${name}`;
}
