import { lockLawsOverDynamoDb, overSdk } from './over-dynamodb.ts';

lockLawsOverDynamoDb(overSdk);
