import middy from '@middy/core';
import type { SQSEvent } from 'aws-lambda';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Claim, type ClaimOptions, memoryStore, once, reconcile, step } from '../../lib/pawl/index.ts';
import { sqsOnce } from '../../lib/pawl/middy/index.ts';
import { eachMessage, type Message } from '../../lib/pawl/sqs/index.ts';
import { commit, inPhases } from '../../lib/pawl/transactions/index.ts';
import { createRandom } from '../../proof/simulation/world/random.ts';
import { doors as httpDoors } from '../support/http-doors.ts';
import { apiGatewayV2 } from '../support/http-events.ts';
import { context, noQueue, sqsEvent, sqsRecord } from '../support/lambda.ts';
import { memoryTransactions } from '../support/memory-transactions.ts';
import { virtualHost } from '../support/virtual-host.ts';

/*
 * A deployment in mid-doubt. An operation begins behind one door, its worker ends in some way, and another deployment finds the claim: another door,
 * policy, key or operation. Every ordered pair, under seeds that say how each worker ends. The effects are counted in a book that pawl does not see.
 *
 * 1. An effect that is not the first one of its identity is applied under 'retry', or after the provider has said that nothing was applied. Never otherwise.
 * 2. A changed key or operation is a new identity: 1 holds for each, and nothing is said of both together.
 * 3. After the last deployment each identity that was asked for is completed or parked, and completed only if its effect was applied.
 * 4. What only workers of eachTransaction have abandoned is never in doubt.
 */

interface Body {
  readonly id: string;
}

type Policy = 'park' | 'retry' | 'reconcile';
type DoorName =
  | 'eachMessage'
  | 'marked'
  | 'steps'
  | 'commits'
  | 'inPhases'
  | 'sqsOnce'
  | 'once'
  | 'onceOverHttp'
  | 'httpOnce'
  | 'eachTransaction';

interface Deployment {
  readonly door: DoorName;
  readonly policy: Policy;
  readonly operation: string;
  readonly key: string;
}

type Identity = Pick<Deployment, 'operation' | 'key'>;

/** How a worker ends. `fails` and `dies` before its effect, or after it. */
type End = 'well' | 'dies before' | 'dies after' | 'fails before' | 'fails after';
const ends: readonly [End, ...End[]] = ['well', 'dies before', 'dies after', 'fails before', 'fails after'];
const invocationMs = 30_000;
const dies = () => new Promise<never>(() => undefined);

async function deployed(deployments: readonly Deployment[], seed: number): Promise<string[]> {
  const { eachTransaction } = await import('../../lib/pawl/transactions/index.ts');
  const { pick } = createRandom(seed);
  const host = virtualHost();
  const { store, items } = memoryTransactions(memoryStore());
  /** By identity: under which policy each effect was applied, and whether its provider had been asked. */
  const book = new Map<string, number>();
  const cleared = new Set<string>();
  const others = new Set<string>();
  const problems: string[] = [];
  let receives = 0;
  let end: End = 'well';

  function applied({ policy, operation, key }: Deployment): void {
    const id = `${operation}#${key}`;
    const times = (book.get(id) ?? 0) + 1;
    book.set(id, times);
    if (times > 1 && policy !== 'retry' && !cleared.has(id))
      problems.push(`1: ${id} was applied ${times} times under ${policy}`);
  }

  async function work(deployment: Deployment): Promise<string> {
    const how = end;
    if (how === 'dies before') await dies();
    if (how === 'fails before') throw new Error('before');
    applied(deployment);
    if (how === 'dies after') await dies();
    if (how === 'fails after') throw new Error('after');
    return 'done';
  }

  function policyOf({ policy, operation, key }: Deployment): ClaimOptions<unknown>['onAbandoned'] {
    if (policy !== 'reconcile') return policy;
    const id = `${operation}#${key}`;
    return reconcile<unknown>({
      ask: () => ({ verdict: book.has(id) || items.has(id) ? 'applied' : 'not-applied' }),
      settleMs: 0,
    });
  }

  function run(deployment: Deployment): Promise<unknown> {
    const { door, operation, key } = deployment;
    const id = `${operation}#${key}`;
    const onAbandoned = policyOf(deployment);
    const shared = { operation, store, host, onEvent: () => undefined, onAbandoned } as const;
    const queue = { ...shared, key: () => key, fingerprint: () => 'same', aws: noQueue } as const;
    const event = sqsEvent(sqsRecord({ id: key }, { messageId: key, receiveCount: ++receives + 2 }));
    const lambda = context(invocationMs, host.now);
    const one = (handle: (message: Message<Body>, claim: Claim) => unknown, more: object = {}) =>
      eachMessage<Body>({ ...queue, ...more }, handle)(event, lambda);
    const stepPolicy = deployment.policy === 'retry' ? ('retry' as const) : ('park' as const);
    const put = [{ Put: { TableName: 'ledger', Item: { id: `${id}/${receives}` } } }];
    if (door !== 'eachTransaction') others.add(id);
    switch (door) {
      case 'eachMessage':
        return one(() => work(deployment));
      case 'marked':
        return one((_, claim) => claim.effect(() => work(deployment)), { marksEffect: true });
      case 'steps':
        return one((_, claim) => step(claim, 'charge', () => work(deployment), { onAbandoned: stepPolicy }));
      case 'commits':
        return one(async (_, claim) => {
          await work(deployment);
          await commit(claim, put);
        });
      case 'inPhases':
        return one(
          inPhases<Message<Body>, string>({
            execute: () => work(deployment),
            record: () => put,
            onAbandoned: stepPolicy,
          }),
        );
      case 'sqsOnce':
        return middy(async (_: SQSEvent) => void (await work(deployment)), { timeoutEarlyInMillis: 0 }).use(
          sqsOnce<Body>(queue),
        )(event as never, lambda as never) as Promise<unknown>;
      case 'once':
        return once<string, unknown>({ ...shared, key: () => key }, () => work(deployment))(key, {
          remainingMs: () => invocationMs,
        });
      case 'onceOverHttp':
      case 'httpOnce':
        return (httpDoors[door] as (typeof httpDoors)[string])(
          { ...shared, key: () => key, fingerprint: () => 'same', caller: 'anyone' } as never,
          async () => {
            await work(deployment);
            return { statusCode: 201, body: '' };
          },
        )(apiGatewayV2({ body: '{}' }));
      case 'eachTransaction': {
        const { onAbandoned: onInheritedDoubt, ...options } = queue;
        return eachTransaction<Body>({ ...options, onInheritedDoubt }, async () => {
          if (end.startsWith('dies')) await dies();
          if (end.startsWith('fails')) throw new Error('before');
          return [{ Put: { TableName: 'ledger', Item: { id: `${id}/${receives}` } } }];
        })(event, lambda);
      }
    }
  }

  const commits = new Set<string>();
  async function deliver(deployment: Deployment, how: End): Promise<void> {
    end = how;
    const id = `${deployment.operation}#${deployment.key}`;
    // The provider is asked by the truth, so what it clears may run.
    if (deployment.policy === 'reconcile' && !book.has(id)) cleared.add(id);
    else cleared.delete(id);
    let isOver = false;
    void Promise.resolve(run(deployment)).then(
      () => {
        isOver = true;
      },
      () => {
        isOver = true;
      },
    );
    for (let waited = 0; waited < 2 * invocationMs && !(isOver && how === 'well'); waited += 5000)
      await host.advance(5000);
    const isNew = [...items.keys()].filter((item) => !commits.has(item));
    for (const item of isNew) {
      commits.add(item);
      // Of the doors that call a provider, the effect is that call.
      if (deployment.door === 'eachTransaction') applied(deployment);
    }
    await host.advance(2000);
  }

  for (const [index, deployment] of deployments.entries()) {
    const isLast = index === deployments.length - 1;
    await deliver(deployment, pick(ends));
    if (isLast) for (let i = 0; i < 6; i++) await deliver(deployment, 'well');
  }
  const last = deployments.at(-1) as Deployment;
  for (const { operation, key } of deployments) {
    const id = `${operation}#${key}`;
    const record = await store.read(id);
    const isAsked = last.operation === operation && last.key === key;
    if (isAsked && record?.status !== 'completed' && record?.status !== 'parked')
      problems.push(`3: ${id} is ${record?.status ?? 'missing'}`);
    if (record?.status === 'completed' && !book.has(id)) problems.push(`3: ${id} is completed without its effect`);
    if (!others.has(id) && (record?.unknownAt !== undefined || record?.error?.name === 'abandoned'))
      problems.push(`4: ${id} is in doubt`);
  }
  return problems;
}

