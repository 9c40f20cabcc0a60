export { type DynamoStoreOptions, dynamoStore } from './store.ts';
