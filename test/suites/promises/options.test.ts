import { describe, expect } from 'vitest';
import { onceOverHttp } from '../../../lib/pawl/http/index.ts';
import {
  canonicalJson,
  canonicalValue,
  FingerprintError,
  failOpen,
  memoryStore,
  OptionError,
  once,
  reconcile,
  rememberCompleted,
  renewedLease,
  step,
} from '../../../lib/pawl/index.ts';
import { memoryLockStore, resourceLocks } from '../../../lib/pawl/locks/index.ts';
import { sqsOnce } from '../../../lib/pawl/middy/index.ts';
import { hashedKeys } from '../../../lib/pawl/observe/index.ts';
import { deadLetterQueue, eachMessage, entityKey, sendOnce } from '../../../lib/pawl/sqs/index.ts';
import { dynamoStore, individualDynamoStore } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { transactionalStore } from '../../../lib/pawl/transactions/index.ts';
import { mapStore, mischievous, promise, surroundings, thrownBy } from './kit.ts';

// biome-ignore lint/suspicious/noExplicitAny: misuse that the types forbid
type Any = any;

const valid: Any = { operation: 'pay', store: memoryStore(), key: () => 'k', onAbandoned: 'retry' };
const doors: Record<string, (own: Any) => unknown> = {
  once: (own) => once({ ...valid, ...own }, () => 1),
  eachMessage: (own) => eachMessage({ ...valid, ...own }, () => 1),
  sqsOnce: (own) => sqsOnce({ ...valid, ...own }),
  onceOverHttp: (own) => onceOverHttp({ ...valid, caller: 'anyone', ...own }, () => ({ statusCode: 200 })),
};

