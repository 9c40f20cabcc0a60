import { refuse } from './config.ts';

/**
 * Powertools' decorator. pawl has none: the decorators that TypeScript compiles today and those of the language differ in what they are given.
 *
 * @throws OptionError always, with what to write in its place
 * @example
 * const layer = new DynamoDBPersistenceLayer({ tableName: 'idempotencyTable', onAbandoned: 'retry' });
 * class Refunds {
 *   refund = makeIdempotent(this.#refund.bind(this), { persistenceStore: layer }); // in place of \@idempotent
 *   async #refund(payment: Payment) {}
 * }
 */
export function idempotent(_options: object): never {
  return refuse(
    '@idempotent: pawl has no decorator. Wrap the method: this.process = makeIdempotent(this.process.bind(this), { … })',
  );
}

/**
 * Powertools' layer over Valkey and Redis. pawl keeps no claims there: a store that evicts or loses what it has acknowledged lets an effect happen again.
 *
 * @throws OptionError always, with what to write in its place
 * @example
 * const persistenceStore = new DynamoDBPersistenceLayer({ tableName: 'idempotencyTable', onAbandoned: 'retry' }); // in its place
 */
export class CachePersistenceLayer {
  constructor(_options: object) {
    refuse(
      'CachePersistenceLayer: pawl keeps no claims in a cache, which may forget them. Use DynamoDBPersistenceLayer',
    );
  }
}
