import type { KeepsNotes } from '../../rules/notes.ts';
import type { ListsOpenClaims, OpenQuery } from '../../rules/open-claims.ts';
import type { ClaimStore } from '../../rules/store.ts';
import { explainedTable, explaining } from './explain.ts';
import { listOpen } from './list-open.ts';
import { notesIn } from './notes.ts';
import type { Table } from './table.ts';

/** What operators and jobs ask of a claims table, and no consumer does. So no store carries it. */
export function listingIn({ nameOfTable, aws, restore }: Table, store: ClaimStore): ListsOpenClaims & KeepsNotes {
  const { dynamodb: transport } = aws;
  const table = explainedTable(nameOfTable, transport, 'grantClaims');
  async function listed(query: OpenQuery) {
    const page = await listOpen({ transport, TableName: nameOfTable() }, query);
    return restore ? restore.shown(page, store) : page;
  }
  return { listOpen: (query) => explaining(table, () => listed(query)), ...notesIn(transport, table) };
}
