/** One thing that a request to DynamoDB does, as IAM knows it. */
export interface TableAction {
  readonly action: string;
  readonly table: string;
}

interface Input {
  readonly TableName?: string;
  readonly IndexName?: string;
  readonly RequestItems?: Readonly<Record<string, unknown>>;
  readonly TransactItems?: readonly Readonly<Record<string, { readonly TableName: string } | undefined>>[];
  readonly Statements?: readonly { readonly Statement: string }[];
}

/** What a request is permitted by, an index being a resource of its own: a transaction by each of its actions, and PartiQL by its statements, each on its table. */
export function actionsOf(operation: string, input: object): readonly TableAction[] {
  const { TableName, IndexName, RequestItems = {}, TransactItems = [], Statements = [] } = input as Input;
  const ofTransaction = TransactItems.flatMap((item) =>
    Object.entries(item).flatMap(([kind, write]) => (write ? [on(write.TableName, `${kind}Item`)] : [])),
  );
  const ofStatements = Statements.map(({ Statement }) => {
    const [, verb = '', table = ''] = /^(\w+)[^"]*"([^"]+)"/.exec(Statement) ?? [];
    return on(table, `PartiQL${verb.charAt(0)}${verb.slice(1).toLowerCase()}`);
  });
  const ofBatch = Object.keys(RequestItems).map((table) => on(table, operation));
  return [
    ...ofTransaction,
    ...ofStatements,
    ...ofBatch,
    ...(TableName === undefined ? [] : [on(IndexName ? `${TableName}/index/${IndexName}` : TableName, operation)]),
  ];
}

function on(table: string, action: string): TableAction {
  return { table, action: `dynamodb:${action}` };
}
