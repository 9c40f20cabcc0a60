import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Item } from '../../../lib/pawl/stores/dynamodb/item.ts';

/** What an expression's placeholders stand for. */
export interface Placeholders {
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>> | undefined;
  readonly ExpressionAttributeValues?: Readonly<Record<string, AttributeValue>> | undefined;
}

type Condition = (item: Item | undefined, placeholders: Placeholders) => boolean;
type Change = (next: Item, before: Item | undefined, placeholders: Placeholders) => void;

const conditions = new Map<string, Condition>();
const updates = new Map<string, readonly Change[]>();

/**
 * Whether a condition holds for what is there. Understands `AND`, `OR`, brackets, `=` and `attribute_not_exists`: what pawl
 * sends, and nothing else.
 */
export function holds(expression: string | undefined, placeholders: Placeholders, item: Item | undefined): boolean {
  if (expression === undefined) return true;
  return remembered(conditions, expression, parseCondition)(item, placeholders);
}

/** What an item is after an update: `SET` of values and of `if_not_exists`, `ADD` of numbers. */
export function updated(expression: string, placeholders: Placeholders, key: Item, before: Item | undefined): Item {
  const next = { ...(before ?? key) };
  for (const change of remembered(updates, expression, parseUpdate)) change(next, before, placeholders);
  return next;
}

export function same(one: AttributeValue | undefined, other: AttributeValue | undefined): boolean {
  return one !== undefined && one.S === other?.S && one.N === other?.N && one.M === undefined;
}

export function invalid(message: string): Error {
  return Object.assign(new Error(message), { name: 'ValidationException' });
}

function remembered<T>(known: Map<string, T>, expression: string, parse: (tokens: Tokens) => T): T {
  let parsed = known.get(expression);
  if (parsed === undefined) {
    const tokens = tokensOf(expression);
    parsed = parse(tokens);
    tokens.end();
    known.set(expression, parsed);
  }
  return parsed;
}

type Tokens = ReturnType<typeof tokensOf>;

function tokensOf(expression: string) {
  const all = expression.match(/[#:]?\w+|<>|\S/g) ?? [];
  let at = 0;
  const next = () => all[at++] ?? '';
  return {
    next,
    peek: () => all[at],
    /** Goes on behind this token, if it is the next one. */
    skips(token: string): boolean {
      if (all[at] !== token) return false;
      at++;
      return true;
    },
    demand(token: string): void {
      if (next() !== token) throw invalid(`this expression is not understood: ${expression}`);
    },
    end(): void {
      if (at < all.length) throw invalid(`this expression is not understood: ${expression}`);
    },
  };
}

function parseCondition(tokens: Tokens): Condition {
  const either = [parseAll(tokens)];
  while (tokens.skips('OR')) either.push(parseAll(tokens));
  return (item, placeholders) => either.some((one) => one(item, placeholders));
}

function parseAll(tokens: Tokens): Condition {
  const all = [parseOne(tokens)];
  while (tokens.skips('AND')) all.push(parseOne(tokens));
  return (item, placeholders) => all.every((one) => one(item, placeholders));
}

function parseOne(tokens: Tokens): Condition {
  if (tokens.skips('(')) {
    const inner = parseCondition(tokens);
    tokens.demand(')');
    return inner;
  }
  const name = tokens.next();
  if (name === 'attribute_not_exists' || name === 'attribute_exists') {
    tokens.demand('(');
    const path = tokens.next();
    tokens.demand(')');
    const wanted = name === 'attribute_exists';
    return (item, placeholders) => (item?.[fieldOf(path, placeholders)] !== undefined) === wanted;
  }
  const differs = tokens.skips('<>');
  if (!differs) tokens.demand('=');
  const value = tokens.next();
  return (item, placeholders) =>
    same(item?.[fieldOf(name, placeholders)], attributeOf(value, placeholders)) !== differs;
}

function parseUpdate(tokens: Tokens): readonly Change[] {
  const changes: Change[] = [];
  while (tokens.peek() !== undefined) {
    const clause = tokens.next();
    const parse = clause === 'SET' ? parseSet : clause === 'ADD' ? parseAdd : undefined;
    if (parse === undefined) throw invalid(`this update is not understood: ${clause}`);
    do changes.push(parse(tokens));
    while (tokens.skips(','));
  }
  return changes;
}

function parseSet(tokens: Tokens): Change {
  const path = tokens.next();
  tokens.demand('=');
  const value = tokens.next();
  if (value !== 'if_not_exists') {
    return (next, _, placeholders) => {
      next[fieldOf(path, placeholders)] = attributeOf(value, placeholders);
    };
  }
  tokens.demand('(');
  const known = tokens.next();
  tokens.demand(',');
  const other = tokens.next();
  tokens.demand(')');
  return (next, before, placeholders) => {
    next[fieldOf(path, placeholders)] = before?.[fieldOf(known, placeholders)] ?? attributeOf(other, placeholders);
  };
}

function parseAdd(tokens: Tokens): Change {
  const path = tokens.next();
  const value = tokens.next();
  return (next, before, placeholders) => {
    const field = fieldOf(path, placeholders);
    next[field] = { N: String(Number(before?.[field]?.N ?? 0) + Number(attributeOf(value, placeholders).N)) };
  };
}

function fieldOf(path: string, { ExpressionAttributeNames = {} }: Placeholders): string {
  const name = path.startsWith('#') ? ExpressionAttributeNames[path] : path;
  if (name === undefined || !/^\w+$/.test(name)) throw invalid(`the name ${path} stands for nothing`);
  return name;
}

function attributeOf(placeholder: string, { ExpressionAttributeValues = {} }: Placeholders): AttributeValue {
  const value = ExpressionAttributeValues[placeholder];
  if (value === undefined) throw invalid(`the value ${placeholder} stands for nothing`);
  return value;
}
