import middy from '@middy/core';
import { describe, expect } from 'vitest';
import { bodyField, claimOf, headerKey, httpOnce, onceOverHttp, scopedKey } from '../../../lib/pawl/http/index.ts';
import { InvalidMessageError, once, RejectedError, RetryableError, reconcile } from '../../../lib/pawl/index.ts';
import { sqsOnce } from '../../../lib/pawl/middy/index.ts';
import { deadLetterQueue, type SqsEvent } from '../../../lib/pawl/sqs/index.ts';
import { resolverOf } from '../../support/resolver-of.ts';
import {
  context,
  event,
  failed,
  mapStore,
  mischievous,
  never,
  promise,
  record,
  surroundings,
  thrownBy,
  wait,
} from './kit.ts';

const http = 'docs/guides/http.md';
const wrap = 'docs/guides/wrap.md';
const readme = 'README.md';
const dlq = 'https://sqs.eu-west-1.amazonaws.com/123456789012/orders-dlq';

// biome-ignore lint/suspicious/noExplicitAny: events and answers of whatever form a test is about
type Any = any;

function rig(given: Parameters<typeof surroundings>[0] = {}) {
  const all = surroundings(given);
  const run = (handler: Any, sent: SqsEvent, ms = 30_000): Promise<Any> =>
    all.time.until(handler(sent, context(all.time, ms)));
  return { ...all, run };
}

