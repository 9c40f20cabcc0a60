import { nodeHost } from '../host.ts';
import { expect } from '../kernel/check.ts';
import { OptionError } from '../kernel/errors.ts';
import { isHidden } from '../kernel/key-hash.ts';
import { expectOptions } from '../kernel/take-options.ts';
import type { NamesOf } from '../kernel/unknown-option.ts';
import { namesIn } from '../rules/identity.ts';
import type { ClaimRecord } from '../rules/record.ts';
import type { ClaimStore } from '../rules/store.ts';
import { standInOf } from '../stores/dynamodb/stand-in.ts';
import { beside, besideAttributes, type PowertoolsRecords } from './beside-store.ts';
import { page } from './config.ts';
import { functionName, recordIdOf } from './record-id.ts';
import { recordTable } from './table.ts';
import { namesClient, type RecordTableOptions, recordTableOptionNames } from './table-options.ts';

/**
 * The options of `besidePowertools`.
 *
 * @example
 * const options: BesideOptions = { tableName: process.env.IDEMPOTENCY_TABLE, keyPrefix: 'send-email', records: 'gate' };
 */
export interface BesideOptions extends RecordTableOptions {
  /** Whether workers of Powertools still run (`'gate'`), or only its records count (`'read'`). */
  readonly records: PowertoolsRecords;
  /**
   * The `keyPrefix` of the functions that Powertools makes idempotent.
   * @default the name of the Lambda function, as Powertools has it
   */
  readonly keyPrefix?: string;
  /**
   * With which function Powertools hashes its keys.
   * @default 'md5'
   */
  readonly hashFunction?: string;
  /**
   * What Powertools hashes, from the key of a claim. Where its path selects a number, `Number`; where it selects a list, what makes that list of the key.
   * @default the key itself, a text
   */
  readonly payloadOf?: (key: string) => unknown;
}

const known = {
  ...recordTableOptionNames,
  records: true,
  keyPrefix: true,
  hashFunction: true,
  payloadOf: true,
} as const satisfies NamesOf<BesideOptions>;

/**
 * A claim store for a function that was protected by Powertools' idempotency, at any door of pawl. While workers of both libraries run (`records: 'gate'`), Powertools' record is the gate for both;
 * afterwards (`records: 'read'`), what Powertools has completed is not done again until its record expires.
 *
 * It is of one operation, and of keys as they are: a record of Powertools is told by its prefix and the key. An operation that Powertools never had, such as that of
 * a `once` inside of the handler, takes the claims store itself. Over a `postgresStore`, it commits no statements: that would pass by the gate.
 *
 * Choose `onAbandoned: 'retry'` as long as workers of Powertools run: they run a handler again after a crash, whatever pawl does.
 *
 * The function's role needs `dynamodb:GetItem`, `UpdateItem` and `DeleteItem` on Powertools' table.
 *
 * @throws OptionError when an option is wrong, or for a store that commits effects with its claims
 * @example
 * import { dynamoStore } from 'pawl/dynamodb';
 *
 * const claims = dynamoStore({ tableName: process.env.CLAIMS_TABLE });
 * const store = besidePowertools(claims, { tableName: process.env.IDEMPOTENCY_TABLE, records: 'gate' });
 */
export function besidePowertools<Store extends ClaimStore & { readonly commit?: never }>(
  store: Store,
  options: BesideOptions,
): Omit<Store, 'transact'> {
  expectOptions(options, { door: 'besidePowertools', known, docs: page });
  const { records, keyPrefix, hashFunction = 'md5', payloadOf = (key) => key, ...ofTable } = options;
  expect(typeof store?.write === 'function', 'besidePowertools', 'a claim store', store, 'wrong-store');
  // It commits a claim without `write`, and so past the gate.
  expect(
    !('commit' in store),
    'besidePowertools',
    'a store that only keeps claims',
    'a transactionalStore',
    'wrong-store',
  );
  expect(records === 'gate' || records === 'read', 'records', "'gate' or 'read'", records);
  // In a unit test there are no records of Powertools.
  if (standInOf({}) !== undefined && !namesClient(ofTable)) return store;
  const prefix = keyPrefix?.trim() || functionName();
  const table = recordTable(ofTable, nodeHost.now);
  const recordOf = ({ id, attributes }: Pick<ClaimRecord, 'id' | 'attributes'>): string => {
    const { [besideAttributes.recordId]: said } = attributes ?? {};
    return typeof said === 'string' ? said : recordIdOf(prefix, payloadOf(clearKeyOf(id)), hashFunction);
  };
  const setupError = store.setupError ?? table.setupError;
  // `transact` of a postgresStore would commit a claim past the gate.
  const { transact: _, ...others } = store as Store & { readonly transact?: unknown };
  return { ...others, setupError, ...beside(store, { table, records, recordOf, host: nodeHost }) };
}

/** @throws OptionError where an id has a hash in place of its key: another record would be the gate, and of all long keys the same */
function clearKeyOf(id: string): string {
  const { key } = namesIn(id);
  if (key !== undefined && !isHidden(key)) return key;
  const hashed = key === undefined ? 'that is too long for the id of a claim' : 'that hideKeys has hashed';
  throw new OptionError(
    `besidePowertools: expected a key from which the id of Powertools' record is made; got one ${hashed}. Nothing was run`,
    'wrong-store',
  );
}
