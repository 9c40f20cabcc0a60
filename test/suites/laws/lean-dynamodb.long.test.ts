import { dynamoStore, individualDynamoStore } from '../../../lib/pawl/stores/dynamodb/lean.ts';
import { inCompany } from '../../support/in-company.ts';
import { lawsOverDynamoDb, lockLawsOverDynamoDb, overLean } from './over-dynamodb.ts';

const way = { way: overLean };
lawsOverDynamoDb('dynamoStore', dynamoStore, 15, way);
lawsOverDynamoDb('individualDynamoStore', individualDynamoStore, 10, way);
lawsOverDynamoDb('dynamoStore, always in a batch', (given) => inCompany(dynamoStore(given)), 15, way);
lockLawsOverDynamoDb(overLean);
