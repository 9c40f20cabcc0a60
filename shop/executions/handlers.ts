import { SFNClient } from '@aws-sdk/client-sfn';
import { dynamoStore } from 'pawl/dynamodb';
import { bodyField } from 'pawl/sqs';
import { sweepOpenClaims } from 'pawl/sweep';
import { executionEnded, startOnce, waitingExecutions } from 'pawl/workflows';
import { stepFunctions } from 'pawl/workflows/step-functions';

const store = dynamoStore({ tableName: process.env['CLAIMS_TABLE'] });
const workflow = stepFunctions({
  client: new SFNClient({}),
  stateMachineArn: process.env['WORKFLOW_ARN'],
  type: 'STANDARD',
});
/** As short as it can be: the run waits for the end of it. */
const end = { afterFailed: 'start-again', endsWithinMs: 120_000 } as const;
const waiting = { operation: 'settle', store, workflow, ...end };

export const start = startOnce<{ readonly orderId: string }>({
  operation: 'settle',
  store,
  workflow,
  key: bodyField('orderId'),
  waitForEnd: end,
});
export const ended = executionEnded(waiting);
export const sweep = sweepOpenClaims({ store, operations: waitingExecutions(waiting) });
