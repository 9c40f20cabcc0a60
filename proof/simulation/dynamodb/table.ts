import {
  type AttributeValue,
  type BatchExecuteStatementCommandInput,
  type BatchGetItemCommandInput,
  type BatchStatementRequest,
  type BatchStatementResponse,
  ConditionalCheckFailedException,
  type GetItemCommandInput,
  type PutItemCommandInput,
  type QueryCommandInput,
  type ScanCommandInput,
  TransactionCanceledException,
  type TransactWriteItem,
  type TransactWriteItemsCommandInput,
} from '@aws-sdk/client-dynamodb';
import { holds, invalid, type Placeholders, same, updated } from './expression.ts';
import { parseStatement } from './partiql.ts';

export type Item = Record<string, AttributeValue>;

/** Hears of every write that is applied, before its answer leaves. */
export type OnWrite<Writer> = (writer: Writer, before: Item | undefined, after: Item) => void;

/** A claims table, as DynamoDB would keep it: what is sent to it happens at once, and completely or not at all. */
export interface SimulatedTable<Writer> {
  readonly items: ReadonlyMap<string, Item>;
  /** Something that is there before anything happens. */
  put(item: Item): void;
  /** Something that ends by itself, as by TTL. */
  remove(item: Item): void;
  /** Carries out a command by its name, and answers as the client does. @throws as the client does */
  execute(command: string, input: unknown, writer: Writer): unknown;
  /** One statement of a batch. */
  statement(request: BatchStatementRequest, writer: Writer): BatchStatementResponse;
}

