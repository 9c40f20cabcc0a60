/** A row: a value for each of its columns. What is not there is NULL. */
export type Row = Readonly<Record<string, unknown>>;

/** What an expression is about. */
export interface Scope {
  /** Rows by their aliases. That of '' is meant by a column without one. */
  readonly rows: Readonly<Record<string, Row>>;
  readonly parameters: readonly unknown[];
  /** The table, as the statement sees it. */
  readonly table: readonly Row[];
}

export type Expression = (scope: Scope) => unknown;

const token =
  /\s*(\$\d+|\d+|"?[a-z_]\w*"?(?:\.\w+)?|<=|>=|[(),=<>+])(?:::(?:text|bigint|double precision|json)(?:\[\])?)?/iy;

/**
 * Expressions of SQL, as far as pawl's statements over an outbox have them. A comparison with NULL is NULL, which is `undefined` here.
 *
 * @throws Error for what it does not understand
 */
export function expressionIn(text: string): Expression {
  const [expression, ...more] = expressionsIn(text);
  if (expression === undefined || more.length > 0) throw new Error(`no expression: ${text}`);
  return expression;
}

/** Expressions with commas between them. */
export function expressionsIn(text: string): readonly Expression[] {
  const tokens = tokensOf(text);
  let at = 0;
  const isNext = (...words: readonly string[]) => words.every((word, ahead) => tokens[at + ahead] === word);

  function take(...words: readonly string[]): boolean {
    const is = isNext(...words);
    if (is) at += words.length;
    return is;
  }

  function demand(...words: readonly string[]): void {
    if (!take(...words)) throw new Error(`expected ${words.join(' ')} at ${tokens[at]}: ${text}`);
  }

  function list(): Expression[] {
    const all = [or()];
    while (take(',')) all.push(or());
    return all;
  }

  function or(): Expression {
    const all = [and()];
    while (take('OR')) all.push(and());
    return all.length === 1 ? (all[0] as Expression) : (scope) => all.some((one) => one(scope) === true);
  }

  function and(): Expression {
    const all = [not()];
    while (take('AND')) all.push(not());
    return all.length === 1 ? (all[0] as Expression) : (scope) => all.every((one) => one(scope) === true);
  }

  function not(): Expression {
    if (!take('NOT')) return comparison();
    const denied = comparison();
    return (scope) => {
      const value = denied(scope);
      return value === undefined ? undefined : value !== true;
    };
  }

  function comparison(): Expression {
    const left = sum();
    if (take('IS', 'NULL')) return (scope) => left(scope) === undefined;
    const compare = comparisons[tokens[at] ?? ''];
    if (compare === undefined) return left;
    at++;
    if (take('ANY', '(')) {
      const items = or();
      demand(')');
      return (scope) => (items(scope) as readonly unknown[]).some((one) => orderOf(left(scope), one) === 0);
    }
    const right = sum();
    return (scope) => {
      const order = orderOf(left(scope), right(scope));
      return order === undefined ? undefined : compare(order);
    };
  }

  function sum(): Expression {
    const all = [primary()];
    while (take('+')) all.push(primary());
    if (all.length === 1) return all[0] as Expression;
    return (scope) => all.reduce((total, one) => total + Number(one(scope)), 0);
  }

  function primary(): Expression {
    if (take('EXISTS', '(', 'SELECT')) {
      const found = subselect();
      return (scope) => found(scope).length > 0;
    }
    if (take('(', 'SELECT', 'max', '(')) {
      const column = tokens[at++] ?? '';
      demand(')');
      const found = subselect();
      return (scope) => found(scope).reduce((most: unknown, row) => greater(most, row[column]), undefined);
    }
    if (take('coalesce', '(')) {
      const all = list();
      demand(')');
      return (scope) => all.map((one) => one(scope)).find((value) => value !== undefined);
    }
    if (take('(')) {
      const all = list();
      demand(')');
      return all.length === 1 ? (all[0] as Expression) : (scope) => all.map((one) => one(scope));
    }
    return operand(tokens[at++] ?? 'nothing');
  }

  /** `FROM the table, AS an alias, WHERE …`, and the end of its parenthesis. */
  function subselect(): (scope: Scope) => readonly Row[] {
    demand('FROM', table);
    const alias = take('AS') ? (tokens[at++] ?? '') : '';
    const where = take('WHERE') ? or() : () => true;
    demand(')');
    return ({ rows, ...scope }) =>
      scope.table.filter((row) => where({ ...scope, rows: { ...rows, '': row, [alias]: row } }) === true);
  }

  function operand(word: string): Expression {
    if (/^\d+$/.test(word)) return () => Number(word);
    if (word.startsWith('$')) return ({ parameters }) => parameters[Number(word.slice(1)) - 1] ?? undefined;
    if (word === 'NULL') return () => undefined;
    if (!/^[a-z_]/.test(word)) throw new Error(`what is ${word}? ${text}`);
    const [alias = '', column] = word.split('.');
    return column === undefined ? ({ rows }) => rows['']?.[word] : ({ rows }) => rows[alias]?.[column];
  }

  const all = list();
  if (at < tokens.length) throw new Error(`what is ${tokens[at]}? ${text}`);
  return all;
}

/** The table of an outbox, as statements name it. */
const table = '"pawl_outbox"';

function tokensOf(text: string): readonly string[] {
  const tokens: string[] = [];
  token.lastIndex = 0;
  for (const end = text.trimEnd().length; token.lastIndex < end; ) {
    const from = token.lastIndex;
    const [, word] = token.exec(text) ?? [];
    if (word === undefined) throw new Error(`what is ${text.slice(from)}?`);
    tokens.push(word);
  }
  return tokens;
}

type Order = -1 | 0 | 1 | undefined;

const comparisons: Readonly<Record<string, (order: number) => boolean>> = {
  '=': (order) => order === 0,
  '<': (order) => order < 0,
  '>': (order) => order > 0,
  '<=': (order) => order <= 0,
  '>=': (order) => order >= 0,
};

/** How two values stand to each other; lists by their first items that differ. */
export function orderOf(one: unknown, other: unknown): Order {
  if (one === undefined || other === undefined) return undefined;
  if (!Array.isArray(one) || !Array.isArray(other)) {
    return (one as string) === other ? 0 : (one as string) < (other as string) ? -1 : 1;
  }
  const orders = one.map((value, index) => orderOf(value, other[index]));
  return orders.find((order) => order !== 0) ?? (orders.includes(undefined) ? undefined : 0);
}

function greater(one: unknown, other: unknown): unknown {
  return orderOf(one, other) === -1 || one === undefined ? other : one;
}
