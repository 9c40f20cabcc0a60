import { dynamoStore } from '../../../lib/pawl/stores/dynamodb/index.ts';

/** What the five apps have in common: an order, its effect, and how pawl watches it. */

export interface Order {
  readonly orderId: string;
}

export const isObserved = process.env['OBSERVED'] === 'true';

/** The effect. The provider has no idempotency keys: each call is one more. No time limit of its own: on a busy machine it would decide what happens. */
export async function ship({ orderId }: Order): Promise<string> {
  const response = await fetch(process.env['PROVIDER_URL'] ?? '', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ orderId }),
  });
  if (!response.ok) throw new Error(`the provider responded ${response.status}`);
  return orderId;
}

/** The options of an app that is observed. The machine of a campaign is slow: it may wait for its writes. */
export const watching = (operation: string) => ({
  operation,
  store: dynamoStore({ tableName: process.env['TABLE'] }),
  onAbandoned: 'park' as const,
  mode: 'observe' as const,
  observeWaitMs: 2000,
  onEvent: ({ type, id }: { readonly type: string; readonly id: string }) => {
    if (type === 'unseen') console.log(JSON.stringify({ unseen: id }));
  },
});
