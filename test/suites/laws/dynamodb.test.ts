import { dynamoStore, individualDynamoStore } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { lawsOverDynamoDb } from './over-dynamodb.ts';

// Every law, and a part of the races and histories. The long tests beside this file have the rest, and the stores whose requests are batches.
lawsOverDynamoDb('dynamoStore', dynamoStore, 2);
lawsOverDynamoDb('individualDynamoStore', individualDynamoStore, 1);
