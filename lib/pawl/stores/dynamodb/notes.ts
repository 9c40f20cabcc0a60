import type { DynamoTransport } from '../../aws/aws.ts';
import { type KeepsNotes, type Note, noteState, type PlaceEntry } from '../../rules/notes.ts';
import { knownNote } from '../known-note.ts';
import { call } from './calls.ts';
import { type ExplainedTable, explaining } from './explain.ts';
import { fieldsOf, type Item } from './item.ts';
import { openIndex } from './open-index.ts';
import { openIndexError } from './open-index-error.ts';
import { put } from './put.ts';

/** Notes in a claims table, and the places of its index. */
export function notesIn(transport: DynamoTransport, table: ExplainedTable): KeepsNotes {
  async function readNote(id: string): Promise<Note | undefined> {
    const { TableName } = table;
    const { Item } = await call(transport, 'GetItem', { TableName, Key: { id: { S: id } }, ConsistentRead: true });
    return Item && noteOf(Item);
  }

  const notes: KeepsNotes = {
    readNote,
    writeNote: async ({ next, seen }) =>
      put(transport, { TableName: table.TableName, next, seen: seen && noteState(seen) }, noteOf),
    async listPlace({ place, until, limit, after }) {
      const { TableName } = table;
      const { name: IndexName, partitionKey, sortKey } = openIndex;
      const listed = call(transport, 'Query', {
        TableName,
        IndexName,
        Limit: limit,
        KeyConditionExpression: '#place = :place AND #at <= :until',
        ExpressionAttributeNames: { '#place': partitionKey, '#at': sortKey },
        ExpressionAttributeValues: { ':place': { S: place }, ':until': { N: String(until) } },
        ...(after && { ExclusiveStartKey: keyOf(place, after) }),
      });
      const { Items = [], LastEvaluatedKey } = await listed.catch((error: unknown) => {
        throw openIndexError(error, TableName);
      });
      return { entries: Items.map(entryOf), after: LastEvaluatedKey && entryOf(LastEvaluatedKey) };
    },
  };
  return {
    readNote: (id) => explaining(table, () => notes.readNote(id)),
    writeNote: (write) => explaining(table, () => notes.writeNote(write)),
    listPlace: (query) => explaining(table, () => notes.listPlace(query)),
  };
}

function keyOf(place: string, { id, firstSeenAt }: PlaceEntry): Item {
  return { id: { S: id }, [openIndex.partitionKey]: { S: place }, [openIndex.sortKey]: { N: String(firstSeenAt) } };
}

function entryOf(item: Item): PlaceEntry {
  return { id: item['id']?.S ?? '', firstSeenAt: Number(item[openIndex.sortKey]?.N) };
}

function noteOf(item: Item): Note {
  return knownNote(fieldsOf(item));
}
