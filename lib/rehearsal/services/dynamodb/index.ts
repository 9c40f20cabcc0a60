import type { Assembly } from '../../engine/app/assembly.ts';
import type { Part } from '../../engine/parts.ts';
import type { Service } from '../../engine/service.ts';
import { createTables, type ProvisionedTable } from './create-tables.ts';
import { types } from './rules.ts';

/** A caller finds its name. */
export type TablePart = Part<'table', ProvisionedTable, string>;

export const dynamodb: Service<TablePart, object, 'dynamodb'> = {
  types: types,
  page: ['| table | indexes, streams | expiry of items, replicas, Kinesis | |'],
  finds: { table: 'table' },
  endpoint: { name: 'dynamodb', title: 'DynamoDB', server: ({ database }) => database },
  async provision({ reading, servers }) {
    const tables = await createTables(reading, servers.dynamo);
    return { parts: tables.map((item) => ({ kind: 'table', item, found: item.name })) };
  },
};

/** Whether an app cannot be rehearsed without DynamoDB. */
export function hasTables({ stacks }: Assembly): boolean {
  return stacks.some(({ template }) => Object.values(template.Resources ?? {}).some(({ Type }) => Type in types));
}

/** The tables among the parts of an app. */
export function tablesIn(parts: readonly Part[]): readonly ProvisionedTable[] {
  return parts.filter((one): one is TablePart => one.kind === 'table').map(({ item }) => item);
}
