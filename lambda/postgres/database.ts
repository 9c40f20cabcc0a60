import { Pool } from 'pg';
import { required } from '../environment.ts';

/** The database of the shop. A transaction has one connection, and the renewal of a lock meanwhile another one. */
export const pool = new Pool({ connectionString: required('DATABASE_URL'), max: 2, connectionTimeoutMillis: 2000 });
