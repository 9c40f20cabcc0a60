import { describe, expect, it } from 'vitest';
import { requestOf } from '../../../lib/pawl/http/event.ts';
import { type HeaderKeyOptions, headerKey } from '../../../lib/pawl/http/index.ts';
import { apiGatewayV2, services } from '../../support/http-events.ts';

function read(value: string, options?: HeaderKeyOptions): unknown {
  return headerKey(options)(requestOf(apiGatewayV2({ headers: { 'idempotency-key': value } })));
}

describe('the key in a header', () => {
  it.each([
    ['"8e03978e-40d5-43dd-bc93-6894a57f9324"', '8e03978e-40d5-43dd-bc93-6894a57f9324'],
    ['  "a b"  ', 'a b'],
    [String.raw`"say \"no\" \\ yes"`, String.raw`say "no" \ yes`],
    ['"k";v=1', 'k'],
    ['"k"; v="a;b"; w;x=?1;y=tok/en;z=:aGk=:;at=@1700000000;d=-1.5', 'k'],
  ])('is a string of a structured field: %s', (value, key) => {
    expect(read(value)).toBe(key);
  });

  it.each([
    '8e03978e-40d5-43dd-bc93-6894a57f9324',
    'token',
    '"open',
    '""',
    '',
    '"a", "b"',
    '"a"b',
    String.raw`"\n"`,
    '"ü"',
    '"a\tb"',
    '"a";V=1',
    '"a";v=',
    '17',
    ':aGk=:',
  ])('is nothing else: %s', (value) => {
    expect(() => read(value)).toThrow(expect.objectContaining({ problem: 'invalid-key' }));
  });

  it('may be a bare token, if that is wanted, and is the same key with its quotes', () => {
    const options = { bareTokens: true };
    expect(read('8e03978e-40d5', options)).toBe('8e03978e-40d5');
    expect(read('"8e03978e-40d5"', options)).toBe('8e03978e-40d5');
    for (const value of ['a, b', 'a b', '"a', 'a;b=1', '', String.raw`a\b`]) {
      expect(() => read(value, options)).toThrow(expect.objectContaining({ problem: 'invalid-key' }));
    }
  });

  it('never repeats the value in its error', () => {
    expect(() => read('4111-1111')).toThrow(expect.not.objectContaining({ message: expect.stringContaining('4111') }));
  });

  it.each(Object.entries(services))('is found whatever the case of its name: %s', (_, eventOf) => {
    for (const name of ['idempotency-key', 'Idempotency-Key', 'IDEMPOTENCY-KEY']) {
      expect(headerKey()(requestOf(eventOf({ headers: { [name]: '"k"' } })))).toBe('k');
    }
    expect(headerKey()(requestOf(eventOf({})))).toBeUndefined();
    expect(headerKey({ name: 'X-Request-Id' })(requestOf(eventOf({ headers: { 'x-request-id': '"k"' } })))).toBe('k');
  });

  it('is malformed when the header was sent twice, though `headers` has only one of them', () => {
    const event = { httpMethod: 'POST', headers: { 'Idempotency-Key': '"b"' } };
    const multiValueHeaders = { 'Idempotency-Key': ['"a"', '"b"'] };
    expect(() => headerKey()(requestOf({ ...event, multiValueHeaders }))).toThrow();
    expect(headerKey()(requestOf({ ...event, multiValueHeaders: null }))).toBe('b');
  });

  it('is read in linear time, whatever is sent', () => {
    for (const value of [`"a"${'; '.repeat(50_000)}`, `"${'\\"'.repeat(50_000)}`, `"a"${';a=1'.repeat(20_000)}!`]) {
      expect(() => read(value, { bareTokens: true })).toThrow();
    }
  });
});
