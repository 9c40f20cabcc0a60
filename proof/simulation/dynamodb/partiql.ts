/** A statement of the three kinds that pawl sends. Each part takes the next of the parameters, in the order of the text. */
export type Statement =
  | { readonly kind: 'insert'; readonly table: string; readonly fields: readonly string[] }
  | {
      readonly kind: 'update';
      readonly table: string;
      readonly changes: readonly { readonly name: string; readonly removes: boolean }[];
      readonly where: readonly string[];
    }
  | { readonly kind: 'delete'; readonly table: string; readonly where: readonly string[] };

const known = new Map<string, Statement>();

/** @throws Error, as DynamoDB's ValidationException, for everything else */
export function parseStatement(text: string): Statement {
  let statement = known.get(text);
  if (statement === undefined) {
    statement = parse(text);
    // There are as many texts as there are kinds of changes: a few dozen.
    known.set(text, statement);
  }
  return statement;
}

function parse(text: string): Statement {
  const insert = /^INSERT INTO "([^"]+)" VALUE \{(.+)\}$/.exec(text);
  if (insert) {
    const [, table = '', fields = ''] = insert;
    return { kind: 'insert', table, fields: fields.split(',').map((field) => nameOf(field, /^'(\w+)':\?$/)) };
  }
  const deleted = /^DELETE FROM "([^"]+)" WHERE (.+)$/.exec(text);
  if (deleted) {
    const [, table = '', where = ''] = deleted;
    return { kind: 'delete', table, where: placesOf(where) };
  }
  const update = /^UPDATE "([^"]+)"((?: SET "\w+"=\?| REMOVE "\w+")+) WHERE (.+)$/.exec(text);
  if (!update) throw invalid(text);
  const [, table = '', changes = '', where = ''] = update;
  return {
    kind: 'update',
    table,
    changes: [...changes.matchAll(/ (SET|REMOVE) "(\w+)"/g)].map(([, verb, name = '']) => ({
      name,
      removes: verb === 'REMOVE',
    })),
    where: placesOf(where),
  };
}

function placesOf(where: string): readonly string[] {
  return where.split(' AND ').map((text) => nameOf(text, /^"(\w+)"=\?$/));
}

function nameOf(text: string, pattern: RegExp): string {
  const name = pattern.exec(text)?.[1];
  if (name === undefined) throw invalid(text);
  return name;
}

function invalid(text: string): Error {
  return Object.assign(new Error(`this statement is not understood: ${text}`), { name: 'ValidationException' });
}
