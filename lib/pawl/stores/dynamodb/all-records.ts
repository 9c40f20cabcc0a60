import { sdk } from '../../aws/sdk.ts';
import { expectOptions } from '../../kernel/take-options.ts';
import { call } from './calls.ts';
import { explainedTable, explaining } from './explain.ts';
import { fieldsOf, type Item } from './item.ts';
import { type TableOptions, tableOptionNames } from './options.ts';
import { openTable, type Table } from './table.ts';

/**
 * Reads every item of a claims table, strongly consistent, for `operatorActs`. Memory holds a page of 1 MB. It costs one read unit for each 4 KB of
 * the table.
 *
 * The role needs what `ClaimsTable.grantActs` grants.
 *
 * @throws OptionError when the table has no name; DynamoDB's error
 * @example
 * let count = 0;
 * for await (const _ of readAllRecords({ tableName: process.env.CLAIMS_TABLE })) count++;
 */
export function readAllRecords(options: TableOptions): AsyncGenerator<object, void, undefined> {
  expectOptions(options, { door: 'readAllRecords', known: tableOptionNames, docs: 'docs/reference/command-line.md' });
  return scan(openTable(options, sdk));
}

async function* scan({ nameOfTable, aws }: Table): AsyncGenerator<object, void, undefined> {
  const table = explainedTable(nameOfTable, aws.dynamodb, 'grantActs');
  let after: Item | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await explaining(table, () =>
      call(aws.dynamodb, 'Scan', {
        TableName: nameOfTable(),
        ConsistentRead: true,
        ...(after && { ExclusiveStartKey: after }),
      }),
    );
    after = LastEvaluatedKey;
    for (const item of Items) yield fieldsOf(item);
  } while (after !== undefined);
}
