/** One effect that really happened, as its provider knows it. */
interface LedgerEntry {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly effect: EffectKind;
  readonly orderId: string;
  /** The provider's own id: of the mail, or of the card. */
  readonly key: string;
  readonly sandbox: string | undefined;
}

export type EffectKind = 'email' | 'gift-card';

/** What happened, in order. It can only grow: this is the truth that everything else is compared with. */
export interface Ledger {
  readonly entries: readonly LedgerEntry[];
  append(entry: Omit<LedgerEntry, 'at'>): void;
  /** Remembers that the provider was called for this effect, whatever becomes of the call. */
  ask(effect: EffectKind, orderId: string): void;
  wasAsked(effect: EffectKind, orderId: string): boolean;
  /** How often the effect happened, by order. */
  countByOrder(effect: EffectKind): ReadonlyMap<string, number>;
  /** Remembers that the provider knew a call for this effect by its key, and did nothing again. */
  recognise(effect: EffectKind, orderId: string): void;
  /** How often it was asked for again, and recognised. */
  recognised(effect: EffectKind, orderId: string): number;
}

export function createLedger(now: () => number = Date.now): Ledger {
  const entries: LedgerEntry[] = [];
  const known: { readonly effect: EffectKind; readonly orderId: string }[] = [];
  const asked: Readonly<Record<EffectKind, Set<string>>> = { email: new Set(), 'gift-card': new Set() };
  return {
    entries,
    ask: (effect, orderId) => void asked[effect].add(orderId),
    wasAsked: (effect, orderId) => asked[effect].has(orderId),
    recognise: (effect, orderId) => void known.push({ effect, orderId }),
    recognised: (effect, orderId) => known.filter((one) => one.effect === effect && one.orderId === orderId).length,
    append: (entry) => entries.push({ at: now(), ...entry }),
    countByOrder(effect) {
      const counts = new Map<string, number>();
      for (const entry of entries) {
        if (entry.effect === effect) counts.set(entry.orderId, (counts.get(entry.orderId) ?? 0) + 1);
      }
      return counts;
    },
  };
}