export function simulatedTable<Writer>(name: string, onWrite: OnWrite<Writer>): SimulatedTable<Writer> {
  const items = new Map<string, Item>();

  function replace(before: Item | undefined, after: Item, writer: Writer): void {
    items.set(keyOf(after), after);
    onWrite(writer, before, after);
  }

  function put(input: PutItemCommandInput, writer: Writer): object {
    const after = input.Item as Item;
    const before = items.get(keyOf(after));
    if (!holds(input.ConditionExpression, input, before)) {
      throw new ConditionalCheckFailedException({
        message: 'The conditional request failed',
        $metadata: {},
        ...(input.ReturnValuesOnConditionCheckFailure === 'ALL_OLD' && before && { Item: { ...before } }),
      });
    }
    if (isTooLarge(after)) throw invalid('Item size has exceeded the maximum allowed size');
    replace(before, { ...after }, writer);
    return {};
  }

  function statement({ Statement, Parameters = [], ...options }: BatchStatementRequest, writer: Writer) {
    const parsed = parseStatement(Statement ?? '');
    if (parsed.table !== name) throw notFound(parsed.table);
    let taken = 0;
    const next = () => Parameters[taken++] as AttributeValue;
    if (parsed.kind === 'insert') {
      const after = Object.fromEntries(parsed.fields.map((field) => [field, next()]));
      if (items.has(keyOf(after))) return refused('DuplicateItem');
      if (isTooLarge(after)) return refused('ValidationError');
      replace(undefined, after, writer);
      return {};
    }
    const changes =
      parsed.kind === 'delete'
        ? []
        : parsed.changes.map(({ name: field, removes }) => ({ field, value: removes ? undefined : next() }));
    const where = Object.fromEntries(parsed.where.map((field) => [field, next()]));
    const before = items.get(keyOf(where));
    if (before === undefined || !Object.entries(where).every(([field, value]) => same(before[field], value))) {
      const shows = options.ReturnValuesOnConditionCheckFailure === 'ALL_OLD' && before !== undefined;
      return refused('ConditionalCheckFailed', shows ? { ...before } : undefined);
    }
    if (parsed.kind === 'delete') {
      items.delete(keyOf(where));
      return {};
    }
    const after = { ...before };
    for (const { field, value } of changes) {
      if (value === undefined) delete after[field];
      else after[field] = value;
    }
    if (isTooLarge(after)) return refused('ValidationError');
    replace(before, after, writer);
    return {};
  }

  /** All of them or none, and no item twice. */
  function transact({ TransactItems = [] }: TransactWriteItemsCommandInput, writer: Writer): object {
    const actions = TransactItems.map(actionOf);
    if (actions.length === 0 || actions.length > 100 || new Set(actions.map(({ id }) => id)).size < actions.length)
      throw invalid('no action, more than 100, or two of one item');
    const reasons = actions.map(({ id, condition, placeholders, shows, after }) => {
      const before = items.get(id);
      if (holds(condition, placeholders, before))
        return { Code: after && isTooLarge(after(before)) ? 'ValidationError' : 'None' };
      return { Code: 'ConditionalCheckFailed', ...(shows && before && { Item: { ...before } }) };
    });
    if (reasons.some(({ Code }) => Code !== 'None')) {
      throw new TransactionCanceledException({ message: 'cancelled', $metadata: {}, CancellationReasons: reasons });
    }
    for (const { id, after } of actions) {
      const before = items.get(id);
      if (after !== undefined) replace(before, after(before), writer);
    }
    return {};
  }

  function batchGet({ RequestItems = {} }: BatchGetItemCommandInput): object {
    const { Keys = [], ConsistentRead } = RequestItems[name] ?? {};
    demandConsistent(ConsistentRead);
    const ids = Keys.map((key) => textOf(key['id']));
    if (ids.length === 0 || ids.length > 100) throw invalid('a read of no key, or of more than 100');
    if (new Set(ids).size < ids.length) throw invalid('Provided list of item keys contains duplicates');
    const found = ids.map((id) => items.get(id)).filter((item) => item !== undefined);
    return { Responses: { [name]: found.map((item) => ({ ...item })) }, UnprocessedKeys: {} };
  }

  /** The messages of a lane, or its counter as well. */
  function query(input: QueryCommandInput): object {
    const {
      KeyConditionExpression,
      ExpressionAttributeValues = {},
      ScanIndexForward = true,
      Limit = 1_000_000,
    } = input;
    demandConsistent(input.ConsistentRead);
    const after = ofLane.get(KeyConditionExpression ?? '');
    if (after === undefined) throw invalid(`this query is not understood: ${KeyConditionExpression}`);
    const least = after === '' ? Number.NEGATIVE_INFINITY : Number(ExpressionAttributeValues[after]?.N);
    const found = inOrder().filter(
      (item) => item['id']?.S === ExpressionAttributeValues[':id']?.S && placeOf(item) > least,
    );
    const ordered = ScanIndexForward ? found : found.toReversed();
    return { Items: ordered.slice(0, Limit).map((item) => ({ ...item })) };
  }

  /** All messages of an outbox, in one page. */
  function scan({ FilterExpression }: ScanCommandInput): object {
    if (FilterExpression !== 'n > :counter') throw invalid(`this scan is not understood: ${FilterExpression}`);
    return { Items: inOrder().filter((item) => placeOf(item) > 0) };
  }

  /** What has a sort key, by it. */
  function inOrder(): Item[] {
    return [...items.values()].filter(({ n }) => n !== undefined).toSorted((a, b) => placeOf(a) - placeOf(b));
  }

  return {
    items,
    put: (item) => void items.set(keyOf(item), item),
    remove: (item) => void items.delete(keyOf(item)),
    statement,
    execute(command, input, writer) {
      switch (command) {
        case 'PutItemCommand':
          return put(input as PutItemCommandInput, writer);
        case 'GetItemCommand': {
          const { Key, ConsistentRead } = input as GetItemCommandInput;
          demandConsistent(ConsistentRead);
          const found = items.get(keyOf(Key ?? {}));
          return found ? { Item: { ...found } } : {};
        }
        case 'DescribeTableCommand':
          return { Table: { TableId: `id of ${name}` } };
        case 'BatchGetItemCommand':
          return batchGet(input as BatchGetItemCommandInput);
        case 'QueryCommand':
          return query(input as QueryCommandInput);
        case 'ScanCommand':
          return scan(input as ScanCommandInput);
        case 'TransactWriteItemsCommand':
          return transact(input as TransactWriteItemsCommandInput, writer);
        case 'BatchExecuteStatementCommand': {
          const { Statements = [] } = input as BatchExecuteStatementCommandInput;
          return { Responses: statementsOf(Statements).map((one) => statement(one, writer)) };
        }
        default:
          throw invalid(`this table understands no ${command}`);
      }
    },
  };
}

