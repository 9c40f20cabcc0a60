import middy from '@middy/core';
import type { Context, SQSEvent } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import { bodyField as httpField } from '../../../lib/pawl/http/index.ts';
import { type Claim, type ClaimEvent, canonicalValue, LeaseError, memoryStore, once } from '../../../lib/pawl/index.ts';
import { sqsOnce } from '../../../lib/pawl/middy/index.ts';
import { bodyField, eachMessage } from '../../../lib/pawl/sqs/index.ts';
import { doors as apis } from '../../support/http-doors.ts';
import { apiGatewayV2 } from '../../support/http-events.ts';
import { context, noQueue, sqsEvent, sqsRecord } from '../../support/lambda.ts';
import { virtualHost } from '../../support/virtual-host.ts';
import { warnedBy } from '../mistakes/mistake.ts';

/** A call of `once` that did not begin says that nothing ran only where it comes again by itself: what is refused is refused for ever. */

interface Order {
  readonly id: string;
}
const order: Order = { id: 'order-17' };

function worldOf() {
  const host = virtualHost();
  const store = memoryStore();
  const common = { store, host, onEvent: (_: ClaimEvent): void => undefined };
  let ran = 0;
  const inner = once(
    {
      ...common,
      operation: 'inner',
      key: (input: { readonly id: unknown; readonly amount?: number }) => input.id as string,
      fingerprint: canonicalValue,
      timeoutMs: 10_000,
      onAbandoned: 'park',
    },
    () => ++ran,
  );
  return { host, store, common, inner, ran: () => ran };
}
type World = ReturnType<typeof worldOf>;
type Inner = World['inner'];
type Handle = (world: World, claim?: Claim) => unknown;
type Door = (world: World, handle: Handle, onAbandoned: 'park' | 'retry') => Promise<unknown>;

const calls: Readonly<Record<string, (inner: Inner) => Promise<unknown>>> = {
  'no key': (inner) => inner({ id: '' }),
  'no key, asked for its outcome': (inner) => inner.outcome({ id: '' }),
  'an object as the key': (inner) => inner({ id: {} }),
  'no fingerprint': (inner) => inner({ id: 'a', amount: Number.NaN }),
  'the context as options': (inner) => inner({ id: 'a' }, context(1000) as never),
  'several records': (inner) =>
    inner({ id: 'a', Records: [{ eventSource: 'aws:sqs' }, { eventSource: 'aws:sqs' }] } as never),
};
const tooLate = (inner: Inner) => inner.outcome({ id: 'a' }, { remainingMs: () => 5000 });

const queue =
  (handle: (world: World, claim: Claim, run: Handle) => unknown): Door =>
  async (world, run, onAbandoned) => {
    const given = {
      ...world.common,
      operation: 'outer',
      key: bodyField('id'),
      onAbandoned,
      aws: noQueue,
    };
    const handler = eachMessage<Order>(given, (_, claim) => handle(world, claim, run));
    return handler(sqsEvent(sqsRecord(order, { messageId: 'm' })), context(30_000, world.host.now));
  };

const api =
  (name: string): Door =>
  async (world, run, onAbandoned) => {
    const given = { ...world.common, operation: 'outer', caller: 'anyone', key: httpField('id'), onAbandoned } as const;
    return apis[name]?.(given, async () => run(world))(apiGatewayV2({ body: JSON.stringify(order) }));
  };

const doors: Readonly<Record<string, Door>> = {
  eachMessage: queue((world, _, run) => run(world)),
  'claim.effect': queue((world, claim, run) => claim.effect(async () => run(world))),
  async once(world, run, onAbandoned) {
    const outer = once({ ...world.common, operation: 'outer', key: ({ id }: Order) => id, onAbandoned }, () =>
      run(world),
    );
    return outer(order, { remainingMs: () => 30_000 });
  },
  async sqsOnce(world, run, onAbandoned) {
    const given = {
      ...world.common,
      operation: 'outer',
      key: bodyField('id'),
      onAbandoned,
      aws: noQueue,
    };
    const batch = async ({ Records }: SQSEvent) => Promise.allSettled(Records.map(async () => run(world)));
    const handler = middy(batch, { timeoutEarlyInMillis: 0 }).use(sqsOnce<Order>(given));
    const event = sqsEvent(sqsRecord(order, { messageId: 'm' })) as SQSEvent;
    return handler(event, context(30_000, world.host.now) as Context);
  },
  onceOverHttp: api('onceOverHttp'),
  httpOnce: api('httpOnce'),
};

async function recordAfter(door: Door, handle: Handle, onAbandoned: 'park' | 'retry' = 'park') {
  const world = worldOf();
  await warnedBy(() => door(world, handle, onAbandoned).catch(() => undefined));
  const record = world.store.records().find(({ id }) => id.startsWith('outer#'));
  return { status: record?.status, isInDoubt: record?.unknownAt !== undefined, ran: world.ran() };
}

const cells = Object.entries(doors).flatMap(([door, run]) =>
  Object.entries(calls).flatMap(([call, make]) =>
    (['park', 'retry'] as const).map((onAbandoned) => ({ door, call, onAbandoned, run, make })),
  ),
);

describe('a call that is refused', () => {
  test.each(cells)(
    'leaves the claim around it to its policy, for another effect may stand beside it: $call, in $door under $onAbandoned',
    async (cell) => {
      const besideIt: Handle = ({ inner }) => Promise.all([Promise.resolve('charged'), cell.make(inner)]);
      const afterIt: Handle = async ({ inner }) => {
        await Promise.resolve('charged');
        return cell.make(inner);
      };
      for (const handle of [besideIt, afterIt]) {
        const ended = await recordAfter(cell.run, handle, cell.onAbandoned);
        expect(ended).toEqual({ status: cell.onAbandoned === 'park' ? 'parked' : 'released', isInDoubt: true, ran: 0 });
      }
    },
  );

  test('says nothing of what its handler throws in its place', async () => {
    const wrapped: Handle = ({ inner }) =>
      inner({ id: '' }).catch((cause) => Promise.reject(new Error('mail', { cause })));
    expect(await recordAfter(doors.eachMessage as Door, wrapped)).toMatchObject({ status: 'parked' });
  });
});

describe('a call that had too little time', () => {
  test.each(Object.entries(doors))('releases the claim around it, also as an outcome, in %s', async (_, run) => {
    for (const onAbandoned of ['park', 'retry'] as const) {
      const ended = await recordAfter(
        run,
        async ({ inner }) => {
          await Promise.resolve();
          return tooLate(inner);
        },
        onAbandoned,
      );
      expect(ended).toEqual({ status: 'released', isInDoubt: false, ran: 0 });
    }
  });

  test('throws a LeaseError where its outcome is asked for', async () => {
    await expect(tooLate(worldOf().inner)).rejects.toThrow(LeaseError);
  });
});
