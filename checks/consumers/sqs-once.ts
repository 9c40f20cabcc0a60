import middy from '@middy/core';
import type { Context, SQSEvent } from 'aws-lambda';
import { sqsOnce } from '../../lib/pawl/middy/index.ts';
import { bodyField } from '../../lib/pawl/sqs/index.ts';
import { dynamoStore } from '../../lib/pawl/stores/dynamodb/index.ts';

/** The same behind Middy, around a batch handler that exists. */
export const handler = middy(async (event: SQSEvent, _context: Context) => console.log(event.Records.length)).use(
  sqsOnce({
    operation: 'send-email',
    store: dynamoStore({ tableName: process.env['CLAIMS_TABLE'] }),
    key: bodyField('orderId'),
    onAbandoned: 'retry',
  }),
);
