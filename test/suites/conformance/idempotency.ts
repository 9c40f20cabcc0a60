import { IdempotencyItemAlreadyExistsError, IdempotencyItemNotFoundError } from '@aws-lambda-powertools/idempotency';
import { BasePersistenceLayer, type IdempotencyRecord } from '@aws-lambda-powertools/idempotency/persistence';
import type { World } from '../../../lib/testing/index.ts';

/** What outlives a crash of Powertools' records. */
export type IdempotencyTable = Map<string, IdempotencyRecord>;

/**
 * Powertools' idempotency, in memory and under the sweep. Its own adapter has the same three conditions in DynamoDB's language: there is no
 * record, or it has expired, or its attempt has.
 */
export class SweptPersistence extends BasePersistenceLayer {
  readonly #world: World;
  readonly #table: IdempotencyTable;

  constructor(world: World, table: IdempotencyTable) {
    super();
    this.#world = world;
    this.#table = table;
  }

  protected override async _getRecord(key: string): Promise<IdempotencyRecord> {
    return this.#world.io('powertools.get', () => {
      const found = this.#table.get(key);
      if (found === undefined) throw new IdempotencyItemNotFoundError();
      return found;
    });
  }

  protected override async _putRecord(record: IdempotencyRecord): Promise<void> {
    await this.#world.io('powertools.put', () => {
      const now = this.#world.options.host.now();
      const seen = this.#table.get(record.idempotencyKey);
      const underWay = (seen?.inProgressExpiryTimestamp ?? now) >= now;
      const blocks =
        seen && Number(seen.expiryTimestamp) >= now / 1000 && (seen.getStatus() !== 'INPROGRESS' || underWay);
      if (blocks) throw new IdempotencyItemAlreadyExistsError('exists', seen);
      this.#table.set(record.idempotencyKey, record);
    });
  }

  protected override async _updateRecord(record: IdempotencyRecord): Promise<void> {
    await this.#world.io('powertools.update', () => this.#table.set(record.idempotencyKey, record));
  }

  protected override async _deleteRecord({ idempotencyKey }: IdempotencyRecord): Promise<void> {
    await this.#world.io('powertools.delete', () => this.#table.delete(idempotencyKey));
  }
}
