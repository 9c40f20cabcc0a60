import { outboxRelay } from 'pawl/outbox';
import { required } from './environment.ts';
import { outbox } from './outbox.ts';

/** Sends what the workers that post payments have left in the outbox: for the stream of its table, and on a schedule. */
export const handler = outboxRelay({ outbox, olderThanMs: 1000 * Number(required('SWEEP_OLDER_THAN_SECONDS')) });
