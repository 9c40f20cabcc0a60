import { SFNClient } from '@aws-sdk/client-sfn';
import { dynamoStore } from 'pawl/dynamodb';
import { bodyField, deadLetterQueue } from 'pawl/sqs';
import { executionEnded, startOnce, type WaitForEnd } from 'pawl/workflows';
import { stepFunctions } from 'pawl/workflows/step-functions';

interface Order {
  readonly orderId: string;
}

const store = dynamoStore({ tableName: process.env.CLAIMS_TABLE });
const workflow = stepFunctions({
  client: new SFNClient({ maxAttempts: 1 }), // or the client would ask again before you see it
  stateMachineArn: process.env.STATE_MACHINE_ARN,
  type: 'STANDARD',
});
const end: WaitForEnd = { afterFailed: 'start-again', endsWithinMs: 24 * 3_600_000 };

/** One execution for each order, however often its message comes. */
export const handler = startOnce<Order>({
  operation: 'settle',
  store,
  key: bodyField('orderId'),
  workflow,
  waitForEnd: end,
  backoffSeconds: () => 1,
  deadLetters: deadLetterQueue(process.env.DEAD_LETTER_QUEUE_URL),
  onEvent: () => {},
});

/** EventBridge calls it when an execution has ended. */
export const ended = executionEnded({ operation: 'settle', store, workflow, ...end, onEvent: () => {} });
