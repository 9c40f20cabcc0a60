import { dynamoStore } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { ofSweep } from '../../support/whole.ts';
import { lawsOverDynamoDb } from './over-dynamodb.ts';

lawsOverDynamoDb('dynamoStore', dynamoStore, ofSweep(50, { part: 20 }));
