import { readFileSync } from 'node:fs';
import { NestedStack, type Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { User } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { expect, test } from 'vitest';
import {
  findFunctionActions,
  findStackActions,
  operateActions,
  operateDeadLetterActions,
  operateIndexActions,
  operateQueueActions,
} from '../../lib/pawl/deployment/needs.ts';
import { list, record } from '../../lib/rehearsal/engine/app/template.ts';
import { addConsumer, addExisting, emptyStack, type Overrides, permissions } from './support.ts';

/** What an operator is granted on a consumer. */
function granted(build: (stack: Stack) => Overrides = () => ({})) {
  const stack = emptyStack();
  addConsumer(stack, build(stack)).grantOperate(new User(stack, 'OnCall'));
  const template = Template.fromStack(stack);
  const idOf = (type: string, prefix: string) =>
    Object.keys(template.findResources(type)).find((one) => one.startsWith(prefix)) ?? '';
  const { Statement } =
    template.findResources('AWS::IAM::Policy')[idOf('AWS::IAM::Policy', 'OnCall')]?.['Properties'].PolicyDocument ?? {};
  return {
    policies: list(Statement)
      .map(record)
      .map(({ Action, Resource }) => ({ actions: [Action].flat(), resource: Resource })),
    arnOf: (type: string, prefix: string) => ({ 'Fn::GetAtt': [idOf(type, prefix), 'Arn'] }),
  };
}

test('grantOperate grants what looks at dead letters, redrives them and finds the stack, each on its resource', () => {
  const { policies, arnOf } = granted();
  expect(policies).toEqual([
    { actions: [...operateDeadLetterActions], resource: arnOf('AWS::SQS::Queue', 'WorkDeadLetterQueue') },
    { actions: [...operateQueueActions], resource: arnOf('AWS::SQS::Queue', 'WorkQueue') },
    { actions: [...findFunctionActions], resource: arnOf('AWS::Lambda::Function', 'WorkFunction') },
    { actions: [...findStackActions], resource: { Ref: 'AWS::StackId' } },
  ]);
});

test('it permits the use of the key of encrypted queues', () => {
  const { policies, arnOf } = granted((stack) => ({ encryptionKey: new Key(stack, 'Key') }));
  const resource = arnOf('AWS::KMS::Key', 'Key');
  expect(policies).toContainEqual({ actions: ['kms:Decrypt', 'kms:GenerateDataKey'], resource });
});

test('behind an alias it grants the function, which is what --stack reads', () => {
  const { policies, arnOf } = granted((stack) => {
    const { function: sendMail, ...rest } = addExisting(stack, { eventSource: false });
    const alias = sendMail.addAlias('live');
    return { ...rest, function: alias as IFunction };
  });
  const resource = arnOf('AWS::Lambda::Function', 'SendMail');
  expect(policies).toContainEqual({ actions: [...findFunctionActions], resource });
});

test('in a nested stack it grants the stacks around it as well, by whose name the operator knows it', () => {
  const stack = emptyStack();
  const nested = new NestedStack(stack, 'Inner');
  addConsumer(nested).grantOperate(new User(stack, 'OnCall'));
  const found = permissions(Template.fromStack(stack)).filter(({ actions }) => actions.includes(findStackActions[0]));
  expect(found.map(({ resource }) => JSON.stringify(resource)).toSorted()).toEqual([
    '{"Ref":"AWS::StackId"}',
    // The id of the nested one.
    expect.stringMatching(/^{"Ref":"InnerNestedStack/),
  ]);
});

test('docs/reference/security.md names every permission of an operator', () => {
  const guide = readFileSync(new URL('../../docs/reference/security.md', import.meta.url), 'utf8');
  const [, rest = ''] = guide.split('## The operator');
  const [section = ''] = rest.split('\n## ');
  const actions = [
    ...[operateIndexActions, operateActions, operateDeadLetterActions, operateQueueActions],
    ...[findFunctionActions, findStackActions],
  ].flat();
  const unnamed = actions.filter((action) => !section.includes(`${action.split(':')[1]}\``));
  expect(unnamed).toEqual([]);
});
