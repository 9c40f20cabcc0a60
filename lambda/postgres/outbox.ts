import { logEvents } from 'pawl';
import { sdk } from 'pawl/dynamodb';
import { allOf, metricEvents } from 'pawl/observe';
import { postgresOutbox, queues } from 'pawl/outbox';
import { eventBuses } from 'pawl/outbox/eventbridge';
import { pool } from './database.ts';

const aws = sdk();

/** The outbox of the payments, for the function that fills it and for its relay. */
export const outbox = postgresOutbox({
  pool,
  aws,
  destinations: [queues({ aws }), eventBuses()],
  onEvent: allOf(logEvents, metricEvents()),
});
