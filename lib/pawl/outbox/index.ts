export type { Destination, Problem, Sendable } from './destination.ts';
export { type QueuesOptions, queues } from './destinations/queues.ts';
export { type DynamoOutbox, type DynamoOutboxOptions, dynamoOutbox, type PreparedMessages } from './dynamodb/outbox.ts';
export type { LargeBodies, OutboxMessage } from './message.ts';
export {
  type OutboxActResult,
  type OutboxOperator,
  type OutboxOperatorOptions,
  type OutboxQuery,
  outboxOperator,
  type WaitingMessage,
} from './operate.ts';
export type { Outbox } from './outbox.ts';
export {
  type InsertedMessages,
  type PostgresOutbox,
  type PostgresOutboxOptions,
  postgresOutbox,
} from './postgres/outbox.ts';
export type { OutboxRecord } from './record.ts';
export { type OutboxRelayOptions, outboxRelay, type RelayHandler, type RelayResponse } from './relay.ts';
export type { OutboxOptions } from './settings.ts';
export type { OutboxDue, OutboxPage, OutboxStore } from './store.ts';
export { type OutboxSweepHandler, outboxSweep } from './sweep.ts';
export type { OutboxSweepOptions, SweepInvocation } from './sweep-options.ts';
export type { OutboxReport } from './sweep-report.ts';
