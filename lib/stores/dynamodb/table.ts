import { type EnvironmentName, environmentName } from '../../kernel/check.ts';
import type { OptionError } from '../../kernel/errors.ts';
import type { DynamoTransport } from './transport.ts';

/** A table, and the way to it. */
export interface Table {
  /** @throws OptionError when the name is missing */
  readonly nameOfTable: () => string;
  /** What `nameOfTable` throws. */
  readonly setupError: OptionError | undefined;
  readonly transport: DynamoTransport;
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
