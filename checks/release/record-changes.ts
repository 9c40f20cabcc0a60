import type { AttributeValue } from '@aws-sdk/client-dynamodb';

export type Item = Record<string, AttributeValue>;

/** An item, and what became of a call that met it later. */
interface Kept {
  readonly item: Item;
  /** Of a claim: the outcome, and how often the handler ran. Nothing for other items. */
  readonly later?: string;
}

/** What the number and the changelog of a version permit. */
export interface Permitted {
  /** Records of another schema. */
  readonly newRecord?: boolean;
}

/** By the kind of each item. */
export type Records = Readonly<Record<string, Kept>>;

/** What of the records of the last version this one has changed, so that a table with both in it is in danger. A sentence each. */
export function recordProblems(
  last: Records,
  now: Records,
  outcomes: ReadonlyMap<string, string>,
  { newRecord = false }: Permitted = {},
): readonly string[] {
  return Object.entries(last).flatMap(([id, { item, later }]) => {
    const found = now[id];
    if (found === undefined) return [`this version writes no item ${id} any more`];
    const outcome = outcomes.get(id);
    const isRead = later === undefined || later === outcome;
    return [
      ...(newRecord ? [] : schemaProblems(id, item, found.item)),
      ...fieldProblems(id, item, found.item),
      ...(isRead ? [] : [`a call that meets the last version's item ${id} returns ${outcome}, and returned ${later}`]),
    ];
  });
}

/** What is new in the records of this version: the last version leaves it alone. */
export function recordAdditions(last: Records, now: Records): readonly string[] {
  return Object.entries(now).flatMap(([id, { item }]) =>
    Object.keys(item)
      .filter((field) => last[id] !== undefined && last[id].item[field] === undefined)
      .map((field) => `the item ${id} has a new field ${field}`),
  );
}

/** A version that does not know a schema leaves its items alone, with an error: it cannot be rolled back to. */
function schemaProblems(id: string, { v: last }: Item, { v: now }: Item): readonly string[] {
  if (last === undefined || now === undefined || JSON.stringify(last) === JSON.stringify(now)) return [];
  return [`the item ${id} has another schema: the last version leaves it alone, with an error`];
}

function fieldProblems(id: string, last: Item, now: Item, path = ''): readonly string[] {
  return Object.entries(last).flatMap(([name, value]) => {
    const found = now[name];
    const field = `${path}${name}`;
    if (found === undefined)
      return [`the item ${id} has no field ${field} any more: a worker of the last version may need it`];
    const [type] = Object.keys(value);
    if (!Object.hasOwn(found, String(type)))
      return [`the field ${field} of the item ${id} is ${Object.keys(found)} now, and was ${type}`];
    return value.M && found.M ? fieldProblems(id, value.M, found.M, `${field}.`) : [];
  });
}
