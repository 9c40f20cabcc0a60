import { individualDynamoStore } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { ofSweep } from '../../support/whole.ts';
import { lawsOverDynamoDb } from './over-dynamodb.ts';

lawsOverDynamoDb('individualDynamoStore', individualDynamoStore, ofSweep(30, { part: 15 }));
