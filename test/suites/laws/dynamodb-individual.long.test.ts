import { individualDynamoStore } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { lawsOverDynamoDb } from './over-dynamodb.ts';

lawsOverDynamoDb('individualDynamoStore', individualDynamoStore, 30);