describe('sqsOnce', () => {
  for (const [what, answer] of [
    [
      'PromiseSettledResult[]',
      (sent: SqsEvent) =>
        sent.Records.map(({ messageId }) =>
          messageId === 'bad' ? { status: 'rejected', reason: undefined } : { status: 'fulfilled', value: 1 },
        ),
    ],
    ['{ batchItemFailures }', () => ({ batchItemFailures: [{ itemIdentifier: 'bad' }] })],
  ] as const) {
    promise(
      wrap,
      '`PromiseSettledResult[]`, one for each record, in the order in which the handler leaves `event.Records`',
      `of a batch answered with ${what}, exactly what failed comes again, and the rest is done`,
      async () => {
        const all = rig();
        const handler = middy(answer as Any, { timeoutEarlyInMillis: 0 }).use(
          sqsOnce({ ...all.common, onAbandoned: 'retry' } as Any),
        );
        const sent = event(
          record({ id: 'a' }, { id: 'a' }),
          record({ id: 'bad' }, { id: 'bad' }),
          record({ id: 'c' }, { id: 'c' }),
        );
        expect(failed(await all.run(handler, sent))).toEqual(['bad']);
        expect(
          all.claims
            .all()
            .map(({ id, status }) => `${id} ${status}`)
            .sort(),
        ).toEqual(['pay#a completed', 'pay#bad released', 'pay#c completed']);
      },
    );
  }

  for (const [what, answer] of [
    ['itemIdentifier missing', { batchItemFailures: [{}] }],
    ['an unknown id', { batchItemFailures: [{ itemIdentifier: 'nobody' }] }],
    ['an empty id', { batchItemFailures: [{ itemIdentifier: '' }] }],
    ['null', { batchItemFailures: [{ itemIdentifier: null }] }],
  ] as const) {
    promise(
      'sqsOnce, understand',
      'An answer that Lambda would take for a failure of the whole batch is one here: every message failed, and what the handler did to it is unknown',
      `batchItemFailures with ${what}: all messages come again, in doubt`,
      async () => {
        const all = rig();
        const handler = middy(() => answer as Any, { timeoutEarlyInMillis: 0 }).use(
          sqsOnce({ ...all.common, onAbandoned: 'park' } as Any),
        );
        const sent = event(record({ id: 'a' }, { id: 'a' }), record({ id: 'b' }, { id: 'b' }));
        expect(failed(await all.run(handler, sent))).toEqual(['a', 'b']);
        expect(all.claims.all().every(({ status }) => status === 'parked')).toBe(true);
      },
    );
  }

  promise(
    wrap,
    'If the handler throws, every message that it got has failed, and is in doubt',
    'whatever a batch handler throws, all its messages come again, and none is completed',
    async () => {
      for (const thrown of [new Error('x'), undefined, null, '', 0, new RetryableError('x')]) {
        const all = rig();
        const handler = middy(
          () => {
            throw thrown;
          },
          { timeoutEarlyInMillis: 0 },
        ).use(sqsOnce({ ...all.common, onAbandoned: 'retry' } as Any));
        const sent = event(record({ id: 'a' }, { id: 'a' }), record({ id: 'b' }, { id: 'b' }));
        let named: string[] = ['a', 'b'];
        const error = await thrownBy(async () => {
          named = failed(await all.run(handler, sent));
        });
        if (error === undefined) expect(named).toEqual(['a', 'b']);
        expect(all.claims.all().map(({ status }) => status)).toEqual(['released', 'released']);
      }
    },
  );

  promise(
    wrap,
    'The handler gets only the messages that may run',
    'done, repeated, invalid and in-flight messages are not handed on, and one answer is for all of them',
    async () => {
      const all = rig();
      const seen: string[][] = [];
      const handler = middy((sent: SqsEvent) => void seen.push(sent.Records.map(({ messageId }) => messageId)), {
        timeoutEarlyInMillis: 0,
      }).use(sqsOnce({ ...all.common, onAbandoned: 'retry', deadLetters: deadLetterQueue(dlq) } as Any));
      await all.run(handler, event(record({ id: 'done' }, { id: 'm0' })));
      once({ ...all.plain, onAbandoned: 'retry' }, never)
        .outcome({ id: 'busy' }, { remainingMs: () => 40_000 })
        .catch(() => {});
      await all.time.advance(10);
      const sent = event(
        record({ id: 'done' }, { id: 'm1' }),
        record({ id: 'new' }, { id: 'm2' }),
        record({ id: 'new' }, { id: 'm3' }),
        record('no json', { id: 'm4' }),
        record({ id: 'busy' }, { id: 'm5' }),
      );
      // The claim of `once` has no fingerprint: whatever is said of it, it must not run and not be done.
      const answer = failed(await all.run(handler, sent));
      expect(seen).toEqual([['m0'], ['m2']]);
      expect(answer.filter((id) => id !== 'm5')).toEqual([]);
      if (!answer.includes('m5'))
        expect(all.sqs.sent().map(({ MessageBody }) => MessageBody)).toContain('{"id":"busy"}');
    },
  );

  promise(
    'docs/evidence/scenarios.md, 5',
    'pawl takes the key before the handler runs. It completes that key, and no other record appears',
    'a batch handler that sorts, empties or changes its event completes the right claims and answers for the right messages',
    async () => {
      for (const change of [
        (sent: Any) => sent.Records.reverse(),
        (sent: Any) => sent.Records.splice(0),
        (sent: Any) => void sent.Records.map((one: Any) => Object.assign(one, { messageId: 'x', body: '{"id":"x"}' })),
      ]) {
        const all = rig();
        const handler = middy(
          (sent: SqsEvent) => {
            const failing = sent.Records.map(({ messageId }) => ({ itemIdentifier: messageId })).filter(
              ({ itemIdentifier }) => itemIdentifier === 'b',
            );
            change(sent);
            return { batchItemFailures: failing };
          },
          { timeoutEarlyInMillis: 0 },
        ).use(sqsOnce({ ...all.common, onAbandoned: 'retry' } as Any));
        const sent = event(
          record({ id: 'a' }, { id: 'a' }),
          record({ id: 'b' }, { id: 'b' }),
          record({ id: 'c' }, { id: 'c' }),
        );
        expect(failed(await all.run(handler, sent))).toEqual(['b']);
        expect(
          all.claims
            .all()
            .map(({ id, status }) => `${id} ${status}`)
            .sort(),
        ).toEqual(['pay#a completed', 'pay#b released', 'pay#c completed']);
      }
    },
  );

  promise(
    'docs/evidence/scenarios.md, 3',
    'If `sqsOnce` is used last, as its documentation asks, the completion stays and the next delivery is acknowledged',
    'an after hook of another middleware that throws does not undo a completion',
    async () => {
      const all = rig();
      let runs = 0;
      const handler = middy(() => void runs++, { timeoutEarlyInMillis: 0 })
        .use({
          after: () => {
            throw new Error('CORS');
          },
        })
        .use(sqsOnce({ ...all.common, onAbandoned: 'retry' } as Any));
      const sent = () => event(record({ id: 'a' }, { id: 'a' }));
      await thrownBy(() => all.run(handler, sent()));
      expect(all.claims.get('pay#a')?.status).toBe('completed');
      await thrownBy(() => all.run(handler, sent()));
      expect(runs).toBe(1);
    },
  );

  promise(
    'docs/evidence/scenarios.md, 2',
    'The hook touches only what its own request has claimed. The other record stays as it was',
    'an error while another worker has the claim does not touch it',
    async () => {
      const all = rig();
      const options = { ...all.common, onAbandoned: 'retry' } as Any;
      const first = middy(never, { timeoutEarlyInMillis: 0 }).use(sqsOnce(options));
      (first as Any)(event(record({ id: 'a' })), context(all.time)).catch(() => {});
      await all.time.advance(10);
      const before = all.claims.get('pay#a');
      const second = middy(
        () => {
          throw new Error('x');
        },
        { timeoutEarlyInMillis: 0 },
      ).use(sqsOnce(options));
      await thrownBy(() => all.run(second, event(record({ id: 'a' }, { id: 'twin' }), record({ id: 'b' }))));
      expect(before?.status).toBe('in-flight');
      expect(all.claims.get('pay#a')).toEqual(before);
    },
  );

  for (const answer of [
    [{ status: 'fulfilled' }],
    [{ status: 'fulfilled' }, { status: 'odd' }],
    [{ status: 'fulfilled' }, undefined],
    [{ status: 'fulfilled' }, {}],
    [{ status: 'fulfilled' }, { status: 'fulfilled' }, { status: 'rejected' }],
    { batchItemFailures: 'b' },
    { batchItemFailures: {} },
    { batchItemFailures: ['b'] },
  ]) {
    const shape = JSON.stringify(answer);
    promise(
      'protocol, invariant 17',
      'What the author’s code does wrong (… answers in a shape that is not understood) may cost a retry or a parked claim; never … a completed claim for an effect that nobody confirmed',
      `a batch of two that is answered with ${shape} does not complete the second message`,
      async () => {
        const all = rig();
        const handler = middy(() => answer as Any, { timeoutEarlyInMillis: 0 }).use(
          sqsOnce({ ...all.common, onAbandoned: 'park' } as Any),
        );
        await all.run(handler, event(record({ id: 'a' }, { id: 'a' }), record({ id: 'b' }, { id: 'b' })));
        expect(all.claims.get('pay#b')?.status).not.toBe('completed');
      },
    );
  }
});

