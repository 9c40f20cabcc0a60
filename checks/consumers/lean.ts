import { bodyField, eachMessage } from '../../lib/pawl/sqs/lean/index.ts';
import { dynamoStore } from '../../lib/pawl/stores/dynamodb/lean/index.ts';

/** The plain consumer over the lean transports. */
export const handler = eachMessage(
  {
    operation: 'send-email',
    store: dynamoStore({ tableName: process.env['CLAIMS_TABLE'] }),
    key: bodyField('orderId'),
    onAbandoned: 'retry',
  },
  ({ body }) => console.log(body),
);
