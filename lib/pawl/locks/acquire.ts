import { type Host, sleep } from '../kernel/host.ts';
import { joined, ownParts } from '../kernel/name.ts';
import { pauseMs } from '../kernel/retry.ts';
import { begin, next, requestOf } from './acquisition.ts';
import type { Attempt, Busy, Event, Request, Wish } from './acquisition-state.ts';
import { isExclusive } from './decide.ts';
import type { LockSettings } from './options.ts';
import type { LockRecord } from './record.ts';
import { ask } from './requests.ts';

/** What became of a call: all of the resources, or none and who has some of them. */
export type Acquired =
  | { readonly kind: 'granted'; readonly attempt: Attempt; readonly own: LockRecord }
  | { readonly kind: 'busy'; readonly busy: Busy };

/** The time between two looks at a lock that another holder has. */
const betweenLooks = { firstMs: 20, mostMs: 2000 };

/**
 * Carries out the requests of `acquisition.ts`, up to the end.
 *
 * @param deadline when to give up, in epoch milliseconds
 * @throws StoreUnavailableError; what was locked by then is free when its lease ends
 */
export async function acquire(settings: LockSettings, wish: Wish, deadline: number): Promise<Acquired> {
  const { host } = settings;
  let state = begin(newToken(host), host.now());
  for (;;) {
    const request = requestOf(wish, state);
    if (request.kind === 'granted') return request;
    if (request.kind === 'refused') return { kind: 'busy', busy: request.busy };
    if (request.kind === 'wait' && host.now() >= deadline) return { kind: 'busy', busy: request.busy };
    state = next(wish, state, await carryOut(settings, request, deadline));
  }
}

async function carryOut(
  settings: LockSettings,
  request: Exclude<Request, { readonly kind: 'granted' | 'refused' }>,
  deadline: number,
): Promise<Event> {
  const { store, host } = settings;
  switch (request.kind) {
    case 'read': {
      const records = await ask(settings, () => store.read(request.ids), deadline);
      return { kind: 'read', records, now: host.now() };
    }
    case 'write': {
      const result = await ask(settings, () => store.write(request.writes), deadline);
      return { kind: 'written', result, now: host.now() };
    }
    case 'wait':
      await waitFor(settings, request.busy, deadline);
      return { kind: 'waited', lockId: newToken(host), now: host.now() };
  }
}

/**
 * Waits until none of the locks in the way is exclusive, or the time is up. Only these are looked at: a waiter costs one small
 * read at a time, whatever the number of resources, and tries to write when it has a chance.
 */
async function waitFor(settings: LockSettings, { by }: Busy, deadline: number): Promise<void> {
  const { store, host } = settings;
  const lockIds = [...new Set(by.flatMap(({ lock }) => lock?.id ?? []))];
  for (let looks = 0; host.now() < deadline; looks++) {
    // Spread out, so that those who met do not meet again.
    await sleep(host, Math.min(pauseMs(host, looks, betweenLooks), deadline - host.now()));
    const found = lockIds.length > 0 ? await ask(settings, () => store.read(lockIds), deadline) : [];
    if (!found.some((lock) => lock?.kind === 'lock' && isExclusive(lock, settings, host.now()))) return;
  }
}

function newToken(host: Host): string {
  return joined(ownParts('lock', host.randomId()));
}
