import { fileURLToPath } from 'node:url';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { ClaimsTable, Consumer, type ConsumerProps } from '../../lib/constructs/index.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A stack that is synthesized without bundling: the code does not matter to its template. */
export function emptyStack(): Stack {
  return new Stack(new App({ context: { 'aws:cdk:bundling-stacks': [] } }), 'Shop');
}

export type Overrides = Partial<ConsumerProps>;

/** A consumer of which only what the test is about differs from the defaults. */
export function addConsumer(stack: Stack, overrides: Overrides = {}): Consumer {
  return new Consumer(stack, 'Work', {
    entry: fileURLToPath(import.meta.url),
    depsLockFilePath: `${ROOT}package-lock.json`,
    claimsTable: new ClaimsTable(stack, 'Claims').table,
    ...overrides,
  });
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
}

/** The permissions of every role and user in the template. */
export function permissions(template: Template): { readonly actions: readonly string[]; readonly resource: unknown }[] {
  return Object.values(template.findResources('AWS::IAM::Policy')).flatMap((policy) =>
    policy['Properties'].PolicyDocument.Statement.map(({ Action, Resource }: Statement) => ({
      actions: [Action].flat(),
      resource: Resource,
    })),
  );
}