describe('options', () => {
  const misuses: readonly (readonly [string, unknown])[] = [
    ['operation', undefined],
    ['operation', ''],
    ['operation', 7],
    ['store', undefined],
    ['store', {}],
    ['store', 'claims'],
    ['onAbandoned', undefined],
    ['onAbandoned', 'ignore'],
    ['onAbandoned', null],
    ['onAbandoned', { ask: () => {}, settleMs: 1 }],
    ['skewMs', -1],
    ['skewMs', '1000'],
    ['skewMs', Number.NaN],
    ['skewMs', 1.5],
    ['marginMs', -1],
    ['marginMs', '10'],
    ['retentionSeconds', '30 days'],
    ['retentionSeconds', -1],
    ['retentionSeconds', Number.NaN],
    ['maxAttempts', -1],
    ['maxAttempts', '20'],
    ['maxAbandoned', Number.NaN],
    ['retryWindowSeconds', -1],
    ['retryWindowSeconds', 'long'],
    ['maxResultBytes', 300_001],
    ['maxResultBytes', -1],
    ['maxResultBytes', '16 KB'],
    ['onEvent', 'log'],
    ['classify', 'retryable'],
    ['attributes', { a: 1 }],
  ];
  for (const [door, make] of Object.entries(doors)) {
    promise(
      'OptionError',
      'An option was missing or out of range. Thrown when the consumer is set up, never while messages are handled',
      `${door}: misuse of an option is an OptionError that names it`,
      () => {
        const silent: string[] = [];
        for (const [option, value] of misuses) {
          let error: unknown;
          try {
            make({ [option]: value });
          } catch (thrown) {
            error = thrown;
          }
          if (!(error instanceof OptionError) || !error.message.includes(option))
            silent.push(`${option}: ${JSON.stringify(value)} → ${error}`);
        }
        expect(silent).toEqual([]);
      },
    );
  }

  promise(
    'settingsOf',
    'An option that is given as `undefined` has its default',
    'options that are undefined have their defaults at every door',
    () => {
      const undefinedOptions = Object.fromEntries(
        [
          'skewMs',
          'marginMs',
          'timeoutMs',
          'lease',
          'retentionSeconds',
          'maxAttempts',
          'maxAbandoned',
          'retryWindowSeconds',
          'maxResultBytes',
          'recordResult',
          'onEvent',
          'classify',
          'attributes',
          'marksEffect',
          'fingerprint',
        ].map((name) => [name, undefined]),
      );
      for (const [door, make] of Object.entries(doors)) expect(() => make(undefinedOptions), door).not.toThrow();
    },
  );

  const others: readonly (readonly [string, string, () => unknown])[] = [
    ['concurrency', 'concurrency 0', () => doors['eachMessage']?.({ concurrency: 0 })],
    ['concurrency', 'concurrency NaN', () => doors['eachMessage']?.({ concurrency: Number.NaN })],
    ['onInFlight', 'onInFlight misspelt', () => doors['eachMessage']?.({ onInFlight: 'drop' })],
    ['key', 'a key that is no function', () => doors['eachMessage']?.({ key: 'orderId' })],
    ['key', 'no key', () => doors['once']?.({ key: undefined })],
    ['fingerprint', 'a fingerprint that is true', () => doors['once']?.({ fingerprint: true })],
    ['caller', 'no caller', () => doors['onceOverHttp']?.({ caller: undefined })],
    [
      'timeoutMs',
      'a time-out that does not fit the lease',
      () => doors['once']?.({ lease: renewedLease(5_000), timeoutMs: 10_000 }),
    ],
    ['leaseMs', 'a lease that is no whole number', () => renewedLease(1.5)],
    ['settleMs', 'reconcile without settleMs', () => reconcile({ ask: () => ({ verdict: 'applied' }) } as Any)],
    ['ask', 'reconcile without ask', () => reconcile({ settleMs: 1 } as Any)],
    ['keys', 'rememberCompleted of no keys', () => rememberCompleted(memoryStore(), { keys: 0 })],
    [
      'deadLetterQueue',
      'a dead-letter queue whose URL is no text',
      () => deadLetterQueue(new URL('https://sqs') as Any),
    ],
    ['tableName', 'dynamoStore with a table that is no text', () => dynamoStore({ tableName: {} as Any })],
    [
      'tableName',
      'individualDynamoStore with a table that is no text',
      () => individualDynamoStore({ tableName: 1 as Any }),
    ],
    [
      'tableName',
      'transactionalStore with a table that is no text',
      () => transactionalStore(dynamoStore({ tableName: true as Any })),
    ],
    [
      'queueUrl',
      'sendOnce whose queue is no text',
      () => sendOnce({ operation: 'x', store: memoryStore(), queueUrl: 17 as Any }),
    ],
    ['leaseMs', 'locks with a lease of nothing', () => resourceLocks({ store: memoryLockStore(), leaseMs: 0 })],
  ];
  for (const [option, what, misuse] of others) {
    promise(
      '@throws OptionError',
      'at once when an option is missing or out of range',
      `${what} is an OptionError that names ${option}`,
      async () => {
        const error = await thrownBy(misuse);
        expect(error).toBeInstanceOf(OptionError);
        expect(String((error as Error).message).toLowerCase()).toContain(option.toLowerCase());
      },
    );
  }

  promise(
    'failOpen',
    '@throws OptionError for a `transactionalStore`',
    'failOpen over a transactional store is refused',
    async () => {
      expect(
        await thrownBy(() => failOpen(transactionalStore(dynamoStore({ tableName: 't' })) as Any, () => {})),
      ).toBeInstanceOf(OptionError);
    },
  );

  promise(
    'step',
    'up to 64 characters of ASCII, without spaces; once in a handler',
    'a step with a bad name, a name twice, or without a policy fails, and runs nothing',
    async () => {
      for (const [name, options] of [
        ['', {}],
        ['a b', {}],
        ['ü', {}],
        ['x'.repeat(65), {}],
        ['fine', { onAbandoned: undefined }],
        ['fine', { onAbandoned: 'maybe' }],
      ] as const) {
        const all = surroundings();
        let ran = 0;
        const pay = once({ ...all.plain, onAbandoned: 'retry' }, (_, claim) =>
          step(claim, name, () => ++ran, { onAbandoned: 'park', ...options } as Any),
        ).outcome;
        expect([name, await thrownBy(() => all.time.until(pay({ id: 'p' })))]).toEqual([name, expect.any(Error)]);
        expect(ran).toBe(0);
      }
      const all = surroundings();
      let ran = 0;
      const twice = once({ ...all.plain, onAbandoned: 'retry' }, async (_, claim) => {
        await step(claim, 'same', () => ++ran, { onAbandoned: 'park' });
        await step(claim, 'same', () => ++ran, { onAbandoned: 'park' });
      }).outcome;
      expect(await thrownBy(() => all.time.until(twice({ id: 'p' })))).toBeInstanceOf(Error);
      expect(ran).toBe(1);
    },
  );
});