const doors: readonly DoorName[] = [
  'eachMessage',
  'marked',
  'steps',
  'commits',
  'inPhases',
  'sqsOnce',
  'once',
  'onceOverHttp',
  'httpOnce',
  'eachTransaction',
];
const policies: readonly Policy[] = ['park', 'retry', 'reconcile'];
const all = doors.flatMap((door) => policies.map((policy) => ({ door, policy })));
const changes: readonly [Identity, ...Identity[]] = [
  { operation: 'pay', key: 'p-1' },
  { operation: 'pay', key: 'p-1' },
  { operation: 'pay', key: 'p-1' },
  { operation: 'pay', key: 'p-2' },
  { operation: 'charge', key: 'p-1' },
];

/** Every ordered pair of doors and policies, so many seeds each; a third deployment goes back to the first at times. */
async function searched(seeds: number): Promise<{ readonly ran: number; readonly problems: readonly string[] }> {
  const problems: string[] = [];
  let ran = 0;
  for (const [a, first] of all.entries()) {
    for (const [b, second] of all.entries()) {
      for (let i = 0; i < seeds; i++) {
        const seed = (a * all.length + b) * 1000 + i;
        const { pick, chance } = createRandom(seed + 0x77_0000_0000);
        const before: Deployment = { ...first, operation: 'pay', key: 'p-1' };
        const after: Deployment = { ...second, ...pick(changes) };
        const deployments = chance(0.3) ? [before, after, before] : [before, after];
        const found = await deployed(deployments, seed);
        ran++;
        problems.push(
          ...found.map(
            (one) => `seed ${seed}, ${deployments.map(({ door, policy }) => `${door} ${policy}`).join(' → ')}: ${one}`,
          ),
        );
      }
    }
  }
  return { ran, problems };
}

afterEach(() => {
  vi.doUnmock('../../lib/pawl/transactions/index.ts');
  vi.resetModules();
});

describe('a deployment in mid-doubt', () => {
  it('of every door and policy to every other one keeps what each identity is promised', async () => {
    const { ran, problems } = await searched(Number(process.env['PAWL_SEEDS'] ?? 1));
    expect(ran).toBeGreaterThanOrEqual(900);
    expect(problems).toEqual([]);
  });

  it('is found where eachTransaction runs what another door left in doubt', async () => {
    vi.doMock('../../lib/pawl/transactions/index.ts', async (original) => {
      const module = await original<typeof import('../../lib/pawl/transactions/index.ts')>();
      const eachTransaction: typeof module.eachTransaction = (options, writesOf) =>
        module.eachTransaction({ ...options, onInheritedDoubt: 'retry' }, writesOf);
      return { ...module, eachTransaction };
    });
    const { problems } = await searched(1);
    expect(problems.filter((one) => one.includes(': 1: ')).length).toBeGreaterThan(0);
  });
});
