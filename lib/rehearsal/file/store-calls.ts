import { jsonIn, list, record } from '../engine/app/template.ts';
import type { TapAnswer, TapCall } from '../engine/servers/tap.ts';
import type { StoreWrite } from './journal.ts';

/** A write of one record in a request to DynamoDB. */
interface RequestedWrite {
  readonly table: string;
  readonly key: string;
}

/** The names of the attributes that are the key of a table; none, if the table is not known. */
export type KeysOf = (table: string) => readonly string[];

const writes = new Set(['PutItem', 'UpdateItem', 'DeleteItem', 'TransactWriteItems', 'BatchWriteItem']);
const statements = new Set(['BatchExecuteStatement', 'ExecuteStatement', 'ExecuteTransaction']);

/** Whether a request writes. */
export function isWrite({ operation, body }: Pick<TapCall, 'operation' | 'body'>): boolean {
  if (writes.has(operation)) return true;
  return statements.has(operation) && /"Statement"\s*:\s*"\s*(?:INSERT|UPDATE|DELETE)/i.test(body);
}

/** The writes of a request, with what became of each. */
export function writesOf(
  call: Pick<TapCall, 'operation' | 'body'>,
  answer: TapAnswer,
  keysOf: KeysOf = () => [],
): readonly StoreWrite[] {
  const request = record(jsonIn(call.body));
  const given = record(jsonIn(answer.body));
  const failure = answer.status === 200 ? undefined : errorName(given);
  switch (call.operation) {
    case 'PutItem':
    case 'UpdateItem':
    case 'DeleteItem':
      return [{ ...writeOf(request, keysOf), ...lookOf(request), result: failure ?? 'written' }];
    case 'TransactWriteItems': {
      const reasons = list(given['CancellationReasons']).map((reason) => String(record(reason)['Code']));
      return list(request['TransactItems']).map((item, index) => {
        const [one] = Object.values(record(item));
        const reason = reasons[index];
        const result = failure === undefined ? 'written' : reason && reason !== 'None' ? reason : 'not written';
        return { ...writeOf(record(one), keysOf), ...lookOf(record(one)), result };
      });
    }
    case 'BatchWriteItem':
      return Object.entries(record(request['RequestItems'])).flatMap(([table, requests]) =>
        list(requests).map((item) => {
          const [one] = Object.values(record(item));
          return { ...writeOf({ ...record(one), TableName: table }, keysOf), result: failure ?? 'written' };
        }),
      );
    default:
      return statementsOf(request).map((statement, index) => {
        const response = record(list(given['Responses'])[index]);
        const error = record(response['Error'])['Code'];
        // An `INSERT` is refused where a record stands, and what else a statement asks for stands in its text.
        const result = failure ?? (typeof error === 'string' ? error : 'written');
        return { ...statementWrite(statement), looks: true, result };
      });
  }
}

/** What a write says of what it expects to find, or wants to know of what it has found. */
function lookOf({ ConditionExpression, Expected, ReturnValues = 'NONE' }: Readonly<Record<string, unknown>>) {
  const looks = ConditionExpression !== undefined || Expected !== undefined || ReturnValues !== 'NONE';
  return looks ? { looks } : {};
}

/** The tables that a request reads. */
export function readsOf({ operation, body }: Pick<TapCall, 'operation' | 'body'>): readonly string[] {
  const request = record(jsonIn(body));
  switch (operation) {
    case 'GetItem':
    case 'Query':
    case 'Scan':
      return [String(request['TableName'])];
    case 'BatchGetItem':
      return Object.keys(record(request['RequestItems']));
    case 'TransactGetItems':
      return list(request['TransactItems']).map((item) => String(record(record(item)['Get'])['TableName']));
    default:
      if (!statements.has(operation)) return [];
      return statementsOf(request).flatMap((statement) => {
        const { Statement } = record(statement);
        return /^\s*SELECT\b.*?\bFROM\s+"?([\w.-]+)"?/is.exec(String(Statement))?.[1] ?? [];
      });
  }
}

function writeOf(one: Readonly<Record<string, unknown>>, keysOf: KeysOf): RequestedWrite {
  const table = String(one['TableName']);
  const item = record(one['Item']);
  const names = keysOf(table);
  const given = record(one['Key']);
  if (Object.keys(given).length > 0) return { table, key: keyText(given) };
  const key = Object.fromEntries(names.filter((name) => name in item).map((name) => [name, item[name]]));
  return { table, key: keyText(names.length > 0 ? key : item) };
}

/** The values of a key; of an item of a table that is not known, the first two of its texts. */
function keyText(attributes: Readonly<Record<string, unknown>>): string {
  const values = Object.values(attributes)
    .map(scalar)
    .filter((value) => value !== undefined);
  return values.slice(0, 2).join(' ').slice(0, 120);
}

function scalar(attribute: unknown): string | undefined {
  const { S, N } = record(attribute);
  return typeof S === 'string' ? S : typeof N === 'string' ? N : undefined;
}

function statementsOf(request: Readonly<Record<string, unknown>>): readonly unknown[] {
  const [statements, transaction] = [list(request['Statements']), list(request['TransactStatements'])];
  if (statements.length > 0) return statements;
  return transaction.length > 0 ? transaction : [request];
}

/** The key is the parameter of `WHERE`, or the first of an `INSERT`. */
function statementWrite(statement: unknown): RequestedWrite {
  const { Statement, Parameters } = record(statement);
  const text = String(Statement);
  const [, table = ''] = /(?:INTO|UPDATE|FROM)\s+"?([\w.-]+)"?/i.exec(text) ?? [];
  const where = text.search(/\bWHERE\b/i);
  const before = where === -1 ? 0 : text.slice(0, where).split('?').length - 1;
  return { table, key: scalar(list(Parameters)[before]) ?? '' };
}

/** `ConditionalCheckFailedException` is said as DynamoDB says it of a statement: without its end. */
function errorName(given: Readonly<Record<string, unknown>>): string {
  return String(given['__type'] ?? 'failed')
    .replace(/^.*#/, '')
    .replace(/Exception$/, '');
}
