import { dynamoStore } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { inCompany } from '../../support/in-company.ts';
import { lawsOverDynamoDb } from './over-dynamodb.ts';

lawsOverDynamoDb('dynamoStore, always in a batch', (options) => inCompany(dynamoStore(options)), 100);
