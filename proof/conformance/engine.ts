import type { SQSClient } from '@aws-sdk/client-sqs';
import type { Template } from '../../lib/rehearsal/engine/app/template.ts';
import type { QueueDepth } from '../../lib/rehearsal/engine/servers/sqs-local.ts';

/** Where the cases run, with the stacks deployed. */
export interface Engine extends AsyncDisposable {
  readonly client: SQSClient;
  urlOf(queueName: string): string;
  depth(queueName: string): Promise<QueueDepth>;
}

/** Deploys the stacks. What was started by then is stopped if it fails. */
export type StartEngine = (stacks: Readonly<Record<string, Template>>, say: (text: string) => void) => Promise<Engine>;
