import { bodyField, eachMessage } from '../../../lib/pawl/sqs/index.ts';
import { dynamoStore } from '../../../lib/pawl/stores/dynamodb/lean.ts';

const store = dynamoStore({ tableName: process.env['CLAIMS_TABLE'] });
export const handler = eachMessage(
  { operation: 'mail', store, key: bodyField('orderId'), onAbandoned: 'park' },
  async () => undefined,
);
