import { nodeHost } from '../../host.ts';
import { type EnvironmentName, environmentName, expect } from '../../kernel/check.ts';
import type { OptionError } from '../../kernel/errors.ts';
import { type RestoreOfTable, restoreOf } from './restored-store.ts';
import type { DynamoTransport } from './transport.ts';

/** A table, and the way to it. */
export interface Table {
  /** @throws OptionError when the name is missing */
  readonly nameOfTable: () => string;
  /** What `nameOfTable` throws. */
  readonly setupError: OptionError | undefined;
  readonly transport: DynamoTransport;
  /** Reads its mark, where it was restored from a point in time: `RestorableTableOptions`. */
  readonly restore: RestoreOfTable | undefined;
}

/** What a store of claims may be told of its table. */
export interface RestorableTableOptions {
  /**
   * The table was restored from a point in time. While its mark stands (`pawl restored`), a key that it may have forgotten is in doubt, and
   * `onAbandoned` decides. Without a mark, nothing runs.
   * @default false
   */
  readonly restored?: boolean;
}

/** @throws OptionError when the table's name is given, and is no text; or `restored` is neither true nor false */
export function openTable(
  transport: DynamoTransport,
  { tableName: name, restored = false }: RestorableTableOptions & { readonly tableName: string | undefined },
  now: () => number = nodeHost.now,
): Table {
  const { read: nameOfTable, setupError } = tableName(name);
  expect(typeof restored === 'boolean', 'restored', 'true or false', restored);
  return { nameOfTable, setupError, transport, restore: restored ? restoreOf(transport, nameOfTable, now) : undefined };
}

/** @throws OptionError when the table's name is given, and is no text */
export function tableName(value: string | undefined): EnvironmentName {
  return environmentName('tableName', {
    value,
    expected: "a table's name",
    variable:
      'The construct Consumer sets the environment variable CLAIMS_TABLE. For a function without a Consumer, set it, and pass process.env.CLAIMS_TABLE.',
  });
}
