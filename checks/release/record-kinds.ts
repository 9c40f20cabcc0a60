import { type ClaimStore, once, RejectedError, RetryableError, step } from '../../lib/pawl/index.ts';
import { resolverOf } from '../../test/support/resolver-of.ts';
import { type VirtualHost, virtualHost } from '../../test/support/virtual-host.ts';

/*
 * One claim of each kind that a table can hold, and how a version of pawl comes to write it.
 *
 * Owns: the kinds. Does not own: into which store they are written.
 */

const call = { remainingMs: () => 30_000 };
const never = new Promise<never>(() => undefined);

/** A handler, or a step, in which the worker dies. */
export const dying = (underWay: () => void) => () => {
  underWay();
  return never;
};

/** Starts a handler that never ends, as in a worker that dies, and waits until it is under way. */
export async function die(start: (underWay: () => void) => unknown): Promise<void> {
  await new Promise<void>((underWay) => void start(underWay));
}

const settled = (promise: Promise<unknown>) => promise.catch(() => undefined);

/** By the name of each kind: what writes the claim `charge#<id>`. */
export function recordKinds({
  store,
  host,
}: {
  readonly store: ClaimStore;
  readonly host: VirtualHost;
}): Readonly<Record<string, (id: string) => Promise<unknown>>> {
  const common = { operation: 'charge', store, host, key: ({ id }: { readonly id: string }) => id, onEvent: () => {} };
  const parked = (own: typeof common = common) => {
    const options = { operation: 'charge', store, host: own.host };
    return resolverOf(options);
  };
  const write: Readonly<Record<string, (id: string) => Promise<unknown>>> = {
    'in-flight': (id) => die((underWay) => once({ ...common, onAbandoned: 'retry' }, dying(underWay))({ id }, call)),
    'in-flight-with-attributes': (id) =>
      die((underWay) => {
        const facts = { attributes: () => ({ amount: 700, account: 'ada' }), fingerprint: () => '{"amount":700}' };
        return once({ ...common, ...facts, onAbandoned: 'retry' }, dying(underWay))({ id }, call);
      }),
    released: (id) => {
      const busy = () => Promise.reject(new RetryableError('the provider is busy'));
      return settled(once({ ...common, onAbandoned: 'retry' }, busy)({ id }, call));
    },
    'released-in-doubt': (id) => {
      const fails = () => Promise.reject(new Error('the provider answered 500'));
      return settled(once({ ...common, onAbandoned: 'retry' }, fails)({ id }, call));
    },
    completed: (id) => once({ ...common, onAbandoned: 'retry' }, () => ({ charge: 'ch_1', amount: 700 }))({ id }, call),
    'completed-without-result': (id) =>
      once({ ...common, onAbandoned: 'retry', recordResult: false }, () => 'kept by nobody')({ id }, call),
    'completed-for-ever': (id) =>
      once({ ...common, onAbandoned: 'retry', retentionSeconds: 'forever' }, () => 'ch_1')({ id }, call),
    rejected: (id) => {
      const declines = () => Promise.reject(new RejectedError('the card was declined'));
      return settled(once({ ...common, onAbandoned: 'retry' }, declines)({ id }, call));
    },
    parked: (id) => {
      const fails = () => Promise.reject(new Error('the provider answered 500'));
      return settled(once({ ...common, onAbandoned: 'park' }, fails)({ id }, call));
    },
    'parked-and-resolved': async (id) => {
      await write['parked']?.(id);
      const note = 'not in the list of charges';
      await parked().resolve(id, 'not-applied', { by: 'maria', note });
    },
    'in-flight-with-checkpoints': (id) =>
      die((underWay) =>
        once({ ...common, onAbandoned: 'retry' }, async (_, claim) => {
          await step(claim, 'charge', () => 'ch_1', { onAbandoned: 'park' });
          await step(claim, 'book', dying(underWay), { onAbandoned: 'retry' });
        })({ id }, call),
      ),
    'in-flight-with-a-step-in-doubt': (id) =>
      die((underWay) =>
        once({ ...common, onAbandoned: 'retry' }, async (_, claim) => {
          await step(claim, 'charge', () => 'ch_1', { onAbandoned: 'park' });
          await step(claim, 'receipt', dying(underWay), { onAbandoned: 'park' });
        })({ id }, call),
      ),
    'parked-with-a-step-in-doubt': async (id) => {
      const fails = () => Promise.reject(new Error('the mail server answered 500'));
      await settled(
        once({ ...common, onAbandoned: 'retry' }, async (_, claim) => {
          await step(claim, 'charge', () => 'ch_1', { onAbandoned: 'park' });
          await step(claim, 'receipt', fails, { onAbandoned: 'park' });
        })({ id }, call),
      );
    },
    'step-in-doubt-resolved': async (id) => {
      await write['parked-with-a-step-in-doubt']?.(id);
      const note = 'it is not in the outbox';
      await parked().resolve(id, 'not-applied', { by: 'maria', note });
    },
    // Those below have hosts of their own, so that the times and ids of the others stay as they are.
    'parked-and-resolved-as-applied': async (id) => {
      const own = { ...common, host: virtualHost() };
      const fails = () => Promise.reject(new Error('the provider answered 500'));
      await settled(once({ ...own, onAbandoned: 'park' }, fails)({ id }, call));
      await parked(own).resolve(id, 'applied', { by: 'maria', note: 'it is in the list of charges' });
    },
    'parked-after-its-worker-died': async (id) => {
      const own = { ...common, host: virtualHost() };
      await die((underWay) => once({ ...own, onAbandoned: 'park' }, dying(underWay))({ id }, call));
      await own.host.advance(60_000);
      await settled(once({ ...own, onAbandoned: 'park' }, () => 'never run')({ id }, call));
    },
    'in-flight-for-the-third-time': async (id) => {
      const own = { ...common, host: virtualHost() };
      for (const afterMs of [0, 60_000, 60_000]) {
        await own.host.advance(afterMs);
        await die((underWay) => once({ ...own, onAbandoned: 'retry' }, dying(underWay))({ id }, call));
      }
    },
  };
  return write;
}
