import { fileURLToPath } from 'node:url';
import { App, Duration, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Code, type FunctionProps, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource, type SqsEventSourceProps } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import { vi } from 'vitest';
import { ClaimsTable, Consumer, type ConsumerProps, WiringError } from '../../lib/cdk/index.ts';
import './template-assertions.ts';

// The first synthesis of a process loads CDK's rules about templates, which takes seconds on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Any file: it is not bundled. */
export const entryFile = fileURLToPath(import.meta.url);
/** Where bundling has its root. */
export const lockFile = `${root}package-lock.json`;

/** A stack that is synthesized without bundling: the code does not matter to its template. */
export function emptyStack(region?: string, account?: string): Stack {
  // With CDK's own rules about templates as errors, as in cdk.json.
  const context = { 'aws:cdk:bundling-stacks': [], '@aws-cdk/core:validateAgainstDefaultRules': true };
  const app = new App({ context });
  const env = { ...(region && { region }), ...(account && { account }) };
  return new Stack(app, 'Shop', { env });
}

export type Overrides = Partial<ConsumerProps>;

/** A consumer of which only what the test is about differs from the defaults. */
export function addConsumer(stack: Stack, overrides: Overrides = {}): Consumer {
  return new Consumer(stack, 'Work', {
    ...(overrides.function === undefined && { entry: entryFile, depsLockFilePath: lockFile }),
    ...overrides,
    claimsTable: overrides.claimsTable ?? new ClaimsTable(stack, 'Claims').table,
  });
}

/** How a shop had its queue and its function before it knew of pawl; each part can be another. */
export interface Existing {
  readonly queue?: Partial<QueueProps>;
  readonly deadLetterQueue?: Partial<QueueProps>;
  readonly maxReceiveCount?: number;
  readonly function?: Partial<FunctionProps>;
  /** `false`: there is none. */
  readonly eventSource?: Partial<SqsEventSourceProps> | false;
}

export function addExisting(stack: Stack, existing: Existing = {}) {
  const deadLetterQueue = new Queue(stack, 'DeadMails', {
    retentionPeriod: Duration.days(14),
    ...existing.deadLetterQueue,
  });
  const queue = new Queue(stack, 'Mails', {
    visibilityTimeout: Duration.seconds(60),
    deadLetterQueue: { queue: deadLetterQueue, maxReceiveCount: existing.maxReceiveCount ?? 5 },
    ...existing.queue,
  });
  const sendMail = new LambdaFunction(stack, 'SendMail', {
    runtime: Runtime.NODEJS_24_X,
    handler: 'index.handler',
    code: Code.fromInline('exports.handler = async () => {}'),
    timeout: Duration.seconds(10),
    ...existing.function,
  });
  if (existing.eventSource !== false) {
    sendMail.addEventSource(new SqsEventSource(queue, { reportBatchItemFailures: true, ...existing.eventSource }));
  }
  return { queue, deadLetterQueue, function: sendMail };
}

/**
 * What refuses the stack that `build` fills: its sentences, whether they come at once or at the end of synthesis;
 * undefined when the stack is accepted.
 */
export function refusalOf(
  build: (stack: Stack) => void,
  region?: string,
  account?: string,
): readonly string[] | undefined {
  const stack = emptyStack(region, account);
  try {
    build(stack);
    Template.fromStack(stack);
    return undefined;
  } catch (error) {
    if (error instanceof WiringError) return error.problems;
    const found = (error as Error).message.match(/(?<=\[Shop\/Work\] ).*/g);
    if (found === null) throw error;
    return found;
  }
}

export function consumerTemplate(overrides: Overrides = {}): Template {
  const stack = emptyStack();
  addConsumer(stack, overrides);
  return Template.fromStack(stack);
}

interface Statement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
}

/** The permissions of every role and user in the template. */
export function permissions(
  template: Template,
): { readonly actions: readonly string[]; readonly resource: unknown; readonly condition: unknown }[] {
  return Object.values(template.findResources('AWS::IAM::Policy')).flatMap((policy) =>
    policy['Properties'].PolicyDocument.Statement.map(({ Action, Resource, Condition }: Statement) => ({
      actions: [Action].flat(),
      resource: Resource,
      condition: Condition,
    })),
  );
}
