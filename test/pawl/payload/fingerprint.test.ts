import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nodeHost } from '../../../lib/pawl/host.ts';
import { withoutPage } from '../../../lib/pawl/kernel/error-code.ts';
import {
  canonicalJson,
  canonicalValue,
  FingerprintError,
  fingerprintOf,
} from '../../../lib/pawl/payload/fingerprint.ts';
import { firstOf } from '../../support/whole.ts';
import {
  changed,
  dice,
  docOf,
  inJavaScript,
  jsNumbersOf,
  jsonNames,
  jsonOf,
  meaningOf,
  withNoise,
} from './json-documents.ts';

const seeds = (...args: readonly string[]) => fc.tuple(...args.map(() => fc.nat({ max: 2 ** 31 - 1 })));
const levels = 3;
const runs = (whole: number) => firstOf(whole, { first: whole / 10 });

/** Far more than it takes: a busy machine is no failure. */

describe('canonicalJson', () => {
  it('is equal for every form of the same document', () => {
    fc.assert(
      fc.property(seeds('document', 'one form', 'another form'), ([document = 0, one = 0, other = 0]) => {
        const doc = docOf(dice(document), levels);
        expect(canonicalJson(jsonOf(doc, dice(other)))).toBe(canonicalJson(jsonOf(doc, dice(one))));
      }),
      { seed: 1, numRuns: runs(20_000) },
    );
  });

  it('is different whenever the meaning is', () => {
    let changes = 0;
    fc.assert(
      fc.property(
        seeds('document', 'change', 'one form', 'another form'),
        ([document = 0, change = 0, a = 0, b = 0]) => {
          const doc = docOf(dice(document), levels);
          const other = changed(doc, dice(change));
          const same = JSON.stringify(meaningOf(doc)) === JSON.stringify(meaningOf(other));
          if (!same) changes++;
          expect(canonicalJson(jsonOf(doc, dice(a))) === canonicalJson(jsonOf(other, dice(b)))).toBe(same);
        },
      ),
      { seed: 2, numRuns: runs(30_000) },
    );
    // A generator that changes nothing would prove nothing.
    expect(changes).toBeGreaterThan(runs(24_000));
  });

  it('is the same with and without the fields that are ignored', () => {
    fc.assert(
      fc.property(seeds('document', 'noise', 'one form', 'another form'), ([document = 0, noise = 0, a = 0, b = 0]) => {
        const doc = docOf(dice(document), levels);
        const noisy = withNoise(doc, dice(noise));
        // A field whose name has a point in it cannot be named in a path.
        fc.pre(!noisy.ignored.some((path) => path.includes('..')) && !jsonNames(doc).some((name) => /[.*]/.test(name)));
        expect(canonicalJson(jsonOf(noisy.doc, dice(b)), noisy.ignored)).toBe(canonicalJson(jsonOf(doc, dice(a))));
      }),
      { seed: 3, numRuns: runs(5_000), maxSkipsPerRun: 10 },
    );
  });

  it('does not depend on which way the parser went', () => {
    fc.assert(
      fc.property(seeds('document', 'form'), ([document = 0, form = 0]) => {
        const text = jsonOf(docOf(dice(document), levels), dice(form));
        // Sixteen digits, if only in a string, make the parser go the exact way.
        expect(canonicalJson(`["1234567890123456",${text}]`)).toBe(`["1234567890123456",${canonicalJson(text)}]`);
      }),
      { seed: 4, numRuns: runs(5_000) },
    );
  });

  const json = canonicalJson;
  const same = (one: string, other: string) => expect(json(one)).toBe(json(other));
  const apart = (one: string, other: string) => expect(json(one)).not.toBe(json(other));

  it('does not see the order of fields, and does see that of elements', () => {
    same('{"a":1,"b":{"c":2,"d":3}}', '{"b":{"d":3,"c":2},"a":1}');
    apart('[1,2]', '[2,1]');
  });

  it('takes escapes for the characters that they stand for, and one Unicode form for the other, in names as well', () => {
    same('"\\u00e9\\u000a\\/"', '"é\\n/"');
    same('"\\u00e9"', '"e\\u0301"');
    same('{"\\u00c5":1}', '{"A\\u030a":1}');
    same('{"\\u212b":1}', '{"\\u00c5":1}');
  });

  it('keeps lone surrogates apart, which are the same character once they are UTF-8', () => {
    apart('"\\ud800"', '"\\ud801"');
    apart('"\\ud800"', '"\\\\ud800"');
    expect(json('"\\ud83d\\ude00"')).toBe('"😀"');
    expect(json('"\\ud83d"').isWellFormed()).toBe(true);
  });

  it('does not see the order of two fields whose names are one once normalised', () => {
    same('{"\\u00e9":1,"e\\u0301":2}', '{"e\\u0301":2,"\\u00e9":1}');
    apart('{"\\u00e9":1,"e\\u0301":2}', '{"\\u00e9":1}');
  });

  it('orders fields by their names as they are written, with the quote behind them', () => {
    // The quote comes behind a space and an exclamation mark, and before all else.
    expect(canonicalJson('{"ab":1,"a":2,"a!":3,"a b":4}')).toBe('{"a b":4,"a!":3,"a":2,"ab":1}');
    expect(canonicalJson('{"ab":1,"a":2,"a#":3}')).toBe('{"a":2,"a#":3,"ab":1}');
  });

  it('does not see in which form a number is written', () => {
    for (const form of [
      '1.0',
      '1e0',
      '1E+0',
      '10e-1',
      '0.1e1',
      '1.0000000000000000000000',
      '0.0000000000000000001e19',
    ]) {
      same('1', form);
    }
    same('100', '1e2');
    for (const zero of ['-0', '0.0', '-0.0e-5', '0e999', '-0.00000000000000000000']) same('0', zero);
    same('100000000000000000000', '1e20');
    same('1e400', '0.1e401');
    same('19.99', '1.9990000000000000000000e1');
  });

  it('loses no digit of a number', () => {
    apart('12345678901234567890', '12345678901234567891');
    apart('9007199254740993', '9007199254740992');
    apart('0.1', '0.1000000000000000055');
    apart('1e400', '1e401');
    apart('1e-400', '0');
    apart('5e-324', '3e-324');
    apart('1e9007199254740993', '1e9007199254740992');
    apart('19.99', '19.989999999999998');
    apart('-1', '1');
    expect(json('[19.99,0.30000000000000004,12345678901234567891]')).toBe(
      '[19.99,0.30000000000000004,12345678901234567891e0]',
    );
  });

  it('keeps types apart', () => {
    const all = [
      '1',
      '"1"',
      'true',
      '"true"',
      'null',
      '"null"',
      '{}',
      '[]',
      '""',
      '[null]',
      '0',
      'false',
      '{"a":null}',
    ];
    expect(new Set(all.map((text) => json(text))).size).toBe(all.length);
  });

  it('lets the last of several fields with one name win, as JSON.parse does, whichever way it goes', () => {
    same('{"a":1,"b":2,"a":3}', '{"b":2,"a":3}');
    same('{"a":12345678901234567890,"a":{"b":1.50}}', '{"a":{"b":1.5}}');
    same('{"a":{"b":1.50},"a":12345678901234567890}', '{"a":12345678901234567890}');
  });

  it('takes __proto__, constructor and toJSON for names like any others, and leaves no trace of them', () => {
    const text =
      '{"__proto__":{"polluted":12345678901234567890},"constructor":{"prototype":{"polluted":1}},"toJSON":1}';
    expect(json(text)).toBe(
      '{"__proto__":{"polluted":1234567890123456789e1},"constructor":{"prototype":{"polluted":1}},"toJSON":1}',
    );
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    apart('{"__proto__":{}}', '{}');
  });

  it('drops what is ignored, by path, and nothing else', () => {
    const text = '{"traceId":1,"meta":{"sentAt":2,"traceId":3},"items":[{"id":4,"updatedAt":5},{"id":6}]}';
    expect(json(text, ['traceId', 'meta.sentAt', 'items.*.updatedAt'])).toBe(
      '{"items":[{"id":4},{"id":6}],"meta":{"traceId":3}}',
    );
    expect(json(text, ['meta', 'items.1', '*.sentAt'])).toBe('{"items":[{"id":4,"updatedAt":5}],"traceId":1}');
    expect(json('{"é":1,"a.b":2,"a":{"b":3}}', ['e\u0301', 'a.b'])).toBe('{"a":{},"a.b":2}');
    expect(json('{"a":{"b":1}}', ['*'])).toBe('{}');
    expect(json('{"a":{"b":1,"c":[2]},"d":3}', ['a.*', 'd.*', 'a.c.*'])).toBe('{"a":{},"d":3}');
    expect(json('{"a":[1,[2,3]]}', ['a.*.0'])).toBe('{"a":[1,[3]]}');
    expect(json('{"a":{"b":1}}', ['a.b.c', 'b', '', 'a.', 'toString'])).toBe('{"a":{"b":1}}');
    expect(json('7', ['*'])).toBe('7');
  });

  it('refuses what is no JSON, and what is nested too deeply, without a word of it', () => {
    for (const text of ['{"card":"4111"x}', '', '01', '[1,]', "{'a':1}", 'NaN', 'undefined']) {
      expect(refusal(() => json(text))).toBe('not JSON, or nested too deeply');
    }
    for (const core of ['1', '12345678901234567890']) {
      for (const levels of [501, 10_000, 200_000]) {
        expect(refusal(() => json('['.repeat(levels) + core + ']'.repeat(levels)))).toMatch(/nested too deeply/);
      }
      expect(json('['.repeat(500) + core + ']'.repeat(500))).toMatch(/^\[{500}\d/);
    }
  });

  it('takes a megabyte of digits for a number like any other', () => {
    const zeros = '0'.repeat(1_000_000);
    apart(`0.${zeros}1`, `0.${zeros}2`);
    same(`1${zeros}`, '1e1000000');
    apart(`1${zeros}1`, `1${zeros}2`);
  });
});

describe('canonicalJson and RFC 8785, JSON Canonicalization Scheme', () => {
  it('agrees on literals, strings, and numbers that a double holds (section 3.2.2)', () => {
    const text = String.raw`{
      "numbers": [1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`;
    expect(canonicalJson(text)).toBe(
      String.raw`{"literals":[null,true,false],"numbers":[1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    );
  });

  it('agrees on the order of names, by UTF-16 code units, where they need no escape (section 3.2.3)', () => {
    const text = String.raw`{"\u20ac":5,"1":2,"\ud83d\ude00":6,"\u0080":3,"\u00f6":4,"":1}`;
    const order = [...canonicalJson(text).matchAll(/:([\d.]+)/g)].map(([, number]) => number);
    expect(order).toEqual(['1', '2', '3', '4', '5', '6']);
  });

  it('agrees on how a double is written (appendix B)', () => {
    const texts = ['0', '5e-324', '1.7976931348623157e+308', '9007199254740992', '295147905179352830000'];
    const more = [
      '9.999999999999997e+22',
      '1e+23',
      '999999999999999900000',
      '1e+21',
      '9.999999999999997e-7',
      '0.000001',
    ];
    for (const text of [...texts, ...more, '-5e-324', '333333333.3333333', '-0.0000033333333333333333']) {
      expect(canonicalJson(text)).toBe(text);
    }
  });

  it('differs on numbers that a double does not hold: there they are rounded, here they are not', () => {
    expect(canonicalJson('333333333.33333329')).toBe('33333333333333329e-8');
  });

  it('differs on the order of names with what JSON escapes: there it is by what they mean, here as they are written', () => {
    expect(canonicalJson('{"1":1,"\\r":2}')).toBe('{"1":1,"\\r":2}');
  });

  it('differs on strings: there they stay as they are, here they are brought to NFC', () => {
    expect(canonicalJson('"\\ufb33"')).toBe('"\u05d3\u05bc"');
  });
});

describe('canonicalValue', () => {
  const value = canonicalValue;

  it('is equal to the canonical text of the same document', () => {
    fc.assert(
      fc.property(seeds('document', 'form'), ([document = 0, form = 0]) => {
        const doc = docOf(dice(document), levels);
        const text = jsonOf(doc, dice(form));
        // Otherwise a number of the document has no equal in JavaScript.
        if (jsNumbersOf(doc).every(Boolean)) expect(value(inJavaScript(doc))).toBe(canonicalJson(text));
      }),
      { seed: 5, numRuns: runs(5_000) },
    );
  });

  it('takes a BigInt for an integer like any other, whatever others have taught it', () => {
    expect(value([5n, -0n, 12345678901234567891n, 10n ** 20n])).toBe(canonicalJson('[5,0,12345678901234567891,1e20]'));
    const taught = Object.assign(BigInt.prototype, { toJSON: () => 'text' });
    try {
      expect(value({ amount: 5n })).toBe('{"amount":5}');
    } finally {
      Reflect.deleteProperty(taught, 'toJSON');
    }
  });

  it('refuses numbers that may have been rounded before, and those that are none', () => {
    expect(value([2 ** 53 - 1, -(2 ** 53 - 1), 0.1, -0])).toBe('[9007199254740991,-9007199254740991,0.1,0]');
    for (const number of [2 ** 53, -(2 ** 53), 1e21, Number.NaN, Infinity, -Infinity]) {
      expect(refusal(() => value({ order: { lines: [number] } }))).toMatch(/beyond 2\^53 .*\(at order\.lines\.0\)/);
    }
  });

  it('takes a date for its ISO text, and refuses an invalid one by whatever library', () => {
    expect(value({ at: new Date(0) })).toBe('{"at":"1970-01-01T00:00:00.000Z"}');
    expect(refusal(() => value({ at: new Date(Number.NaN) }))).toMatch(/this Date .*\(at at\)/);
    expect(refusal(() => value([{ toJSON: () => null }]))).toMatch(/\(at 0\)/);
    expect(refusal(() => value([{ toJSON: () => undefined }]))).toMatch(/\(at 0\)/);
  });

  it('uses toJSON, once, and looks at what came of it', () => {
    expect(value({ url: new URL('https://pawl.test/'), bytes: Buffer.from('a') })).toBe(
      '{"bytes":{"data":[97],"type":"Buffer"},"url":"https://pawl.test/"}',
    );
    class Money {
      readonly #cents = 1999;
      readonly currency = 'EUR';
      toJSON() {
        return { cents: this.#cents, currency: this.currency };
      }
    }
    expect(value(new Money())).toBe('{"cents":1999,"currency":"EUR"}');
    expect(refusal(() => value({ toJSON: () => ({ at: Number.NaN }) }))).toMatch(/NaN/);
    expect(refusal(() => value({ toJSON: () => 2 ** 60 }))).toMatch(/2\^53/);
  });

  it('takes undefined for absent in an object, for null in an array, and for nothing else on its own', () => {
    expect(value({ a: undefined, b: null })).toBe('{"b":null}');
    // biome-ignore lint/suspicious/noSparseArray: a hole is what it is about
    expect(value([undefined, , null])).toBe('[null,null,null]');
    expect(value(undefined)).toBe('undefined');
    expect(new Set([undefined, null, 'undefined', 'null', {}].map((one) => value(one))).size).toBe(5);
  });

  it('refuses whatever JSON would silently empty or drop', () => {
    const hidden = [new Map([['a', 1]]), new Set([1]), /a/, new Error('a'), Promise.resolve(), new WeakMap()];
    const odd = [new Uint8Array(1), new ArrayBuffer(1), Object('boxed'), () => 1, async () => 1, Symbol('a'), class {}];
    for (const one of [...hidden, ...odd]) expect(refusal(() => value({ a: [one] }))).toMatch(/\(at a\.0\)$/);
    expect(refusal(() => value(new Map()))).toBe('this Map has no canonical form (at the root)');
  });

  it('refuses cycles and what is nested too deeply, and takes what is only shared', () => {
    const cycle: Record<string, unknown> = { a: [] };
    cycle['a'] = [cycle];
    expect(refusal(() => value(cycle))).toMatch(/a cycle/);
    let deep: unknown = 1;
    for (let level = 0; level < 10_000; level++) deep = [deep];
    expect(refusal(() => value(deep))).toMatch(/nested too deeply/);
    const shared = { id: 1 };
    expect(value([shared, shared])).toBe('[{"id":1},{"id":1}]');
  });

  it('does not look at what is ignored', () => {
    const order = { id: 1, meta: { signal: () => 1, at: Number.NaN }, lines: [{ id: 2, timer: Symbol('a') }] };
    expect(value(order, ['meta', 'lines.*.timer'])).toBe('{"id":1,"lines":[{"id":2}]}');
  });

  it('takes own enumerable fields, whatever the prototype', () => {
    class Order {
      readonly id = 1;
      get total() {
        return 2;
      }
    }
    expect(value(new Order())).toBe('{"id":1}');
    expect(value(Object.assign(Object.create(null), { id: 1 }))).toBe('{"id":1}');
    expect(value(JSON.parse('{"__proto__":{"id":1}}'))).toBe('{"__proto__":{"id":1}}');
    expect(value({ id: 1, [Symbol('a')]: 2 })).toBe('{"id":1}');
  });

  it('names the path and never the value, and no more of a path than is readable', () => {
    const message = refusal(() => value({ card: { number: 2 ** 60 } }));
    expect(message).toBe('a number that is NaN, infinite or beyond 2^53 has no canonical form (at card.number)');
    expect(refusal(() => value({ ['x'.repeat(1000)]: () => 1 })).length).toBeLessThan(200);
  });
});

describe('fingerprintOf', () => {
  it('is a version and 32 hex digits of the hash', () => {
    expect(fingerprintOf('{}', nodeHost)).toBe('1:44136fa355b3678a1146ad16f7e8649e');
  });
});

function refusal(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof FingerprintError) return withoutPage(error.message);
    throw error;
  }
  throw new Error('it was not refused');
}
