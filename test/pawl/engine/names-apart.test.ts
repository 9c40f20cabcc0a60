import type { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import { onceOverHttp } from '../../../lib/pawl/http/index.ts';
import { memoryStore, OptionError, once, step } from '../../../lib/pawl/index.ts';
import { memoryLockStore, resourceLocks } from '../../../lib/pawl/locks/index.ts';
import { bodyField, eachMessage, sendOnce } from '../../../lib/pawl/sqs/index.ts';
import { sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { charges } from '../statements/charges.ts';

const silent = { onEvent: () => undefined };

/** A producer of an operation, and the bodies that its queue was sent. */
function producer(operation: string, store = memoryStore()) {
  const sent: unknown[] = [];
  const sqsClient = {
    async send({ input }: SendMessageCommand) {
      return { MessageId: `m-${sent.push(input.MessageBody)}` };
    },
  } as unknown as SQSClient;
  const queueUrl = 'https://sqs.us-east-1.amazonaws.com/000000000000/mails';
  return { store, sent, send: sendOnce({ operation, store, queueUrl, aws: sdk({ sqs: sqsClient }), ...silent }) };
}

describe('the claims of a producer', () => {
  it.each(['send:email', 'send-intent:email'])(
    'are no consumer’s: its operation is not %s, at any door',
    (operation) => {
      const shared = { operation, store: memoryStore(), onAbandoned: 'park', ...silent } as const;
      const refused = expect.objectContaining({ message: expect.stringContaining('the claims of sendOnce') });
      expect(() => once({ ...shared, key: (id: string) => id }, () => 'sent')).toThrow(refused);
      expect(() => eachMessage({ ...shared, key: bodyField('id') }, () => undefined)).toThrow(refused);
      expect(() => onceOverHttp({ ...shared, caller: 'anyone' }, () => ({ statusCode: 200 }))).toThrow(refused);
      expect(() => once({ ...shared, operation: 'send', key: (id: string) => id }, () => 'sent')).not.toThrow();
      expect(() => producer(operation)).toThrow(OptionError);
    },
  );

  it('are of one message each: a key is not the intent of the same text', async () => {
    const { send, sent } = producer('email');
    await send({ key: 'order-17', body: 'welcome' });
    expect(await send({ key: 'k-1', intent: 'order-17', body: 'goodbye' })).toMatchObject({
      outcome: 'sent',
      key: 'k-1',
    });
    expect(sent).toEqual(['"welcome"', '"goodbye"']);
  });
});

describe('a provider that honours effect keys', () => {
  it('applies each effect of claims and steps, whatever their keys and names are', async () => {
    const applied = new Map<string, string>();
    const apply = (effectKey: string, what: string) => void (applied.has(effectKey) || applied.set(effectKey, what));
    const options = { operation: 'pay', store: memoryStore(), onAbandoned: 'park', ...silent } as const;
    const plain = once({ ...options, key: (key: string) => key }, (key, claim) => apply(claim.effectKey, key));
    const stepping = once({ ...options, key: ([key]: [string, string]) => key }, ([key, name], claim) =>
      step(claim, name, ({ effectKey }) => apply(effectKey, `${key} ${name}`), { onAbandoned: 'retry' }),
    );
    const steps: [string, string][] = [
      ['payment/1', 'refund'],
      ['payment', '1/refund'],
      ['a#b', 'c'],
      ['a', 'b#c'],
      ['k', 'x'.repeat(64)],
      ['k'.repeat(250), 'x'],
      ['j'.repeat(250), 'x'],
    ];
    const keys = ['payment/1/refund', 'payment/1#refund', 'a#b#c', `k#${'x'.repeat(64)}`, `${'k'.repeat(250)}#x`];
    for (const one of steps) await stepping(one);
    for (const key of keys) await plain(key);
    expect([...applied.values()]).toEqual([...steps.map((one) => one.join(' ')), ...keys]);
    for (const effectKey of applied.keys()) expect(effectKey).toMatch(/^[!-~]{1,255}$/);
  });
});

describe('a statement', () => {
  it('has a finding for each line without its claim, whatever its key and its id are', async () => {
    const { line, reconciled } = charges();
    line('a', { effectKey: undefined, key: 'a', id: 'b#c' });
    line('a#b', { effectKey: undefined, key: 'a#b', id: 'c' });
    const { found, findings } = await reconciled();
    expect(found).toHaveLength(2);
    expect(new Set(findings.map(({ line: one }) => one?.key))).toEqual(new Set(['a', 'a#b']));
  });
});

describe('resources', () => {
  it('are told apart by their parts', async () => {
    const locks = resourceLocks({ store: memoryLockStore() });
    const resources = [['a', 'b#c'], ['a#b', 'c'], ['a~1b', 'c'], ['a', 'b~1c'], 'a', 'a#b#c', 'a~0b'] as const;
    const held = await Promise.all(
      resources.map((resource, index) => locks.tryLockAll([resource], { holder: `h-${index}` })),
    );
    expect(held.map(({ outcome }) => outcome)).toEqual(resources.map(() => 'locked'));
  });
});
