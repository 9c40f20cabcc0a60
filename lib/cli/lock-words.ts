import type { LockStays, LockView } from 'pawl/locks';

/* What the commands and the page say of locks. */

/** Why a lock is not released. */
export const whyItStays = {
  missing: 'there is none',
  ended: 'it has ended',
  held: 'its worker may be alive',
  changed: 'it has changed since it was read: look at it again',
} as const satisfies Record<LockStays, string>;

/** The first resources of a lock, and how many more there are. */
export function resourcesOf({ resources, first }: LockView): string {
  const names = first.map((parts) => parts.map((part) => part ?? '(hashed)').join('/'));
  const more = resources - names.length;
  return [...names, ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
}
