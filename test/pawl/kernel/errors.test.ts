import { describe, expect, it } from 'vitest';
import { effectKind, errorKind, retryAfterOf } from '../../../lib/pawl/kernel/error-kind.ts';
import {
  InDoubtError,
  InvalidMessageError,
  LeaseError,
  OptionError,
  RejectedError,
  RetryableError,
  StoreUnavailableError,
} from '../../../lib/pawl/kernel/errors.ts';
import { recordedError } from '../../../lib/pawl/kernel/recorded-error.ts';
import { NoAnswerError } from '../../../lib/pawl/kernel/request.ts';
import { letFail, propertyOf } from '../../../lib/pawl/kernel/unknown.ts';
import { unhandledRejections } from '../../support/rejections.ts';

const unreadable = new Proxy(new Error('no'), {
  get() {
    throw new Error('cannot be looked at');
  },
});

describe('the kind of an error', () => {
  it.each([
    [new RetryableError('once more'), 'RetryableError', 'retryable', 'retryable'],
    [new RejectedError('never'), 'RejectedError', 'rejected', 'rejected'],
    [new InDoubtError('perhaps'), 'InDoubtError', 'in-doubt', 'in-doubt'],
    [new OptionError('leaseMs: expected a number'), 'OptionError', 'option', undefined],
    [new InvalidMessageError('missing-key', 'no key'), 'InvalidMessageError', 'invalid-message', undefined],
    [new StoreUnavailableError('down'), 'StoreUnavailableError', 'store-unavailable', undefined],
    [new LeaseError('too late'), 'LeaseError', 'lease', undefined],
    [new NoAnswerError('too late'), 'NoAnswerError', 'no-answer', undefined],
  ])('is carried by the error, beside its name: %s', (error, name, kind, ofEffect) => {
    expect(error).toBeInstanceOf(Error);
    expect(error.name).toBe(name);
    expect(errorKind(error)).toBe(kind);
    expect(effectKind(error)).toBe(ofEffect);
  });

  it('is told by the brand alone: another copy of pawl has other classes, and an author may use the same names', () => {
    expect(errorKind(Object.assign(new Error('once more'), { 'pawl.error': 'retryable' }))).toBe('retryable');
    expect(errorKind(Object.assign(new Error('once more'), { name: 'RetryableError' }))).toBeUndefined();
  });

  it.each([undefined, null, 'retryable', 5, {}, { 'pawl.error': 'of a later version' }, unreadable])(
    'is unknown of whatever else is thrown, also where it cannot be looked at',
    (thrown) => {
      expect(errorKind(thrown)).toBeUndefined();
      expect(effectKind(thrown)).toBeUndefined();
      expect(retryAfterOf(thrown)).toBeUndefined();
    },
  );

  it('keeps the cause', () => {
    const cause = new Error('socket hang up');
    expect(new RetryableError('once more', { cause, retryAfterMs: 5 }).cause).toBe(cause);
    expect(new InvalidMessageError('invalid-key', 'no key').problem).toBe('invalid-key');
  });
});

describe('the time that an error asks to wait', () => {
  it('is what a retryable error says, in milliseconds', () => {
    expect(retryAfterOf(new RetryableError('once more', { retryAfterMs: 60_000 }))).toBe(60_000);
    expect(retryAfterOf(new RetryableError('once more', { retryAfterMs: 0.5 }))).toBe(0.5);
    expect(retryAfterOf(new RetryableError('once more'))).toBeUndefined();
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, '5', null])(
    'is none where it is no time: %s',
    (retryAfterMs) => {
      expect(retryAfterOf({ 'pawl.error': 'retryable', retryAfterMs })).toBeUndefined();
    },
  );

  it('is none of an error of another kind', () => {
    expect(retryAfterOf({ 'pawl.error': 'rejected', retryAfterMs: 5 })).toBeUndefined();
  });

  it('is none where it cannot be looked at', () => {
    const thrown = {
      'pawl.error': 'retryable',
      get retryAfterMs(): number {
        throw new Error('cannot be looked at');
      },
    };
    expect(retryAfterOf(thrown)).toBeUndefined();
  });
});

describe('a value that may be a promise', () => {
  it('fails later without ending the process', async () => {
    const unhandled = await unhandledRejections(async () => {
      for (const value of [undefined, null, 0, 'text', Promise.resolve(), Promise.reject(new Error('late'))])
        letFail(value);
    });
    expect(unhandled).toEqual([]);
  });
});

describe('a recorded error', () => {
  it('is the name and the message of what was thrown', () => {
    expect(recordedError(new TypeError('no body'))).toEqual({ name: 'TypeError', message: 'no body' });
  });

  it('has the text of what is no error as its message', () => {
    expect(recordedError('broken')).toEqual({ name: 'Error', message: 'broken' });
    expect(recordedError(undefined)).toEqual({ name: 'Error', message: 'undefined' });
    expect(recordedError({ name: 'Odd' })).toEqual({ name: 'Odd', message: '[object Object]' });
  });

  it('is bounded: 512 characters of each', () => {
    const { name, message } = recordedError({ name: 'N'.repeat(1000), message: 'm'.repeat(1000) });
    expect([name.length, message.length]).toEqual([512, 512]);
  });

  it('describes what cannot be described', () => {
    expect(recordedError(unreadable)).toEqual({ name: 'Error', message: 'indescribable' });
  });
});

describe('a property of an unknown value', () => {
  it('is read of objects and functions, also where it is inherited', () => {
    expect(propertyOf({ code: 5 }, 'code')).toBe(5);
    expect(
      propertyOf(
        Object.assign(() => undefined, { code: 5 }),
        'code',
      ),
    ).toBe(5);
    expect(propertyOf(new TypeError('no'), 'name')).toBe('TypeError');
  });

  it.each([undefined, null, 'text', 5, true])('is `undefined` of what has none: %s', (value) => {
    expect(propertyOf(value, 'length')).toBeUndefined();
    expect(propertyOf(value, 'constructor')).toBeUndefined();
  });
});
