import {
  type AttributeValue,
  type BatchExecuteStatementCommandInput,
  type BatchGetItemCommandInput,
  type BatchStatementRequest,
  type BatchStatementResponse,
  ConditionalCheckFailedException,
  type GetItemCommandInput,
  type PutItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import { parseStatement } from './partiql.ts';

export type Item = Record<string, AttributeValue>;

/** Hears of every write that is applied, before its answer leaves. */
export type OnWrite<Writer> = (writer: Writer, before: Item | undefined, after: Item) => void;

/** A claims table, as DynamoDB would keep it: what is sent to it happens at once, and completely or not at all. */
export interface SimulatedTable<Writer> {
  readonly items: ReadonlyMap<string, Item>;
  /** Carries out a command by its name, and answers as the client does. @throws as the client does */
  execute(command: string, input: unknown, writer: Writer): unknown;
  /** One statement of a batch. */
  statement(request: BatchStatementRequest, writer: Writer): BatchStatementResponse;
}

export function simulatedTable<Writer>(name: string, onWrite: OnWrite<Writer>): SimulatedTable<Writer> {
  const items = new Map<string, Item>();

  function replace(before: Item | undefined, after: Item, writer: Writer): void {
    items.set(textOf(after['id']), after);
    onWrite(writer, before, after);
  }

  function put(input: PutItemCommandInput, writer: Writer): object {
    const after = input.Item as Item;
    const before = items.get(textOf(after['id']));
    if (!holds(input, before)) {
      throw new ConditionalCheckFailedException({
        message: 'The conditional request failed',
        $metadata: {},
        ...(input.ReturnValuesOnConditionCheckFailure === 'ALL_OLD' && before && { Item: { ...before } }),
      });
    }
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
      if (items.has(textOf(after['id']))) return refused('DuplicateItem');
      replace(undefined, after, writer);
      return {};
    }
    const changes = parsed.changes.map(({ name: field, removes }) => ({ field, value: removes ? undefined : next() }));
    const where = Object.fromEntries(parsed.where.map((field) => [field, next()]));
    const before = items.get(textOf(where['id']));
    if (before === undefined || !Object.entries(where).every(([field, value]) => same(before[field], value))) {
      const shows = options.ReturnValuesOnConditionCheckFailure === 'ALL_OLD' && before !== undefined;
      return refused('ConditionalCheckFailed', shows ? { ...before } : undefined);
    }
    const after = { ...before };
    for (const { field, value } of changes) {
      if (value === undefined) delete after[field];
      else after[field] = value;
    }
    replace(before, after, writer);
    return {};
  }

  function batchGet({ RequestItems = {} }: BatchGetItemCommandInput): object {
    const { Keys = [], ConsistentRead } = RequestItems[name] ?? {};
    demandConsistent(ConsistentRead);
    const ids = Keys.map((key) => textOf(key['id']));
    if (new Set(ids).size < ids.length) throw invalid('Provided list of item keys contains duplicates');
    const found = ids.map((id) => items.get(id)).filter((item) => item !== undefined);
    return { Responses: { [name]: found.map((item) => ({ ...item })) }, UnprocessedKeys: {} };
  }

  return {
    items,
    statement,
    execute(command, input, writer) {
      switch (command) {
        case 'PutItemCommand':
          return put(input as PutItemCommandInput, writer);
        case 'GetItemCommand': {
          const { Key, ConsistentRead } = input as GetItemCommandInput;
          demandConsistent(ConsistentRead);
          const found = items.get(textOf(Key?.['id']));
          return found ? { Item: { ...found } } : {};
        }
        case 'BatchGetItemCommand':
          return batchGet(input as BatchGetItemCommandInput);
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
  const set = parsed.changes.filter(({ removes }) => !removes).length;
  return textOf(Parameters[set + parsed.where.indexOf('id')]);
}

/** Understands the conditions that pawl puts on a put, and nothing else. */
function holds(input: PutItemCommandInput, before: Item | undefined): boolean {
  const { ConditionExpression: condition, ExpressionAttributeNames: names = {} } = input;
  const values = input.ExpressionAttributeValues ?? {};
  if (condition === undefined) return true;
  return condition.split(' AND ').every((part) => {
    if (part === 'attribute_not_exists(id)') return before === undefined;
    const [, name = '', value = ''] = /^(#\w+) = (:\w+)$/.exec(part) ?? [];
    const field = names[name];
    if (field === undefined || values[value] === undefined) throw invalid(`this condition is not understood: ${part}`);
    return before !== undefined && same(before[field], values[value]);
  });
}

function same(one: AttributeValue | undefined, other: AttributeValue | undefined): boolean {
  return one !== undefined && one.S === other?.S && one.N === other?.N && one.M === undefined;
}

function textOf(value: AttributeValue | undefined): string {
  if (typeof value?.S !== 'string' || value.S === '') throw invalid('the key element id is missing');
  return value.S;
}

function refused(Code: 'DuplicateItem' | 'ConditionalCheckFailed', item?: Item): BatchStatementResponse {
  return { Error: { Code, Message: 'refused', ...(item && { Item: item }) } };
}

/** pawl must never read what may be stale. */
function demandConsistent(consistent: boolean | undefined): void {
  if (consistent !== true) throw invalid('a claim was read without ConsistentRead');
}

function invalid(message: string): Error {
  return Object.assign(new Error(message), { name: 'ValidationException' });
}

function notFound(table: string): Error {
  return Object.assign(new Error(`there is no table ${table}`), { name: 'ResourceNotFoundException' });
}
