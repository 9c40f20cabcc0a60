import type { DynamoTransport } from '../../aws/aws.ts';
import { call } from '../../stores/dynamodb/calls.ts';
import { conditionFailed } from '../../stores/dynamodb/errors.ts';
import { explainedTable, explaining } from '../../stores/dynamodb/explain.ts';
import { fieldsOf, type Item, toAttribute, toItem } from '../../stores/dynamodb/item.ts';
import type { OutboxRecord, Place } from '../record.ts';
import { lanePage, type OutboxStore } from '../store.ts';

/** The table of an outbox, and the way to it. */
export interface OutboxTable {
  /** @throws OptionError when the name is missing */
  readonly nameOfTable: () => string;
  readonly transport: DynamoTransport;
}

const layout = { sort: "the sort key 'n' of type number", maker: 'OutboxTable', granted: 'outboxTable.grantOutbox' };

/**
 * The messages of an outbox in a DynamoDB table: partition key `id` (the lane), sort key `n` (the place in it). Place 0 of a lane that keeps order is its
 * counter, which `writes.ts` makes. A table that is empty but for counters is the ordinary state, so a list is a scan: an index would cost two write units
 * more for each message.
 */
export function outboxStore({ nameOfTable, transport }: OutboxTable): OutboxStore {
  const table = explainedTable(nameOfTable, transport, layout);

  /** Changes a message if it is still that one. @returns what came of it; nothing where another one lies there, or none does and it was no `DELETE` */
  async function change(
    statement: (name: string) => string,
    place: Place,
    given: readonly unknown[] = [],
    returning = '',
  ): Promise<{ readonly Item?: Item | undefined } | undefined> {
    const { id, n, uid } = place;
    const Parameters = [...given, id, n, uid].flatMap((value) => toAttribute(value) ?? []);
    const Statement = `${statement(nameOfTable())} WHERE "id"=? AND "n"=? AND "uid"=?${returning}`;
    const { Responses = [] } = await call(transport, 'BatchExecuteStatement', {
      Statements: [{ Statement, Parameters }],
    });
    const [response = {}] = Responses;
    const { Error: error } = response;
    if (error === undefined) return response;
    if (error.Code === conditionFailed) return undefined;
    throw Object.assign(new Error(error.Message), { name: error.Code });
  }

  const list: OutboxStore['list'] = (cursor) =>
    explaining(table, async () => {
      const { Items = [], LastEvaluatedKey } = await call(transport, 'Scan', {
        TableName: nameOfTable(),
        FilterExpression: 'n > :counter',
        ExpressionAttributeValues: toItem({ ':counter': 0 }),
        ...(cursor !== undefined && { ExclusiveStartKey: keyOf(cursor) }),
      });
      return { messages: Items.map(recordOf), cursor: LastEvaluatedKey && cursorOf(LastEvaluatedKey) };
    });

  return {
    lane: (id, after) =>
      explaining(table, async () => {
        const { Items = [] } = await call(transport, 'Query', {
          TableName: nameOfTable(),
          KeyConditionExpression: 'id = :id AND n > :after',
          ExpressionAttributeValues: toItem({ ':id': id, ':after': after }),
          ConsistentRead: true,
          Limit: lanePage,
        });
        return Items.map(recordOf);
      }),
    list,
    async due(before, _most, cursor) {
      const page = await list(cursor);
      return { ...page, messages: page.messages.filter(({ committedAt }) => committedAt <= before) };
    },
    remove: (place) => explaining(table, async () => void (await change(deleting, place))),
    discard: (place) =>
      explaining(table, async () => {
        // To delete what is not there is no failure. What was deleted is asked for, and that may be a whole body: not where a sender removes.
        const deleted = await change(deleting, place, [], ' RETURNING ALL OLD *');
        return deleted?.Item !== undefined;
      }),
    park: (place, error) =>
      explaining(table, async () => {
        const changed =
          error === undefined
            ? await change((name) => `UPDATE "${name}" REMOVE "parked"`, place)
            : await change((name) => `UPDATE "${name}" SET "parked"=?`, place, [error]);
        return changed !== undefined;
      }),
  };
}

const deleting = (name: string) => `DELETE FROM "${name}"`;

function recordOf(item: Item): OutboxRecord {
  return fieldsOf(item) as OutboxRecord;
}

/** The cursor is the last key that was looked at, which may be that of a counter. */
function cursorOf(item: Item): string {
  const { id, n } = fieldsOf(item) as Pick<Place, 'id' | 'n'>;
  return JSON.stringify([id, n]);
}

function keyOf(cursor: string): Item {
  const [id, n] = JSON.parse(cursor) as [string, number];
  return toItem({ id, n });
}
