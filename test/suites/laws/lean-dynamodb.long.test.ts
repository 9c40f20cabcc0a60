import { dynamoStore, individualDynamoStore } from '../../../lib/pawl/stores/dynamodb/lean.ts';
import { inCompany } from '../../support/in-company.ts';
import { ofSweep } from '../../support/whole.ts';
import { lawsOverDynamoDb, lockLawsOverDynamoDb, overLean } from './over-dynamodb.ts';

const way = { way: overLean };
lawsOverDynamoDb('dynamoStore', dynamoStore, ofSweep(15, { part: 5 }), way);
lawsOverDynamoDb('individualDynamoStore', individualDynamoStore, ofSweep(10, { part: 5 }), way);
lawsOverDynamoDb('dynamoStore, always in a batch', (given) => inCompany(dynamoStore(given)), ofSweep(15, { part: 5 }), way);
lockLawsOverDynamoDb(overLean);
