import { App, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { Code, type FunctionOptions, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { expect, test } from 'vitest';
import { exampleOf } from './run-example.ts';

/** The function of the example, whose source its reader has. */
class NodejsFunction extends LambdaFunction {
  constructor(scope: Construct, id: string, { timeout, vpc, environment }: FunctionOptions) {
    const code = Code.fromInline('exports.handler = async () => undefined');
    const options = { timeout, vpc, environment } as FunctionOptions;
    super(scope, id, { ...options, code, runtime: Runtime.NODEJS_24_X, handler: 'index.handler' });
  }
}

test('the stack over PostgreSQL keeps the rules that its page names', async () => {
  const stack = new Stack(new App(), 'Shop');
  await (await exampleOf('docs/guides/postgres-deploy.md', 'new DatabaseCluster('))({ stack, NodejsFunction });
  const template = Template.fromStack(stack);
  const [timeout] = Object.values(template.findResources('AWS::Lambda::Function')).flatMap(
    ({ Properties }) => Properties.Timeout ?? [],
  );
  const queues = Object.values(template.findResources('AWS::SQS::Queue')).map(({ Properties }) => Properties);
  const queue = queues.find(({ RedrivePolicy }) => RedrivePolicy !== undefined);
  const deadLetters = queues.find(({ RedrivePolicy }) => RedrivePolicy === undefined);
  expect(queue.VisibilityTimeout).toBeGreaterThanOrEqual(6 * timeout);
  expect(queue.RedrivePolicy.maxReceiveCount).toBeGreaterThanOrEqual(5);
  expect(deadLetters.MessageRetentionPeriod).toBe(1_209_600);
  template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
    FunctionResponseTypes: ['ReportBatchItemFailures'],
    ScalingConfig: { MaximumConcurrency: 20 },
  });
  const permitted = (actions: readonly string[]) =>
    template.hasResourceProperties('AWS::IAM::Policy', {
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({ Action: actions.length > 1 ? Match.arrayWith([...actions]) : actions[0] }),
        ]),
      },
    });
  permitted(['sqs:ReceiveMessage', 'sqs:ChangeMessageVisibility', 'sqs:DeleteMessage']);
  permitted(['sqs:SendMessage', 'sqs:GetQueueUrl']);
  permitted(['rds-db:connect']);
  // The function may reach the database through the proxy, and SQS from its network.
  template.resourceCountIs('AWS::RDS::DBProxy', 1);
  template.hasResourceProperties('AWS::EC2::VPCEndpoint', { VpcEndpointType: 'Interface' });
  template.hasResourceProperties('AWS::EC2::SecurityGroupIngress', {
    SourceSecurityGroupId: { 'Fn::GetAtt': [Match.stringLikeRegexp('^Pay'), 'GroupId'] },
  });
});
