import { record } from '../../lib/rehearsal/engine/app/template.ts';
import type { HttpServer } from '../../lib/rehearsal/engine/http.ts';
import { type ProviderAnswer, type ProviderFault, startProvider } from '../../lib/rehearsal/provider.ts';

/** What the provider did, in one byte for each order: its memory does not grow with the run. */
export interface Issued {
  readonly server: HttpServer;
  /** How many orders have a card. */
  readonly orders: () => number;
  readonly kills: () => number;
  /**
   * Orders without a card, and with more than one.
   *
   * @param setAside orders with a message in the dead-letter queue, which are not lost. @default none
   */
  verdict(sent: number, setAside?: ReadonlySet<string>): { readonly lost: number; readonly doubled: number };
}

/** At most so many cards of one order are counted. */
const mostCounted = 255;
const killKinds = ['kill-before', 'kill-applied', 'kill-answered'] as const;

export function orderIdOf(place: number): string {
  return `order-${place}`;
}

function placeOf(orderId: unknown): number {
  return Number(String(orderId).slice('order-'.length));
}

/**
 * Starts a gift card provider that ignores idempotency keys, so that nothing but the claim keeps an order from having two cards. It can be asked.
 *
 * @param killShare the share of orders whose first call costs the sandbox its life, from 0 to 1
 */
export async function startIssued(
  orders: number,
  killShare: number,
  random: () => number,
  kill: (sandbox: string) => void,
): Promise<Issued> {
  const counts = new Uint8Array(orders);
  const called = new Uint8Array(orders);
  let withCard = 0;
  let kills = 0;

  function nextFault(_effect: string, orderId: string): ProviderFault | undefined {
    const place = placeOf(orderId);
    if (called[place] === 1) return undefined;
    called[place] = 1;
    if (random() >= killShare) return undefined;
    kills += 1;
    return { kind: killKinds[kills % killKinds.length] ?? 'kill-applied' };
  }

  function issue(orderId: unknown): ProviderAnswer {
    const place = placeOf(orderId);
    const before = counts[place] ?? 0;
    if (before === 0) withCard += 1;
    counts[place] = Math.min(mostCounted, before + 1);
    return { status: 201, body: { cardId: `${String(orderId)}-${before}` } };
  }

  const server = await startProvider(
    (call) => {
      const key = /^\/gift-cards\/by-key\/(.+)$/.exec(call.path)?.[1];
      if (key !== undefined) {
        const isIssued = (counts[placeOf(decodeURIComponent(key).split('#').at(-1))] ?? 0) > 0;
        return { status: isIssued ? 200 : 404, body: {} };
      }
      const { orderId } = record(call.body);
      return { effect: 'gift-card', subject: String(orderId), apply: () => issue(orderId) };
    },
    { nextFault, kill },
  );
  return {
    server,
    orders: () => withCard,
    kills: () => kills,
    verdict(sent, setAside = new Set()) {
      const ofSent = counts.subarray(0, sent);
      return {
        lost: ofSent.filter((count, place) => count === 0 && !setAside.has(orderIdOf(place))).length,
        doubled: ofSent.filter((count) => count > 1).length,
      };
    },
  };
}
