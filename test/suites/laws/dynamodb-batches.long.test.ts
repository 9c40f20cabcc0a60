import { dynamoStore } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { inCompany } from '../../support/in-company.ts';
import { ofSweep } from '../../support/whole.ts';
import { lawsOverDynamoDb } from './over-dynamodb.ts';

lawsOverDynamoDb('dynamoStore, always in a batch', (options) => inCompany(dynamoStore(options)), ofSweep(100, { part: 20 }));
