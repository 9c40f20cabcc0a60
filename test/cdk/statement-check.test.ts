import { App, Duration, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { Schedule } from 'aws-cdk-lib/aws-events';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { expect, test } from 'vitest';
import { ClaimsTable, StatementCheck, type StatementCheckProps } from '../../lib/cdk/index.ts';
import { statementActions } from '../../lib/pawl/deployment/needs.ts';
import { permissions } from './support.ts';

function templateOf(more: Partial<StatementCheckProps> = {}): Template {
  const stack = new Stack(new App(), 'Shop');
  const code = Code.fromInline('exports.handler = () => {}');
  const fn = new LambdaFunction(stack, 'Charges', { runtime: Runtime.NODEJS_22_X, handler: 'index.handler', code });
  const { table: claimsTable } = new ClaimsTable(stack, 'Claims');
  new StatementCheck(stack, 'Statements', { claimsTable, function: fn, operation: 'charge', ...more });
  return Template.fromStack(stack);
}

test('the function runs on its schedule, and knows the table', () => {
  templateOf().hasResourceProperties('AWS::Events::Rule', { ScheduleExpression: 'rate(1 day)' });
  const hourly = templateOf({ schedule: Schedule.rate(Duration.hours(1)) });
  hourly.hasResourceProperties('AWS::Events::Rule', { ScheduleExpression: 'rate(1 hour)' });
  hourly.hasResourceProperties('AWS::Lambda::Function', {
    Environment: { Variables: { CLAIMS_TABLE: { Ref: Match.stringLikeRegexp('Claims') } } },
  });
});

test('the function may do what a comparison needs, and nothing that scans or deletes', () => {
  const granted = permissions(templateOf()).flatMap(({ actions }) => actions);
  expect(granted.toSorted()).toEqual([...statementActions, 'dynamodb:Query'].toSorted());
});

test('an alarm goes off on a finding, and another one when no run has ended for too long', () => {
  const template = templateOf({ maxSilence: Duration.hours(49) });
  template.hasResourceProperties('AWS::CloudWatch::Alarm', {
    MetricName: 'StatementFindings',
    Dimensions: [{ Name: 'operation', Value: 'charge' }],
    Threshold: 1,
    AlarmDescription: Match.stringLikeRegexp('^Shop/Statements: .+ What to do: .+\\.$'),
  });
  template.hasResourceProperties('AWS::CloudWatch::Alarm', {
    EvaluationPeriods: 49,
    ComparisonOperator: 'LessThanThreshold',
    TreatMissingData: 'breaching',
    AlarmDescription: Match.stringLikeRegexp('^Shop/Statements: .+ What to do: .+\\.$'),
  });
});

test('a function compares one table: a second one, or another that it has already, is refused', () => {
  const stack = new Stack(new App(), 'Shop');
  const runs = {
    runtime: Runtime.NODEJS_22_X,
    handler: 'index.handler',
    code: Code.fromInline('exports.handler = () => {}'),
  };
  const fn = new LambdaFunction(stack, 'Compares', runs);
  const { table: charges } = new ClaimsTable(stack, 'Charges');
  const { table: refunds } = new ClaimsTable(stack, 'Refunds');
  new StatementCheck(stack, 'Charged', { claimsTable: charges, function: fn, operation: 'charge' });
  new StatementCheck(stack, 'Tipped', { claimsTable: charges, function: fn, operation: 'tip' });
  const another = 'sets CLAIMS_TABLE to another value than the construct would';
  const props = { claimsTable: refunds, operation: 'refund' };
  expect(() => new StatementCheck(stack, 'Refunded', { ...props, function: fn })).toThrow(another);
  const told = new LambdaFunction(stack, 'Told', { ...runs, environment: { CLAIMS_TABLE: 'claims' } });
  expect(() => new StatementCheck(stack, 'Again', { ...props, function: told })).toThrow(another);
  Template.fromStack(stack).hasResourceProperties('AWS::Lambda::Function', {
    Environment: { Variables: { CLAIMS_TABLE: { Ref: Match.stringLikeRegexp('Charges') } } },
  });
});

test('a misspelt property is refused', () => {
  expect(() => templateOf({ maxSilense: Duration.hours(1) } as never)).toThrow("Did you mean 'maxSilence'");
});

test('a construct in place of its table, and a number in place of a duration, are refused with what to write', () => {
  const claimsTable = new ClaimsTable(new Stack(new App(), 'Other'), 'Claims');
  expect(() => templateOf({ claimsTable } as never)).toThrow(
    'claimsTable: expected a table: the property table of a ClaimsTable',
  );
  expect(() => templateOf({ maxSilence: 25 } as never)).toThrow('maxSilence: expected a Duration');
  expect(() => templateOf({ function: undefined } as never)).toThrow('function: expected a function of aws-lambda');
});
