import { dynamoStore } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { lawsOverDynamoDb } from './over-dynamodb.ts';

lawsOverDynamoDb('dynamoStore', dynamoStore, 50);
