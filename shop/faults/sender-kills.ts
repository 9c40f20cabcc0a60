import type { TapCall, TapHooks } from '../../lib/rehearsal/engine/servers/tap.ts';
import {
  keyOfMessage,
  messageKey,
  type PlannedChain,
  type PlannedSending,
  type SendingPoint,
} from '../plan/chain-plan.ts';
import { dynamoReads, type StoreReads } from './store-reads.ts';

/** Kills those who send what lies in the outbox, and counts the relays among them. */
export interface SenderKills {
  /** At the table of the outbox. */
  readonly store: TapHooks;
  /** At the services that messages go to. */
  readonly destinations: TapHooks;
  readonly stats: { readonly relaysKilled: number };
  /** The messages whose sender has not been killed yet, by their keys. */
  readonly left: ReadonlyMap<string, PlannedSending>;
}

/** Each sender is killed once, at its point. A message whose relay is to die does not get through while its worker sends it. */
export function createSenderKills(
  chain: readonly PlannedChain[],
  { messagesPut, lanesRead, lanesRemoved }: StoreReads = dynamoReads,
): SenderKills {
  const planned = new Map<string, PlannedSending>();
  for (const { paymentId, sending } of chain) {
    // The death right after the commit is that of a claim.
    if (sending !== undefined && sending.point !== 'committed')
      planned.set(messageKey(sending.effect, paymentId), sending);
  }
  /** The key of the message in each lane. */
  const keys = new Map<string, string>();
  /** The sandboxes that have committed messages. All others that send are relays. */
  const workers = new Set<string | undefined>();
  const stats = { relaysKilled: 0 };

  const isFor = ({ sandbox }: TapCall, { by }: PlannedSending) => workers.has(sandbox) === (by === 'worker');

  function kills(call: TapCall, key: string | undefined, point: SendingPoint): boolean {
    const sending = key === undefined ? undefined : planned.get(key);
    if (key === undefined || sending?.point !== point || !isFor(call, sending)) return false;
    if (sending.by === 'relay') stats.relaysKilled += 1;
    return planned.delete(key);
  }

  const killsAny = (call: TapCall, lanes: readonly string[], point: SendingPoint) =>
    lanes.some((lane) => kills(call, keys.get(lane), point));

  return {
    stats,
    left: planned,
    store: {
      onRequest(call) {
        for (const [lane, key] of messagesPut(call)) {
          keys.set(lane, key);
          workers.add(call.sandbox);
        }
        if (killsAny(call, lanesRead(call), 'unread')) return 'kill';
        return killsAny(call, lanesRemoved(call), 'kept') ? 'kill' : 'pass';
      },
      onResponse: (call) => (killsAny(call, lanesRemoved(call), 'removed') ? 'kill' : 'pass'),
    },
    destinations: {
      onRequest(call) {
        const key = keyIn(call);
        if (kills(call, key, 'unsent')) return 'kill';
        const sending = key === undefined ? undefined : planned.get(key);
        return sending?.by === 'relay' && !isFor(call, sending) ? 'drop' : 'pass';
      },
      onResponse: (call) => (kills(call, keyIn(call), 'sent') ? 'kill' : 'pass'),
    },
  };
}

function keyIn({ operation, body }: TapCall): string | undefined {
  return operation === 'SendMessage' || operation === 'PutEvents' ? keyOfMessage.exec(body)?.[0] : undefined;
}
