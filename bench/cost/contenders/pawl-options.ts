import type { ClaimStore } from '../../../lib/pawl/index.ts';
import { bodyField } from '../../../lib/pawl/payload/keys.ts';

/** What all of pawl's ways in are given: its defaults, and no call or line that the others do not make either. */
export function optionsWith(store: ClaimStore, concurrency?: number) {
  return {
    operation: 'issue-gift-card',
    store,
    key: bodyField('orderId'),
    onAbandoned: 'retry',
    ...(concurrency !== undefined && { concurrency }),
    // Nobody else sets the visibility of what failed, nor prints a line about it.
    backoffSeconds: () => undefined,
    onEvent: () => undefined,
  } as const;
}
