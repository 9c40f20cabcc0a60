import { type Expression, expressionIn, expressionsIn, type Row } from './expression.ts';

/*
 * The statements over the table of an outbox, as their texts say them: conditions, what is set, and how rows are locked. A part that a text leaves out is left
 * out when it is carried out.
 */

/** Whether rows are locked as they are found, and what becomes of one that another transaction has. */
type Locks = 'none' | 'wait' | 'skip';

/** What a statement sets, by columns. */
export type Sets = readonly (readonly [column: string, value: Expression])[];

export interface Find {
  readonly alias: string;
  readonly where: Expression;
  readonly order: readonly Expression[];
  readonly limit: Expression | undefined;
  readonly locks: Locks;
}

export type OutboxStatement =
  | { readonly kind: 'select'; readonly find: Find; readonly shows: Sets }
  /** A row at a place, or the change of the one that is there. */
  | {
      readonly kind: 'upsert';
      readonly alias: string;
      readonly values: Sets;
      readonly sets: Sets;
      readonly shows: Sets;
    }
  /** Rows of lists of parameters, and which lanes had rows before. */
  | { readonly kind: 'insert'; readonly values: Sets; readonly lists: Sets; readonly find: Find }
  /** Changes rows that were found, or deletes them. `joins`: which rows are changed for one that was found. */
  | {
      readonly kind: 'change';
      readonly find: Find;
      readonly joins: Expression | undefined;
      readonly sets: Sets | 'delete';
      readonly found: Sets;
    };

const always: Expression = () => true;
const table = '"pawl_outbox"';

/** @returns nothing for a statement that is not about an outbox. @throws Error for one that is not understood */
export function understandOutbox(text: string): OutboxStatement | undefined {
  if (!text.includes(table)) return undefined;
  const line = text.replaceAll(/\s+/g, ' ').replaceAll(' AS MATERIALIZED', ' AS');
  for (const [form, read] of forms) {
    const groups = form.exec(line)?.groups;
    if (groups !== undefined) return read(groups);
  }
  return undefined;
}

type Parts = Readonly<Record<string, string | undefined>>;

const find = `${table}(?: AS (?<alias>\\w+))?(?: WHERE (?<where>.+?))?(?: ORDER BY (?<order>[^()]+?))?(?: LIMIT (?<limit>\\$\\d+))?(?<lock> FOR UPDATE)?(?<skip> SKIP LOCKED)?`;

const forms: readonly (readonly [RegExp, (parts: Parts) => OutboxStatement])[] = [
  [
    new RegExp(
      `^INSERT INTO ${table} AS (?<alias>\\w+) \\((?<columns>[^)]+)\\) VALUES \\((?<values>.+)\\) ON CONFLICT \\(id, n\\) DO UPDATE SET (?<sets>.+) RETURNING (?<shows>.+)$`,
    ),
    ({ alias = '', columns = '', values = '', sets = '', shows = '' }) => ({
      kind: 'upsert',
      alias,
      values: zip(columns, expressionsIn(values)),
      sets: setsIn(sets),
      shows: showsIn(shows),
    }),
  ],
  [
    new RegExp(
      `^WITH written AS \\( INSERT INTO ${table} \\((?<columns>[^)]+)\\) SELECT (?<values>.+?) FROM unnest\\((?<lists>[^)]+)\\) AS given \\((?<given>[^)]+)\\) \\) SELECT DISTINCT id FROM ${find}$`,
    ),
    ({ columns = '', values = '', lists = '', given = '', ...parts }) => ({
      kind: 'insert',
      values: zip(columns, expressionsIn(values)),
      lists: zip(given, expressionsIn(lists)),
      find: findIn(parts),
    }),
  ],
  [
    new RegExp(`^SELECT (?<shows>[^()]+) FROM ${find}$`),
    ({ shows = '', ...parts }) => ({ kind: 'select', shows: showsIn(shows), find: findIn(parts) }),
  ],
  [
    new RegExp(
      `^WITH heads AS \\( SELECT (?<found>[^()]+) FROM ${find} \\), held AS \\( UPDATE ${table} AS head SET (?<sets>.+) FROM heads WHERE (?<joins>[^()]+) \\) SELECT id, committed_at AS "committedAt" FROM heads ORDER BY committed_at, id$`,
    ),
    ({ found = '', sets = '', joins = '', ...parts }) => ({
      kind: 'change',
      find: findIn(parts),
      joins: expressionIn(joins),
      sets: setsIn(sets),
      found: [...showsIn(found), ['committedAt', ({ rows }) => rows['']?.['committed_at']]],
    }),
  ],
  [
    new RegExp(`^DELETE FROM ${table} WHERE ctid = ANY \\(ARRAY\\( SELECT ctid FROM ${find} \\)\\) RETURNING id$`),
    (parts) => ({ kind: 'change', find: findIn(parts), joins: undefined, sets: 'delete', found: showsIn('id') }),
  ],
  [
    new RegExp(`^DELETE FROM ${table}(?: WHERE (?<where>.+))? RETURNING (?<shows>.+)$`),
    ({ where, shows = '' }) => ({
      kind: 'change',
      find: findIn({ where, lock: 'always' }),
      joins: undefined,
      sets: 'delete',
      found: showsIn(shows),
    }),
  ],
  [
    new RegExp(`^UPDATE ${table} SET (?<sets>.+?)(?: WHERE (?<where>.+))? RETURNING (?<shows>.+)$`),
    ({ sets = '', where, shows = '' }) => ({
      kind: 'change',
      find: findIn({ where, lock: 'always' }),
      joins: undefined,
      sets: setsIn(sets),
      found: showsIn(shows),
    }),
  ],
];

function findIn({ alias = '', where, order, limit, lock, skip }: Parts): Find {
  return {
    alias,
    where: where === undefined ? always : expressionIn(where),
    order: order === undefined ? [] : expressionsIn(order),
    limit: limit === undefined ? undefined : expressionIn(limit),
    locks: lock === undefined ? 'none' : skip === undefined ? 'wait' : 'skip',
  };
}

function zip(columns: string, values: readonly Expression[]): Sets {
  const names = columns.split(/,\s*/);
  if (names.length !== values.length) throw new Error(`other values than columns: ${columns}`);
  return names.map((name, index) => [name, values[index] as Expression]);
}

/** `a = …, b = …` */
function setsIn(text: string): Sets {
  return text.split(/, (?=\w+ = )/).map((one) => {
    const [, name = '', value = ''] = /^(\w+) = (.+)$/.exec(one) ?? [];
    return [name, expressionIn(value)];
  });
}

/** `a, b AS "c"`: none of the values has a comma. */
function showsIn(text: string): Sets {
  return text.split(', ').map((one) => {
    const [, value = '', name = value] = /^(.+?)(?: AS "?(\w+)"?)?$/.exec(one) ?? [];
    return [name, expressionIn(value)];
  });
}

/** Values by their names. What is NULL is left out. */
export function rowOf(sets: Sets, scope: Parameters<Expression>[0]): Row {
  return Object.fromEntries(
    sets.flatMap(([name, value]) => {
      const one = value(scope);
      return one === undefined ? [] : [[name, one]];
    }),
  );
}
