import { Match, Template } from 'aws-cdk-lib/assertions';
import { DefinitionBody, Pass, QueryLanguage, StateMachine, StateMachineType } from 'aws-cdk-lib/aws-stepfunctions';
import { expect, test } from 'vitest';
import { FirstExecution } from '../../lib/cdk/index.ts';
import { emptyStack, permissions } from './support.ts';

function synthesize(queryLanguage?: QueryLanguage) {
  const stack = emptyStack();
  const chain = new FirstExecution(stack, 'First').next(new Pass(stack, 'Effect'));
  new StateMachine(stack, 'Notify', {
    definitionBody: DefinitionBody.fromChainable(chain),
    stateMachineType: StateMachineType.EXPRESS,
    ...(queryLanguage && { queryLanguage }),
  });
  return Template.fromStack(stack);
}

test.each([QueryLanguage.JSON_PATH, QueryLanguage.JSONATA])('is the first state of a machine in %s', (language) => {
  const template = synthesize(language);
  const [machine] = Object.values(template.findResources('AWS::StepFunctions::StateMachine'));
  const parts: unknown[] = machine?.['Properties'].DefinitionString['Fn::Join'][1];
  const { StartAt, States } = JSON.parse(parts.map((part) => (typeof part === 'string' ? part : '…')).join(''));
  expect(StartAt).toBe('FirstOfItsName');
  expect(States.FirstOfItsName).toMatchObject({ QueryLanguage: 'JSONata', Next: 'Effect' });
  expect(States.FirstOfItsName.Arguments.Item.expiresAt.N).toContain('$millis()');
});

test('permits the state machine to put items into its own table, and nothing else', () => {
  const template = synthesize();
  const [table] = Object.keys(template.findResources('AWS::DynamoDB::Table'));
  expect(permissions(template)).toEqual([
    { actions: ['dynamodb:PutItem'], resource: { 'Fn::GetAtt': [table, 'Arn'] }, condition: undefined },
  ]);
});

test('keeps its table, and lets DynamoDB delete what is old', () => {
  synthesize().hasResource('AWS::DynamoDB::Table', {
    DeletionPolicy: 'Retain',
    Properties: Match.objectLike({ TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true } }),
  });
});
