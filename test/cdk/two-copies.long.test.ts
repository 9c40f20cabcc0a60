import { App, Duration, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { expect, it, vi } from 'vitest';

async function copyOfConstructs() {
  vi.resetModules();
  return import('../../lib/cdk/index.ts');
}

const mine = await copyOfConstructs();
const yours = await copyOfConstructs();

it('two consumers of two copies of pawl on one function each tell it their dead-letter queue', () => {
  const stack = new Stack(new App(), 'Mails');
  const claims = new mine.ClaimsTable(stack, 'Claims');
  const shared = new LambdaFunction(stack, 'Shared', {
    runtime: Runtime.NODEJS_24_X,
    handler: 'index.handler',
    code: Code.fromInline('exports.handler = async () => {}'),
    timeout: Duration.seconds(30),
  });
  const props = { claimsTable: claims.table, function: shared };
  new mine.Consumer(stack, 'Mine', { ...props, operation: 'send-email' });
  new yours.Consumer(stack, 'Yours', { ...props, operation: 'send-letter' });
  const [deployed] = Object.values(Template.fromStack(stack).findResources('AWS::Lambda::Function'));
  const text = JSON.stringify(deployed?.['Properties'].Environment.Variables.DEAD_LETTER_QUEUE_URL);
  expect(text).toMatch(/MineDeadLetterQueue.*YoursDeadLetterQueue/);
});
