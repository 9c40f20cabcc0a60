import { bodyField, eachMessage } from '../../lib/pawl/sqs/index.ts';
import { dynamoStore } from '../../lib/pawl/stores/dynamodb/lean.ts';

/** The plain consumer without the AWS SDK. */
export const handler = eachMessage(
  {
    operation: 'send-email',
    store: dynamoStore({ tableName: process.env['CLAIMS_TABLE'] }),
    key: bodyField('orderId'),
    onAbandoned: 'retry',
  },
  ({ body }) => console.log(body),
);
