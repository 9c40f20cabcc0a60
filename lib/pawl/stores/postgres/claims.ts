import { isNoAnswer } from '../../kernel/request.ts';
import type { KeepsNotes } from '../../rules/notes.ts';
import type { ListsOpenClaims } from '../../rules/open-claims.ts';
import { type ClaimRecord, understood } from '../../rules/record.ts';
import { type ClaimStore, type ClaimWrite, claimState, type WriteResult } from '../../rules/store.ts';
import { groupCommit, type Part } from '../group-commit.ts';
import { standingOf } from '../standing.ts';
import { isAboutContents, isHopeless } from './errors.ts';
import { listOpen } from './list-open.ts';
import { notesIn } from './notes.ts';
import { parametersOf, recordOf, textOf } from './row.ts';
import type { PostgresTable } from './table.ts';

const mostAtOnce = 100;

/** Claims in a table that is open already. */
export function claimsIn(table: PostgresTable): ClaimStore & ListsOpenClaims & KeepsNotes {
  const { statements, host } = table;
  const errors = { isAboutContents, isHopeless };
  const read = groupCommit(host, mostAtOnce, (ids: readonly string[]) => shared(ids, readTogether), errors);
  const write = groupCommit(host, mostAtOnce, (writes: readonly ClaimWrite[]) => shared(writes, writeTogether), errors);

  async function readTogether(ids: readonly string[]): Promise<readonly Part<ClaimRecord | undefined>[]> {
    const rows = await table.ask(statements.read, [ids.map(textOf)]);
    const found = new Map(rows.map((row) => [Reflect.get(row, 'id'), row]));
    return ids.map((id) => ({ value: claimOf(found.get(textOf(id))) }));
  }

  async function writeTogether(writes: readonly ClaimWrite[]): Promise<readonly Part<WriteResult>[]> {
    const given = writes.map(({ next, seen }) => ({ next, state: claimState(next), seen: seen && claimState(seen) }));
    const rows = await table.ask(statements.write, parametersOf(given));
    const applied = new Set(rows.map((row) => Reflect.get(row, 'id')));
    return writes.map(({ next: { id } }) => ({ value: applied.has(textOf(id)) ? { applied: true } : lostTo(id) }));
  }

  /** A refused write, with what stands there. The statement's snapshot may be older than the row that refused it, so it is read afterwards. */
  async function lostTo(id: string): Promise<WriteResult> {
    return { applied: false, found: await read(id, id) };
  }

  return {
    read: (id) => read(id, id),
    write: (one) => write(one.next.id, one, standingOf(one)),
    listOpen: (query) => listOpen(table, query),
    ...notesIn(table),
  };
}

/**
 * Serves parts with one statement. After an error that may pass, each is sent again, although it may have been applied: the condition refuses the copy of
 * an applied write, and its caller recognises the record that it wrote.
 *
 * A statement that got no answer may wait for a row that a transaction of the author's has: it is sent again in parts, so that the others need not wait.
 */
async function shared<In, Out>(
  inputs: readonly In[],
  serve: (inputs: readonly In[]) => Promise<readonly Part<Out>[]>,
): Promise<readonly Part<Out>[]> {
  try {
    return await serve(inputs);
  } catch (error) {
    if (isHopeless(error)) throw error;
    if (isNoAnswer(error) && inputs.length > 1) {
      return (await Promise.all(inputs.map((one) => shared([one], serve)))).flat();
    }
    return inputs.map(() => ({ error: error as Error }));
  }
}

/** In a promise of its own: one row that is no claim must not fail those that were read with it. */
async function claimOf(row: object | undefined): Promise<ClaimRecord | undefined> {
  return row && understood(recordOf(row) as ClaimRecord);
}