const v2 = (
  body: unknown,
  headers: Record<string, string> = { 'idempotency-key': '"k-1"' },
  path = '/refunds',
  query = '',
): Any => ({
  version: '2.0',
  rawPath: path,
  rawQueryString: query,
  headers: { 'content-type': 'application/json', ...headers },
  requestContext: { http: { method: 'POST', path } },
  body: typeof body === 'string' ? body : JSON.stringify(body),
  isBase64Encoded: false,
});

/** The same promises at both doors. */
const doors = {
  onceOverHttp: (options: Any, handler: Any) => onceOverHttp(options, handler),
  httpOnce: (options: Any, handler: Any) =>
    middy((sent: Any, given: Any) => handler(sent, given, claimOf(given)), { timeoutEarlyInMillis: 0 }).use(
      httpOnce(options),
    ),
};

for (const [door, made] of Object.entries(doors)) {
  describe(door, () => {
    function api(handler: Any, own: Any = {}, given: Parameters<typeof surroundings>[0] = {}) {
      const all = surroundings(given);
      const { operation, store, host, onEvent } = all.plain;
      const wrapped = made(
        { operation, store, host, onEvent, caller: 'anyone', onAbandoned: 'retry', ...own },
        (...args: Any[]) => handler(all, ...args),
      );
      const ask = async (sent: Any, ms = 20_000): Promise<Any> => {
        const end = all.time.now() + ms;
        return all.time.until(wrapped(sent, { getRemainingTimeInMillis: () => end - all.time.now() }));
      };
      return { ...all, ask, reasonOf: (answer: Any) => [answer.statusCode, JSON.parse(answer.body ?? '{}').reason] };
    }
    const pays = (all: Any, sent: Any, _: unknown, claim: Any) => {
      all.bank.apply(claim.effectKey, sent.body);
      return { statusCode: 201, headers: { 'x-refund': 'r-1' }, body: '{"refund":"r-1"}' };
    };

    promise(
      http,
      'the same again, completed | the recorded response, with `Idempotency-Replayed: true`',
      `${door}: a duplicate gets the recorded response, and the effect happens once`,
      async () => {
        const one = api(pays);
        const first = await one.ask(v2({ n: 1 }));
        expect(first).toMatchObject({ statusCode: 201, body: '{"refund":"r-1"}' });
        const second = await one.ask(v2({ n: 1 }));
        expect(second).toMatchObject({ statusCode: 201, body: '{"refund":"r-1"}', headers: { 'x-refund': 'r-1' } });
        const replayed = Object.entries(second.headers).find(([name]) => name.toLowerCase() === 'idempotency-replayed');
        expect(replayed?.[1]).toBe('true');
        expect(one.bank.count()).toBe(1);
      },
    );

    promise(
      http,
      'the same again, in flight | 409 `in-flight`, with a `Retry-After` of at most 5 s, because the first request may end at any moment',
      `${door}: a duplicate under way gets 409, with Retry-After of 5 s at most`,
      async () => {
        const one = api(async (all: Any, ...rest: Any[]) => {
          await wait(all.time, 10_000);
          return pays(all, rest[0], rest[1], rest[2]);
        });
        const first = one.ask(v2({ n: 1 }));
        const second = await (async () => {
          await Promise.resolve();
          return one.ask(v2({ n: 1 }));
        })();
        expect(one.reasonOf(second)).toEqual([409, 'in-flight']);
        const after = Number(
          Object.entries(second.headers).find(([name]) => name.toLowerCase() === 'retry-after')?.[1],
        );
        expect(after).toBeGreaterThan(0);
        expect(after).toBeLessThanOrEqual(5);
        await first;
        expect(one.bank.count()).toBe(1);
      },
    );

    promise(
      http,
      'a request with the same key and other content | 422 `key-reused`',
      `${door}: another body, path or query with the key is 422; their order, spaces and number forms are not`,
      async () => {
        const one = api(pays);
        await one.ask(v2('{"n":1,"m":[1,2]}', undefined, '/refunds', 'a=1&b=2'));
        for (const other of [
          v2('{"n":2,"m":[1,2]}', undefined, '/refunds', 'a=1&b=2'),
          v2('{"n":1,"m":[1,2]}', undefined, '/other', 'a=1&b=2'),
          v2('{"n":1,"m":[1,2]}', undefined, '/refunds', 'a=1&b=3'),
          v2('{"n":1,"m":[2,1]}', undefined, '/refunds', 'a=1&b=2'),
        ])
          expect(one.reasonOf(await one.ask(other))).toEqual([422, 'key-reused']);
        expect((await one.ask(v2('{ "m": [1, 2.0], "n": 1e0 }', undefined, '/refunds', 'b=2&a=1'))).statusCode).toBe(
          201,
        );
        expect(one.bank.count()).toBe(1);
      },
    );

    for (const [what, headers, status, reason] of [
      ['no key', {}, 400, 'missing-key'],
      ['a key without quotes', { 'idempotency-key': 'k-1' }, 400, 'invalid-key'],
      ['two keys', { 'idempotency-key': '"a", "b"' }, 400, 'invalid-key'],
      ['an empty key', { 'idempotency-key': '""' }, 400, undefined],
      ['an open quote', { 'idempotency-key': '"a' }, 400, 'invalid-key'],
    ] as const) {
      promise(
        http,
        'no key, a malformed key, or an unreadable body | 400 … pawl claims nothing',
        `${door}: ${what} is ${status}, and nothing runs or is claimed`,
        async () => {
          const one = api(pays);
          const [gotStatus, gotReason] = one.reasonOf(await one.ask(v2({ n: 1 }, headers as Any)));
          expect(gotStatus).toBe(status);
          if (reason) expect(gotReason).toBe(reason);
          expect(one.bank.count()).toBe(0);
          expect(one.claims.all()).toEqual([]);
        },
      );
    }

    promise(
      http,
      '`key: headerKey({ bareTokens: true })` accepts both forms, as the same key',
      `${door}: a key with and without quotes is one key`,
      async () => {
        const one = api(pays, { key: headerKey({ bareTokens: true }) });
        await one.ask(v2({ n: 1 }, { 'idempotency-key': 'k-1' }));
        expect((await one.ask(v2({ n: 1 }, { 'Idempotency-Key': '"k-1"' }))).statusCode).toBe(201);
        expect(one.bank.count()).toBe(1);
      },
    );

    promise(
      http,
      '`caller` returns no caller | 403 `no-caller`',
      `${door}: a request of nobody is 403, and nothing runs`,
      async () => {
        for (const nobody of [undefined, null, '']) {
          const one = api(pays, { caller: () => nobody });
          expect(one.reasonOf(await one.ask(v2({ n: 1 })))).toEqual([403, 'no-caller']);
          expect(one.bank.count()).toBe(0);
        }
      },
    );

    promise(
      http,
      'The same key from two callers is two keys, so no caller gets a response that was made for another',
      `${door}: the same key of two callers runs twice, also when their names are built to collide`,
      async () => {
        const one = api(pays, { caller: (sent: Any) => sent.headers.caller });
        const ask = (caller: string, key: string) => one.ask(v2({ n: 1 }, { caller, 'idempotency-key': `"${key}"` }));
        await ask('a', 'b/c');
        await ask('a/b', 'c');
        await ask('a', 'b');
        await ask('anyone', 'b');
        await ask('a#b', 'c');
        await ask('a', 'b#c');
        expect(one.bank.count()).toBe(6);
        expect(new Set(one.bank.applied.map(({ effectKey }) => effectKey)).size).toBe(6);
      },
    );

    promise(
      http,
      'pawl cannot reach the claims table, or too little time is left | 503 … Nothing has run',
      `${door}: without the store, and without time, the answer is 503, and nothing has run`,
      async () => {
        for (const how of ['refuse', 'hang'] as const) {
          const down = api(pays, {}, { store: mischievous(mapStore(), () => how) });
          expect(down.reasonOf(await down.ask(v2({ n: 1 })))).toEqual([503, 'unavailable']);
          expect(down.bank.count()).toBe(0);
        }
        const late = api(pays, { timeoutMs: 10_000 });
        expect(late.reasonOf(await late.ask(v2({ n: 1 }), 5_000))).toEqual([503, 'not-started']);
        expect(late.bank.count()).toBe(0);
        expect((await late.ask(v2({ n: 1 }))).statusCode).toBe(201);
      },
    );

    promise(
      http,
      '400 to 499, except 408 and 499 | released, under every policy: nothing was applied',
      `${door}: a 4xx releases under park, keeps the fingerprint, and the same request runs again without end`,
      async () => {
        let tries = 0;
        const one = api(() => ({ statusCode: ++tries < 30 ? 402 : 201 }), { onAbandoned: 'park' });
        for (let i = 1; i < 30; i++) expect((await one.ask(v2({ n: 1 }))).statusCode).toBe(402);
        expect(one.reasonOf(await one.ask(v2({ n: 2 })))).toEqual([422, 'key-reused']);
        await one.time.advance(20 * 86_400_000);
        expect((await one.ask(v2({ n: 1 }))).statusCode).toBe(201);
      },
    );

    promise(
      http,
      "any other status, such as 5xx | in doubt … 408 and 499 … in doubt, likewise … no valid status: 0, null, `''`, 1xx, 600 | in doubt, likewise",
      `${door}: 408, 499, 5xx and what is no status park under park, and are not replayed`,
      async () => {
        for (const statusCode of [408, 499, 500, 503, 0, null, '', 100, 600, Number.NaN, '4xx']) {
          const one = api(() => ({ statusCode }), { onAbandoned: 'park' });
          await thrownBy(() => one.ask(v2({ n: 1 })));
          expect([statusCode, one.claims.all()[0]?.status]).toEqual([statusCode, 'parked']);
          expect(one.reasonOf(await one.ask(v2({ n: 1 })))).toEqual([409, 'parked']);
        }
      },
    );

    promise(
      http,
      'the same again, rejected | 422 `rejected`, the same as the first time',
      `${door}: a RejectedError is 422 for the first and for each duplicate, or thrown to the first`,
      async () => {
        let runs = 0;
        const one = api(() => {
          runs++;
          throw new RejectedError('no longer sold');
        });
        const first = await thrownBy(async () =>
          expect(one.reasonOf(await one.ask(v2({ n: 1 })))).toEqual([422, 'rejected']),
        );
        if (first) expect(first).toBeInstanceOf(RejectedError);
        expect(one.reasonOf(await one.ask(v2({ n: 1 })))).toEqual([422, 'rejected']);
        expect(runs).toBe(1);
      },
    );

    promise(
      http,
      'the same again, parked | 409 `parked`, without `Retry-After`: an operator has to [resolve the claim](recover.md#a-parked-claim) … a key is `scopedKey({ caller }, key)`. Pass that to `pawl resolve`, or to `operator(…).resolve`',
      `${door}: a parked request is 409 until an operator has decided, and runs or not as they said`,
      async () => {
        const one = api(pays, { onAbandoned: 'park', caller: () => 'c-17', classify: () => 'unknown' });
        const failing = api(
          () => {
            throw new Error('504');
          },
          { onAbandoned: 'park', caller: () => 'c-17', store: one.claims },
        );
        await thrownBy(() => failing.ask(v2({ n: 1 })));
        const parked = await one.ask(v2({ n: 1 }));
        expect(one.reasonOf(parked)).toEqual([409, 'parked']);
        expect(Object.keys(parked.headers).map((name) => name.toLowerCase())).not.toContain('retry-after');
        const operator = resolverOf({ operation: 'pay', store: one.claims });
        expect(
          await operator.resolve(scopedKey({ caller: 'c-17' }, 'k-1'), 'applied', { by: 'maria', note: 'paid' }),
        ).toMatchObject({ outcome: 'resolved' });
        const answer = await one.ask(v2({ n: 1 }));
        expect(answer.statusCode).toBe(204);
        expect(one.bank.count()).toBe(0);
      },
    );

    promise(
      http,
      'a response larger than `maxResultBytes` (16 KB) | the status and the headers, without those that describe the body',
      `${door}: a large response is replayed without its body, with the header that says so`,
      async () => {
        const one = api((all: Any, _s: Any, _c: Any, claim: Any) => {
          all.bank.apply(claim.effectKey);
          return { statusCode: 201, headers: { etag: 'x', 'content-length': '20000' }, body: 'x'.repeat(20_000) };
        });
        await one.ask(v2({ n: 1 }));
        const again = await one.ask(v2({ n: 1 }));
        expect(again.statusCode).toBe(201);
        expect(again.body ?? '').toBe('');
        const headers = Object.fromEntries(
          Object.entries(again.headers).map(([name, value]) => [name.toLowerCase(), value]),
        );
        expect(headers).toMatchObject({
          etag: 'x',
          'idempotency-body-omitted': 'true',
          'idempotency-replayed': 'true',
        });
        expect(headers).not.toHaveProperty('content-length');
        expect(one.bank.count()).toBe(1);
      },
    );

    promise(
      http,
      'Any other error is a bug in your function. The invocation fails with it … In all of these cases nothing runs and pawl claims nothing',
      `${door}: a reader that throws a bug fails the invocation, one that throws InvalidMessageError is 400, and nothing is claimed`,
      async () => {
        for (const reader of ['key', 'caller', 'required', 'fingerprint', 'attributes'] as const) {
          const bug = api(pays, {
            [reader]: () => {
              throw new TypeError('a bug');
            },
          });
          expect([
            reader,
            await thrownBy(() => bug.ask(v2({ n: 1 }, reader === 'required' ? {} : undefined))),
          ]).toMatchObject([reader, { message: 'a bug' }]);
          expect(bug.claims.all()).toEqual([]);
          const bad = api(pays, {
            [reader]: () => {
              throw new InvalidMessageError('invalid-message', 'amount is missing');
            },
          });
          const answer = await bad.ask(v2({ n: 1 }, reader === 'required' ? {} : undefined));
          expect([reader, answer.statusCode]).toEqual([reader, 400]);
          expect(bad.claims.all()).toEqual([]);
          expect(bug.bank.count() + bad.bank.count()).toBe(0);
        }
        const broken = api(pays, { key: bodyField('id') });
        expect(broken.reasonOf(await broken.ask(v2('{"id":')))).toEqual([400, 'invalid-request']);
      },
    );

    promise(
      http,
      "`required: ({ method }) => method === 'POST'` requires a key for POST only. Any other request without a key runs without a claim",
      `${door}: where no key is required, a request without one runs without a claim, and one with a malformed key does not`,
      async () => {
        const claims: unknown[] = [];
        const one = api(
          (_: Any, _s: Any, _c: Any, claim: Any) => {
            claims.push(claim);
            return { statusCode: 200 };
          },
          { required: false },
        );
        expect((await one.ask(v2({ n: 1 }, {}))).statusCode).toBe(200);
        expect(claims).toEqual([undefined]);
        expect((await one.ask(v2({ n: 1 }, { 'idempotency-key': 'no quotes' }))).statusCode).toBe(400);
        expect(claims).toHaveLength(1);
        expect(one.claims.all()).toEqual([]);
      },
    );

    promise(
      http,
      'the same again, while pawl asks the provider | 409 `in-doubt`, `Retry-After`',
      `${door}: in doubt is 409 with Retry-After, and a response of the provider is replayed`,
      async () => {
        let verdict: Any = { verdict: 'inconclusive' };
        const one = api(() => ({ statusCode: 500 }), {
          onAbandoned: reconcile({ ask: () => verdict, settleMs: 1_000 }),
        });
        await one.ask(v2({ n: 1 }));
        const doubt = await one.ask(v2({ n: 1 }));
        expect(one.reasonOf(doubt)).toEqual([409, 'in-doubt']);
        expect(Object.keys(doubt.headers).map((name) => name.toLowerCase())).toContain('retry-after');
        verdict = { verdict: 'applied', result: { statusCode: 201, body: 'r-9' } };
        await one.time.advance(60_000);
        expect(await one.ask(v2({ n: 1 }))).toMatchObject({ statusCode: 201, body: 'r-9' });
        verdict = { verdict: 'inconclusive' };
        expect(await one.ask(v2({ n: 1 }))).toMatchObject({ statusCode: 201, body: 'r-9' });
      },
    );

    promise(
      http,
      'With `claim.effect(…)`, the effect decides. If it succeeded, the request is done, whatever the response is',
      `${door}: after claim.effect a 500 does not let the effect happen again`,
      async () => {
        const one = api(async (all: Any, _s: Any, _c: Any, claim: Any) => {
          await claim.effect(() => all.bank.apply(claim.effectKey));
          return { statusCode: 500 };
        });
        await one.ask(v2({ n: 1 }));
        expect(one.claims.all()[0]?.status).toBe('completed');
        const again = await one.ask(v2({ n: 1 }));
        expect(again.statusCode).toBe(204);
        expect(one.bank.count()).toBe(1);
      },
    );

    promise(
      http,
      "If you give `documentation: 'https://…'`, the problem's `type` is `https://…#in-flight` (or another reason), and the response has a `Link` to it",
      `${door}: problems are problem details, with a type below the documentation`,
      async () => {
        const one = api(pays, { documentation: 'https://api.example/docs' });
        const answer = await one.ask(v2({ n: 1 }, {}));
        const headers = Object.fromEntries(
          Object.entries(answer.headers).map(([name, value]) => [name.toLowerCase(), String(value)]),
        );
        expect(headers['content-type']).toMatch(/^application\/problem\+json/);
        expect(headers['link']).toContain('https://api.example/docs');
        expect(JSON.parse(answer.body)).toMatchObject({ type: 'https://api.example/docs#missing-key', status: 400 });
      },
    );
  });
}