describe('the fingerprint', () => {
  const page = 'docs/reference/fingerprint.md';
  const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
  const same: readonly (readonly [string, string, string])[] = [
    ['order of fields | does not matter', '{"a":1,"b":{"c":2,"d":3}}', '{"b":{"d":3,"c":2},"a":1}'],
    ['white space, escapes … | do not matter', '{"é":"a/b"}', ' { "\\u00e9" : "a\\/b" } '],
    ['Unicode forms … | do not matter, in names and in texts: both become NFC', '{"é":"é"}', '{"e\u0301":"e\u0301"}'],
    ['number forms: `1`, `1.0`, `1e0` … | do not matter', '[1,100,0,0.001]', '[1.0,1e2,-0,1E-3]'],
    ['a name that occurs twice in one object | the last one wins', '{"a":2}', '{"a":1,"a":2}'],
  ];
  const different: readonly (readonly [string, string, string])[] = [
    ['order of elements | matters', '[1,2]', '[2,1]'],
    ['upper and lower case, spaces in texts | matter', '{"a":"x"}', '{"A":"x"}'],
    ['digits of a number | all matter', '12345678901234567890', '12345678901234567891'],
    ['digits of a number | all matter', '0.1', '0.1000000000000000055'],
    ['digits of a number | all matter', '1e400', '1e401'],
    ['types … | all differ', '1', '"1"'],
    ['types … | all differ', '{"a":null}', '{}'],
    ['types … | all differ', '[]', '{}'],
    ['lone surrogates | differ from each other', '"\\ud800"', '"\\ud801"'],
    ['`__proto__` … | are names like any other', '{"__proto__":{"a":1}}', '{"__proto__":{"a":2}}'],
    ['two names that are the same in NFC | both count', '{"é":1,"e\u0301":2}', '{"é":2}'],
  ];
  for (const [rule, one, other] of same)
    promise(page, rule, `${JSON.stringify(one)} and ${JSON.stringify(other)} mean the same`, () =>
      expect(canonicalJson(one)).toBe(canonicalJson(other)),
    );
  for (const [rule, one, other] of different)
    promise(page, rule, `${JSON.stringify(one)} and ${JSON.stringify(other)} mean different things`, () =>
      expect(canonicalJson(one)).not.toBe(canonicalJson(other)),
    );
  promise(
    page,
    'nesting beyond 500 levels | refused',
    '500 levels have a canonical form, and what is nested much deeper has none',
    async () => {
      canonicalJson(deep(500));
      expect(await thrownBy(() => canonicalJson(deep(502)))).toBeInstanceOf(FingerprintError);
      expect(await thrownBy(() => canonicalJson(deep(100_000)))).toBeInstanceOf(FingerprintError);
      expect(await thrownBy(() => canonicalValue(JSON.parse(deep(502))))).toBeInstanceOf(FingerprintError);
    },
  );
  const cycle: Any = { secret: 'secret-4711' };
  cycle.self = cycle;
  const refused: Record<string, Any> = {
    'an integer beyond 2^53': 2 ** 53,
    NaN: Number.NaN,
    Infinity: Number.POSITIVE_INFINITY,
    'an invalid date': new Date(Number.NaN),
    'a Map': new Map([['secret-4711', 1]]),
    'a Set': new Set(['secret-4711']),
    'a RegExp': /secret-4711/,
    'an Error': new Error('secret-4711'),
    'a Promise': Promise.resolve(),
    'a typed array': new Uint8Array(2),
    'a boxed number': Object(1),
    'a function': () => 'secret-4711',
    'a symbol': Symbol('secret-4711'),
    'a cycle': cycle,
    'toJSON that answers nothing': { toJSON: () => undefined },
  };
  for (const [what, value] of Object.entries(refused)) {
    promise(
      page,
      'A refusal is a `FingerprintError`. Its message names the problem and the path, and never quotes a value',
      `${what} has no canonical form, and is left out without a look where it is ignored`,
      async () => {
        const error = await thrownBy(() => canonicalValue({ deep: [{ bad: value }] }));
        expect(error).toBeInstanceOf(FingerprintError);
        expect((error as Error).message).not.toContain('4711');
        if (what !== 'a cycle') expect((error as Error).message).toContain('bad');
        expect(canonicalValue({ a: 1, deep: [{ bad: value }] }, ['deep.*.bad'])).toBe(
          canonicalValue({ a: 1, deep: [{}] }),
        );
      },
    );
  }
  promise(
    'docs/guides/deployments.md',
    'declare the earlier rule for as long as those messages can come again',
    'a call that was recorded by the previous rule is accepted until its time, and another intent never is',
    async () => {
      const all = surroundings();
      const until = new Date(all.time.now() + 3_600_000).toISOString();
      const call = async (fingerprint: Any, input: Any) =>
        (await all.time.until(once({ ...all.plain, fingerprint, onAbandoned: 'retry' }, () => 1).outcome(input)))
          .outcome;
      const after = { ignore: ['traceId'], previous: { ignore: [], until } };
      const first = { id: 'a', n: 1, traceId: 't' };
      expect(await call({ ignore: [] }, first)).toBe('completed');
      expect(await call(after, first)).toBe('completed');
      expect(await call(after, { ...first, n: 2 })).toBe('key-reused');
      expect(await call({ ignore: ['traceId'] }, first)).toBe('key-reused');
      expect(all.of('key-reused').map((one: Any) => one.ruleChanged)).toContain(true);
      await all.time.advance(3_700_000);
      expect(await call(after, { ...first, n: 2 })).toBe('key-reused');
      expect(await call(after, { id: 'b', n: 1, traceId: 't' })).toBe('completed');
      expect(await call(after, { id: 'b', n: 1, traceId: 'u' })).toBe('completed');
    },
  );
});

