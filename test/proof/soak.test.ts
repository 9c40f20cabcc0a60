import { describe, expect, it } from 'vitest';
import { readCommandLine } from '../../proof/soak/command-line.ts';
import { orderIdOf, startIssued } from '../../proof/soak/issued.ts';
import { trendOf } from '../../proof/soak/result.ts';

describe('the soak', () => {
  it('counts cards without and with more than one, and takes no key for an excuse', async () => {
    const killed: string[] = [];
    const issued = await startIssued(3, 0, Math.random, (sandbox) => killed.push(sandbox));
    const issue = (place: number) =>
      fetch(`${issued.server.endpoint}/gift-cards`, {
        method: 'POST',
        headers: { 'idempotency-key': `issue-gift-card#${orderIdOf(place)}` },
        body: JSON.stringify({ orderId: orderIdOf(place) }),
      });
    const isIssued = async (place: number) => {
      const key = encodeURIComponent(`issue-gift-card#${orderIdOf(place)}`);
      return (await fetch(`${issued.server.endpoint}/gift-cards/by-key/${key}`)).ok;
    };
    try {
      await issue(0);
      await issue(1);
      await issue(1);
      expect(issued.verdict(3)).toEqual({ lost: 1, doubled: 1 });
      expect(issued.verdict(3, new Set([orderIdOf(2)])).lost).toBe(0);
      // A dead letter of an order that has its card is no excuse for another order.
      expect(issued.verdict(3, new Set([orderIdOf(0)])).lost).toBe(1);
      expect(issued.orders()).toBe(2);
      expect([await isIssued(0), await isIssued(2)]).toEqual([true, false]);
    } finally {
      await issued.server.stop();
    }
  });

  it('compares the last tenth with the first, and the second half of memory with the first', () => {
    const tenth = (ordersPerSecond: number, mb: number) => ({
      orders: 10,
      ordersPerSecond,
      sandboxMb: mb,
      stackMb: 2 * mb,
      stackHeapMb: mb,
      dynamoDbMb: 1,
    });
    expect(trendOf([tenth(100, 50), tenth(90, 100), tenth(80, 110), tenth(90, 105)])).toEqual({
      throughputRatio: 0.9,
      sandboxMemoryRatio: 1.1,
      stackMemoryRatio: 1.1,
      stackHeapRatio: 1.1,
    });
  });

  it('names the option that makes no sense', () => {
    expect(readCommandLine(['--messages', '1000000', '--minutes', '5'])).toMatchObject({
      messages: 1_000_000,
      minutes: 5,
    });
    expect(() => readCommandLine(['--kill', '2'])).toThrow(/--kill must be a number from 0 to 1; got 2/);
  });
});
