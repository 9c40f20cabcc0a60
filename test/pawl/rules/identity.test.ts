import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nodeHost } from '../../../lib/pawl/host.ts';
import { identify, identityOf } from '../../../lib/pawl/rules/identity.ts';

const of = (value: unknown) => identify('send-email', value, nodeHost);

describe('identify', () => {
  it('is readable where it can be', () => {
    expect(of('order-17')).toEqual({ key: 'order-17', id: 'send-email#order-17', effectKey: 'send-email#order-17' });
  });

  it('hashes, visibly, what is too long for a partition key, and tells long keys apart', () => {
    const long = 'x'.repeat(2048);
    expect(of(long).id).toMatch(/^send-email#sha256:[0-9a-f]{64}$/);
    expect(of(long).id).not.toBe(of(`${long}y`).id);
    expect(of('x'.repeat(2037)).id).toBe(`send-email#${'x'.repeat(2037)}`);
    expect(of('x'.repeat(2038)).id).toMatch(/sha256/);
    expect(of('ü'.repeat(1019)).id).toMatch(/sha256/);
  });

  it('is known of a claim that stands in the table, whatever was no key since: it has to be settled', () => {
    const id = 'send-email#order-[object Promise]';
    expect(() => of('order-[object Promise]')).toThrow('a promise was put into a template');
    expect(identityOf(id, nodeHost)).toMatchObject({ id, key: 'order-[object Promise]' });
  });

  it('does not let a key pass itself off as the hash of another one', () => {
    const long = of('x'.repeat(3000));
    const forged = of(long.id.slice('send-email#'.length));
    expect(forged.id).not.toBe(long.id);
    expect(forged.effectKey).not.toBe(long.effectKey);
  });

  it('makes ids of 1 to 2,048 bytes and effect keys that are safe in a header, different for different keys', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 3000 }),
        fc.string({ unit: 'grapheme', minLength: 1 }),
        (a, b) => {
          const [one, other] = [of(a), of(b)];
          expect(new TextEncoder().encode(one.id).length).toBeLessThanOrEqual(2048);
          expect(one.effectKey).toMatch(/^[\x21-\x7e]{1,255}$/);
          expect(one.id === other.id).toBe(a === b);
          expect(one.effectKey === other.effectKey).toBe(a === b);
        },
      ),
      { seed: 1 },
    );
  });

  it('refuses what identifies nothing, saying what came', () => {
    expect(() => of(undefined)).toThrow(/missing/);
    expect(() => of('')).toThrow(/empty/);
    expect(() => of(Number.NaN)).toThrow(/NaN/);
    expect(() => of(2 ** 53)).toThrow(/safe integer/);
    expect(() => of(0.1)).toThrow(/0\.1/);
    expect(() => of({})).toThrow(/object/);
    expect(() => of('\ud800')).toThrow(/well-formed/);
  });
});
