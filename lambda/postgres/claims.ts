import { sdk } from 'pawl/dynamodb';
import { postgresStore } from 'pawl/postgres';
import { pool } from './database.ts';

/** Where the functions of the shop keep their claims, with their way to SQS. */
export const claims = { ...postgresStore({ pool }), aws: sdk() };