describe('wrapped stores', () => {
  promise(
    'rememberCompleted',
    'It can only ever say "done", which within its retention never goes back; whatever else there is to know is asked of the store',
    'a completed claim is answered without a request, to the end of its retention and no longer',
    async () => {
      const counted = mischievous(mapStore(), () => undefined);
      const all = surroundings({ store: rememberCompleted(counted, { keys: 2 }) });
      let runs = 0;
      const pay = once({ ...all.plain, onAbandoned: 'retry', retentionSeconds: 3600 }, () => ++runs).outcome;
      await all.time.until(pay({ id: 'a' }));
      const asked = { ...counted.asked };
      expect(await all.time.until(pay({ id: 'a' }))).toEqual({
        outcome: 'completed',
        replayed: true,
        result: 1,
        recorded: true,
      });
      expect(counted.asked).toEqual(asked);
      await all.time.advance(3_700_000);
      expect(await all.time.until(pay({ id: 'a' }))).toMatchObject({ replayed: false });
      expect(runs).toBe(2);
    },
  );

  promise(
    'failOpen',
    'A claim store that lets everything run while it cannot be reached, as if pawl were not there',
    'while the store is down everything runs and the author hears of it; once it is back, keys run once',
    async () => {
      let down = true;
      let heard = 0;
      const inner = mischievous(mapStore(), () => (down ? 'refuse' : undefined));
      const all = surroundings({ store: failOpen(inner, () => void heard++) });
      let runs = 0;
      const pay = once({ ...all.plain, onAbandoned: 'retry' }, () => ++runs).outcome;
      expect(await all.time.until(pay({ id: 'a' }))).toMatchObject({ outcome: 'completed' });
      expect(heard).toBeGreaterThan(0);
      down = false;
      await all.time.until(pay({ id: 'b' }));
      await all.time.until(pay({ id: 'b' }));
      expect(runs).toBe(2);
    },
  );

  promise(
    'hashedKeys',
    'an event’s id becomes `operation#hash:…`, the same for the same key and salt',
    'a hashed key is in no event, is the same each time, and another one with another salt',
    async () => {
      const ids: string[] = [];
      for (const salt of ['s', 's', 't']) {
        const all = surroundings();
        const pay = once(
          {
            ...all.plain,
            onEvent: hashedKeys((given) => void ids.push(JSON.stringify(given)), { salt }),
            onAbandoned: 'retry',
          },
          () => {
            throw new Error('no');
          },
        ).outcome;
        await thrownBy(() => all.time.until(pay({ id: 'maria@example.com' })));
        await all.time
          .until(
            once(
              {
                ...all.plain,
                store: mischievous(mapStore(), () => 'refuse'),
                onEvent: hashedKeys((given) => void ids.push(JSON.stringify(given)), { salt }),
                onAbandoned: 'retry',
              },
              () => 1,
            ).outcome({ id: 'maria@example.com' }),
          )
          .catch(() => {});
      }
      expect(ids.length).toBeGreaterThan(6);
      expect(ids.join()).not.toContain('maria@');
      expect(new Set(ids.map((line) => JSON.parse(line).id)).size).toBe(2);
      for (const line of ids) expect(JSON.parse(line).id).toMatch(/^pay#hash:/);
    },
  );

  promise(
    'entityKey',
    "Parts are escaped: `('a', 'b/c')` and `('a/b', 'c')` are two keys … @throws InvalidMessageError when a part is missing",
    'entity keys keep their parts apart, and refuse missing ones',
    async () => {
      const keys = [
        entityKey('a', 'b/c'),
        entityKey('a/b', 'c'),
        entityKey('a', 'b', 'c'),
        entityKey('a%2Fb', 'c'),
        entityKey('a\\/b', 'c'),
      ];
      expect(new Set(keys).size).toBe(keys.length);
      expect(entityKey('payment', 1234, 'refund')).toBe('payment/1234/refund');
      for (const part of [undefined, null, '', Number.NaN])
        expect(await thrownBy(() => entityKey('a', part as Any))).toBeInstanceOf(Error);
    },
  );
});