/** The statements of a batch, of which no two may be about the same item. @throws as DynamoDB does */
export function statementsOf(requests: readonly BatchStatementRequest[]): readonly BatchStatementRequest[] {
  const ids = requests.map(idOf);
  if (requests.length > 25 || new Set(ids).size < ids.length) throw invalid('too many statements, or two of one item');
  return requests;
}

/** Which item a statement is about. */
export function idOf({ Statement = '', Parameters = [] }: BatchStatementRequest): string {
  const parsed = parseStatement(Statement);
  if (parsed.kind === 'insert') return textOf(Parameters[parsed.fields.indexOf('id')]);
  const set = parsed.kind === 'delete' ? 0 : parsed.changes.filter(({ removes }) => !removes).length;
  return textOf(Parameters[set + parsed.where.indexOf('id')]);
}

interface Action {
  readonly id: string;
  readonly condition: string | undefined;
  readonly placeholders: Placeholders;
  readonly shows: boolean;
  /** What becomes of the item; nothing, if it is only looked at. */
  readonly after: ((before: Item | undefined) => Item) | undefined;
}

function actionOf({ Put, Update, ConditionCheck }: TransactWriteItem): Action {
  const input = Put ?? Update ?? ConditionCheck;
  if (input === undefined) throw invalid('an action that is not understood');
  const key = Put ? Put.Item : (Update ?? ConditionCheck)?.Key;
  return {
    id: keyOf(key ?? {}),
    condition: input.ConditionExpression,
    placeholders: input,
    shows: input.ReturnValuesOnConditionCheckFailure === 'ALL_OLD',
    after: Put
      ? () => ({ ...Put.Item })
      : Update && ((before) => updated(Update.UpdateExpression ?? '', Update, { ...Update.Key }, before)),
  };
}

/** The conditions of queries that are understood, and the value that bounds the sort key. */
const ofLane = new Map([
  ['id = :id', ''],
  ['id = :id AND n > :after', ':after'],
]);

/** What tells an item from all others: its partition key, and its sort key where it has one. */
function keyOf(item: Item): string {
  const id = textOf(item['id']);
  return item['n'] === undefined ? id : `${id} ${item['n'].N}`;
}

function placeOf({ n }: Item): number {
  return Number(n?.N);
}

function textOf(value: AttributeValue | undefined): string {
  if (typeof value?.S !== 'string' || value.S === '') throw invalid('the key element id is missing');
  return value.S;
}

/** What DynamoDB takes for one item, in bytes. What the simulation writes is ASCII. */
const itemLimit = 400 * 1024;

function isTooLarge(item: Item): boolean {
  let bytes = 0;
  for (const [field, { S, N }] of Object.entries(item)) bytes += field.length + (S ?? N ?? '').length;
  return bytes > itemLimit;
}

function refused(
  Code: 'DuplicateItem' | 'ConditionalCheckFailed' | 'ValidationError',
  item?: Item,
): BatchStatementResponse {
  return { Error: { Code, Message: 'refused', ...(item && { Item: item }) } };
}

/** pawl must never read what may be stale. */
function demandConsistent(consistent: boolean | undefined): void {
  if (consistent !== true) throw invalid('a claim was read without ConsistentRead');
}

function notFound(table: string): Error {
  return Object.assign(new Error(`there is no table ${table}`), { name: 'ResourceNotFoundException' });
}
