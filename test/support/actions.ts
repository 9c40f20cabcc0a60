/** One thing that a request to DynamoDB does, as IAM knows it. */
export interface TableAction {
  readonly action: string;
  readonly table: string;
  /** The partition keys of the items that it names. Of a query: none, because it is judged by its index. */
  readonly leadingKeys: readonly string[];
}

/** An item, or the key of one, as it is sent, or as it is given to a client for documents. */
type Keyed = Readonly<Record<string, { readonly S?: string } | string | undefined>>;

interface Named {
  readonly TableName?: string;
  readonly Item?: Keyed;
  readonly Key?: Keyed;
}

interface Input extends Named {
  readonly IndexName?: string;
  readonly RequestItems?: Readonly<Record<string, { readonly Keys?: readonly Keyed[] }>>;
  readonly TransactItems?: readonly Readonly<Record<string, (Named & { readonly TableName: string }) | undefined>>[];
  readonly Statements?: readonly {
    readonly Statement: string;
    readonly Parameters?: readonly { readonly S?: string }[];
  }[];
}

/** What a request is permitted by, an index being a resource of its own: a transaction by each of its actions, and PartiQL by its statements, each on its table. */
export function actionsOf(operation: string, input: object): readonly TableAction[] {
  const { TableName, IndexName, RequestItems = {}, TransactItems = [], Statements = [] } = input as Input;
  const ofTransaction = TransactItems.flatMap((item) =>
    Object.entries(item).flatMap(([kind, write]) => (write ? [on(write.TableName, `${kind}Item`, keysOf(write))] : [])),
  );
  const ofStatements = Statements.map(({ Statement, Parameters = [] }) => {
    const [, verb = '', table = ''] = /^(\w+)[^"]*"([^"]+)"/.exec(Statement) ?? [];
    const name = `PartiQL${verb.charAt(0)}${verb.slice(1).toLowerCase()}`;
    return on(
      table,
      name,
      [Parameters[idAt(Statement)]?.S].filter((key) => key !== undefined),
    );
  });
  const ofBatch = Object.entries(RequestItems).map(([table, { Keys = [] }]) =>
    on(
      table,
      operation,
      Keys.flatMap((Key) => keysOf({ Key })),
    ),
  );
  return [
    ...ofTransaction,
    ...ofStatements,
    ...ofBatch,
    ...(TableName === undefined
      ? []
      : [on(IndexName ? `${TableName}/index/${IndexName}` : TableName, operation, keysOf(input as Input))]),
  ];
}

function on(table: string, action: string, leadingKeys: readonly string[]): TableAction {
  return { table, action: `dynamodb:${action}`, leadingKeys };
}

/** Of an item of a table of claims. */
function keysOf({ Item, Key }: Named): readonly string[] {
  const id = (Item ?? Key)?.['id'];
  const text = typeof id === 'object' ? id.S : id;
  return text === undefined ? [] : [text];
}

/** Which parameter of a statement is the id: of an `INSERT`, by the names of its values; of an `UPDATE`, in its condition. */
function idAt(statement: string): number {
  const found = /'id':\s*\?|"?\bid"?\s*=\s*\?/.exec(statement);
  return found === null ? -1 : statement.slice(0, found.index).split('?').length - 1;
}
