import { type AtConstruct, isAt } from '../engine/app/constructs.ts';

/** There is no such thing in the app. The message names what there is. */
export class UnknownConstructError extends Error {
  override readonly name = 'UnknownConstructError';
}

/**
 * The one that a rehearsal file means. Of several, the one whose path ends with the name; of several such, the one that `prefers` chooses.
 *
 * @throws UnknownConstructError if there is none, or more than one
 */
export function meant<Item extends AtConstruct>(
  items: readonly Item[],
  wanted: string,
  kind: string,
  prefers: (item: Item) => boolean = () => true,
): Item {
  const within = items.filter(({ construct }) => isAt(construct, wanted));
  const atEnd = within.filter(({ construct }) => `/${construct}`.endsWith(`/${wanted}`));
  for (const some of [atEnd, atEnd.filter(prefers), within, within.filter(prefers)]) {
    const [only] = some;
    if (only !== undefined && some.length === 1) return only;
  }
  const named = (some: readonly Item[]) => some.map(({ construct }) => construct).join(', ');
  throw new UnknownConstructError(
    within.length === 0
      ? `The app has no ${kind} '${wanted}'. It has: ${named(items) || 'none'}.`
      : `The app has more than one ${kind} '${wanted}': ${named(within)}. Name more of its path.`,
  );
}
