import { describe, expect, it } from 'vitest';
import { nodeHost } from '../../lib/host.ts';
import { hashedId, identifyingText, looksHashed, recordId } from '../../lib/kernel/key.ts';
import { unhandledRejections } from '../support/rejections.ts';

const idOf = (text: string) => recordId('send-email#', text, nodeHost);

describe('a value that identifies something', () => {
  it('is its text, or the decimal text of a safe integer', () => {
    expect(identifyingText('order-17', 'the key')).toBe('order-17');
    expect(identifyingText(17, 'the key')).toBe('17');
    expect(identifyingText(0, 'the key')).toBe('0');
    expect(identifyingText(Number.MIN_SAFE_INTEGER, 'the key')).toBe('-9007199254740991');
  });

  it.each([undefined, null, ''])('is not missing: %s is refused', (value) => {
    expect(() => identifyingText(value, 'the key')).toThrow(
      expect.objectContaining({
        problem: 'missing-key',
        message: 'the key is missing or empty. See docs/errors.md#missing-key',
      }),
    );
  });

  it.each([
    [2 ** 53, 'the owner is 9007199254740992; expected well-formed text or a safe integer'],
    [0.5, 'the owner is 0.5; expected well-formed text or a safe integer'],
    [Number.NaN, 'the owner is NaN; expected well-formed text or a safe integer'],
    [17n, 'the owner is of type bigint; expected well-formed text or a safe integer'],
    [true, 'the owner is of type boolean; expected well-formed text or a safe integer'],
    [{ id: 'secret' }, 'the owner is of type object; expected well-formed text or a safe integer'],
    ['secret \ud800', 'the owner is of type string; expected well-formed text or a safe integer'],
  ])(
    'is neither rounded, nor ill-formed, nor of another type: %s is refused, and no payload is in the message',
    (value, message) => {
      expect(() => identifyingText(value, 'the owner')).toThrow(
        expect.objectContaining({ problem: 'invalid-key', message: `${message}. See docs/errors.md#invalid-key` }),
      );
    },
  );

  it('is no promise, and one that fails later ends no process', async () => {
    const unhandled = await unhandledRejections(async () => {
      expect(() => identifyingText(Promise.reject(new Error('late')), 'the key')).toThrow('of type object');
    });
    expect(unhandled).toEqual([]);
  });
});

describe('the id of a record', () => {
  it('is readable where it can be', () => {
    expect(idOf('order-17')).toBe('send-email#order-17');
  });

  it('is at most 2,048 bytes, counted as DynamoDB counts them, and a longer one is a hash that says so', () => {
    const most = 2048 - 'send-email#'.length;
    expect(idOf('k'.repeat(most))).toBe(`send-email#${'k'.repeat(most)}`);
    expect(idOf('k'.repeat(most + 1))).toMatch(/^send-email#sha256:[0-9a-f]{64}$/);
    expect(idOf('é'.repeat(most / 2 + 1))).toMatch(/^send-email#sha256:[0-9a-f]{64}$/);
    expect(idOf('k'.repeat(most + 1))).not.toBe(idOf('k'.repeat(most + 2)));
  });

  it('is the hash of a text that looks like a hash: nobody can name the record of another text', () => {
    const long = 'k'.repeat(3000);
    const pretended = idOf(long).slice('send-email#'.length);
    expect(looksHashed(pretended)).toBe(true);
    expect(idOf(pretended)).toBe(hashedId('send-email#', pretended, nodeHost));
    expect(idOf(pretended)).not.toBe(idOf(long));
    expect(looksHashed('order sha256:1')).toBe(false);
    expect(idOf('order sha256:1')).toBe('send-email#order sha256:1');
  });

  it('hashes the text without its namespace', () => {
    expect(hashedId('a#', 'order-17', nodeHost)).toBe(`a#sha256:${nodeHost.sha256('order-17')}`);
  });
});
