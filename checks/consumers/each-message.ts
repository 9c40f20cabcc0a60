import { bodyField, eachMessage } from '../../lib/pawl/sqs/index.ts';
import { dynamoStore } from '../../lib/pawl/stores/dynamodb/index.ts';

/** A plain consumer: it sets what has to be set, and imports none of what is handed in as a value. */
export const handler = eachMessage(
  {
    operation: 'send-email',
    store: dynamoStore({ tableName: process.env['CLAIMS_TABLE'] }),
    key: bodyField('orderId'),
    onAbandoned: 'retry',
  },
  ({ body }) => console.log(body),
);
