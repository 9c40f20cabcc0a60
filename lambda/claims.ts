import { dynamoStore } from 'pawl/dynamodb';

/** Where the functions of the shop keep their claims. */
export const claims = dynamoStore({ tableName: process.env['CLAIMS_TABLE'] });
