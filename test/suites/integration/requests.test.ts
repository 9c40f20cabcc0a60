import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { contenders, type Name } from '../../../bench/cost/contender.ts';
import { countCalls, countRequests } from '../../../bench/cost/counting.ts';
import { createEffect, delivery, expectedOf, type Scenario } from '../../../bench/cost/scenarios.ts';
import type { Aws } from '../../../lib/pawl/aws/aws.ts';
import { nodeHost } from '../../../lib/pawl/host.ts';
import type { Lean } from '../../../lib/pawl/stores/dynamodb/lean.ts';
import { localLean } from '../../support/lean.ts';
import { claimsTable, localClient } from '../../support/tables.ts';

/*
 * What a batch asks of DynamoDB, counted on the client below the SDK's own retry. The contenders and their messages are those
 * of `npm run bench`, so that its request counts are held here.
 */

let client: DynamoDBClient;
let counted: () => { readonly requests: number };
let own: Lean;
let lean: Aws;
let tableName: string;
beforeAll(async () => {
  // pawl waits a quarter of a second for a request before it sends another one beside it, and decides upon a look for a second. No time passes here, however
  // long the machine takes.
  const time = Date.now();
  vi.spyOn(nodeHost, 'now').mockReturnValue(time);
  const { after } = nodeHost;
  vi.spyOn(nodeHost, 'after').mockImplementation((ms, callback) => (ms === 0 ? after(0, callback) : () => undefined));
  client = localClient(inject('dynamoEndpoint'));
  tableName = await claimsTable(client);
  const ofClient = countRequests(client);
  own = localLean(inject('dynamoEndpoint'));
  const ofLean = countCalls(own);
  ({ lean } = ofLean);
  let before = 0;
  counted = () => {
    const all = ofLean.counted().requests;
    const requests = all - before + ofClient().requests;
    before = all;
    return { requests };
  };
});
afterAll(() => {
  vi.restoreAllMocks();
  client.destroy();
  own.destroy();
});

/** Invokes a contender with batches of one size, one after the other, and answers the requests of the last. */
async function requestsOf(name: Name, size: number, ...scenarios: readonly Scenario[]): Promise<number> {
  const { effect, taken } = createEffect();
  const prepare = (await contenders[name]())({ client, lean, tableName, effect });
  let requests = 0;
  for (const scenario of scenarios) {
    const one = delivery(scenario, size, { series: `${name}-${size}-${scenarios}`, from: 0 });
    const invoke = prepare(one);
    counted();
    const response = (await invoke()) as { readonly batchItemFailures?: readonly unknown[] } | undefined;
    ({ requests } = counted());
    // Few requests are no merit where the work was not done.
    const { effects, failures } = expectedOf(one);
    expect(taken()).toBe(effects);
    expect(response?.batchItemFailures ?? []).toHaveLength(failures);
  }
  return requests;
}

describe.each([
  ['eachMessage', 'pawl'] as const,
  ['eachMessage without the SDK', 'pawlLean'] as const,
  ['sqsOnce under Middy', 'sqsOnce'] as const,
])('%s', (_, name) => {
  it('asks for one message twice: its claim, and its completion', async () => {
    expect(await requestsOf(name, 1, 'first')).toBe(2);
  });

  it('asks for a batch of 10 twice: all claims, and all completions', async () => {
    expect(await requestsOf(name, 10, 'first')).toBe(2);
  });

  it('asks for a batch of 10 twice when some of it fails: releases go with the completions', async () => {
    expect(await requestsOf(name, 10, 'failing')).toBe(2);
  });

  it('asks once for 10 messages that are delivered again and done: a read, and no write that fails', async () => {
    expect(await requestsOf(name, 10, 'first', 'redelivered')).toBe(1);
  });

  it('asks twice for 10 duplicates that were never received before: a claim, and a look at whom they lost to', async () => {
    expect(await requestsOf(name, 10, 'first', 'duplicate')).toBe(2);
  });

  it('asks for a batch of 100 eight times: 25 statements a request', async () => {
    expect(await requestsOf(name, 100, 'first')).toBe(8);
  });

  it('asks once for 100 messages that are delivered again and done', async () => {
    expect(await requestsOf(name, 100, 'first', 'redelivered')).toBe(1);
  });
});

it.each([
  ['eachMessage', 'pawl'],
  ['eachMessage without the SDK', 'pawlLean'],
  ['sqsOnce under Middy', 'sqsOnce'],
] as const)(
  '%s asks three times for 100 duplicates that were never received before: 25 claims, whom they lost to, and a look at all others',
  async (_, name) => {
    expect(await requestsOf(name, 100, 'first', 'duplicate')).toBe(3);
  },
);

describe('what pawl is compared with', () => {
  it('is a floor that asks no more often than has to be', async () => {
    expect(await requestsOf('floor', 10, 'first')).toBe(2);
    expect(await requestsOf('floor', 100, 'first', 'redelivered')).toBe(1);
    expect(await requestsOf('floor', 100, 'failing')).toBe(8);
  });

  it('is a Powertools that asks for every message by itself', async () => {
    expect(await requestsOf('powertools', 10, 'first')).toBe(20);
    expect(await requestsOf('powertools', 10, 'first', 'duplicate')).toBe(10);
    expect(await requestsOf('powertools', 10, 'failing')).toBe(20);
  });

  it('is a Middy that asks for nothing, and protects nobody', async () => {
    expect(await requestsOf('middy', 10, 'first')).toBe(0);
    await expect(requestsOf('middy', 10, 'first', 'redelivered')).rejects.toThrow(/expected 10 to be/);
  });
});
