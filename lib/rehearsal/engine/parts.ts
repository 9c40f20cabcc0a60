import { type InStack, onlyAt } from './app/constructs.ts';

/** Something of the app that a caller finds by its construct. A construct is named by its path, of which parts at the beginning and at the end may be left out. */
export interface Part<Kind extends string = string, Item extends InStack = InStack, Found = unknown> {
  readonly kind: Kind;
  readonly item: Item;
  /** What a caller gets. */
  readonly found: Found;
}

/** A part of which a caller gets what it is. */
export function part<const Kind extends string, Item extends InStack>(kind: Kind, item: Item): Part<Kind, Item, Item> {
  return { kind, item, found: item };
}

/** What a caller finds by its construct, by the kind of the part. Each throws an error if no such part is there, or more than one. */
export type Finders<P extends Part> = {
  readonly [Kind in P['kind']]: (construct: string) => Extract<P, { kind: Kind }>['found'];
};

/** @param stack only of this one */
export function findersOf<P extends Part>(
  services: readonly { readonly finds?: Readonly<Record<string, string | undefined>> }[],
  parts: readonly P[],
  stack?: string,
): Finders<P> {
  const here = parts.filter(({ item }) => stack === undefined || item.stack === stack);
  const finders = services.flatMap(({ finds = {} }) =>
    Object.entries(finds).map(([kind, called = kind]) => {
      const find = (construct: string) => {
        const items = here.filter((one) => one.kind === kind).map(({ item, found }) => ({ ...placeIn(item), found }));
        return onlyAt(items, construct, called, stack === undefined ? 'app' : 'stack').found;
      };
      return [kind, find] as const;
    }),
  );
  return Object.fromEntries(finders) as Finders<P>;
}

function placeIn({ logicalId, construct }: InStack) {
  return { logicalId, construct };
}

/** All parts of a kind. */
export function itemsOf<P extends Part, Kind extends P['kind']>(
  parts: readonly P[],
  kind: Kind,
): readonly Extract<P, { kind: Kind }>['item'][] {
  return parts.filter((one): one is Extract<P, { kind: Kind }> => one.kind === kind).map(({ item }) => item);
}