describe('httpOnce among other middlewares', () => {
  const apply = (before: Any, after: Any = {}) => {
    const all = surroundings();
    const { operation, store, host, onEvent } = all.plain;
    const options: Any = { operation, store, host, onEvent, caller: 'anyone', onAbandoned: 'park' };
    const handler = middy(
      async (_: Any, given: Any) => {
        all.bank.apply(claimOf(given)?.effectKey ?? '');
        return { statusCode: 201 };
      },
      { timeoutEarlyInMillis: 0 },
    )
      .use(httpOnce(options))
      .use({ before, ...after });
    const ask = (): Promise<Any> => all.time.until((handler as Any)(v2({ n: 1 }), context(all.time)));
    return { ...all, ask };
  };

  promise(
    http,
    'fails before the handler | released: nothing was applied',
    'a middleware after httpOnce that fails before the handler leaves the claim released',
    async () => {
      const one = apply(() => {
        throw new Error('x');
      });
      await thrownBy(one.ask);
      expect(one.claims.all()[0]?.status).toBe('released');
      expect(one.bank.count()).toBe(0);
    },
  );

  promise(
    http,
    'responds early, before the handler | released. The client gets that response, and pawl records nothing as done',
    'an early answer of another middleware is the answer, and is never recorded as done',
    async () => {
      const one = apply(() => ({ statusCode: 200, body: 'early' }));
      expect(await one.ask()).toMatchObject({ statusCode: 200, body: 'early' });
      expect(one.claims.all()[0]?.status).not.toBe('completed');
      expect(one.bank.count()).toBe(0);
    },
  );

  promise(
    http,
    'responds early, in its `after` | the policy decides. Middy skips `httpOnce`, so pawl cannot know whether the effect happened',
    'an early answer in an after hook does not leave the effect free to happen again under park',
    async () => {
      const one = apply(undefined, { after: () => ({ statusCode: 200, body: 'early' }) });
      await thrownBy(one.ask);
      await one.time.advance(120_000);
      await thrownBy(one.ask);
      expect(one.bank.count()).toBe(1);
    },
  );

  promise(
    readme,
    'Use `sqsOnce` last, so that nothing runs between your handler and the recording of what it did',
    'an error handler that makes a response of every error does not make a park of a failure done',
    async () => {
      const all = surroundings();
      const { operation, store, host, onEvent } = all.plain;
      const handler = middy(
        async () => {
          throw new Error('504');
        },
        { timeoutEarlyInMillis: 0 },
      )
        .use({ onError: (request: Any) => void Object.assign(request, { response: { statusCode: 200 } }) })
        .use(httpOnce({ operation, store, host, onEvent, caller: 'anyone', onAbandoned: 'park' } as Any));
      await thrownBy(() => all.time.until((handler as Any)(v2({ n: 1 }), context(all.time))));
      expect(all.claims.all()[0]?.status).toBe('parked');
    },
  );
});
