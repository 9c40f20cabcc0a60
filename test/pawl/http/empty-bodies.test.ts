import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { type HttpEvent, httpOnce, onceOverHttp } from '../../../lib/pawl/http/index.ts';
import { memoryStore } from '../../../lib/pawl/index.ts';
import { type Sent, services } from '../../support/http-events.ts';
import { context } from '../../support/lambda.ts';

const request: Sent = { headers: { 'idempotency-key': '"k-1"' }, body: '{"amount":1}' };
const options = () =>
  ({
    operation: 'refund',
    store: memoryStore(),
    onAbandoned: 'park',
    caller: 'anyone',
    onEvent: () => undefined,
  }) as const;

const doors: Readonly<Record<string, (answer: object, more?: object) => (event: HttpEvent) => Promise<unknown>>> = {
  onceOverHttp(answer, more) {
    const wrapped = onceOverHttp(
      { ...options(), ...more },
      async (_: HttpEvent, __: Context) => answer as { statusCode: number },
    );
    return (event) => wrapped(event, context(20_000) as Context);
  },
  httpOnce(answer, more) {
    const wrapped = middy(async (_: HttpEvent, __: Context) => answer, { timeoutEarlyInMillis: 0 }).use(
      httpOnce({ ...options(), ...more }),
    );
    return (event) => wrapped(event, context(20_000) as Context) as Promise<unknown>;
  },
};

/** A body that is none, null, empty, or the text of these, is each another one to a client. */
const bodies: readonly object[] = [
  {},
  { body: undefined },
  { body: null },
  { body: '' },
  { body: 'null' },
  { body: '""' },
  { body: '{}' },
];

describe.each(Object.entries(doors))('%s', (_, door) => {
  it.each(Object.keys(services).flatMap((service) => bodies.map((body) => [service, body] as const)))(
    'behind %s: the replay of a response with %j has the same body',
    async (service, body) => {
      const call = door({ statusCode: 201, ...body });
      const event = () => (services[service] as (sent: Sent) => HttpEvent)(request);
      const first = (await call(event())) as { readonly body?: unknown };
      const replay = (await call(event())) as { readonly statusCode: number; readonly body?: unknown };
      expect(replay.statusCode).toBe(201);
      expect(replay.body).toBe(first.body);
      expect(JSON.stringify(replay)).toContain('Idempotency-Replayed');
    },
  );

  it('headers that are null are no error of the handler, also where the body is too large to keep', async () => {
    let ran = 0;
    const answer = { statusCode: 201, headers: null, multiValueHeaders: null, cookies: null, body: 'x'.repeat(2000) };
    const call = door(Object.defineProperty({ ...answer }, 'ran', { get: () => ran++ }), { maxResultBytes: 1000 });
    const event = () => (services['API Gateway, payload 2.0'] ?? Object.values(services)[0])?.(request) as HttpEvent;
    expect(await call(event())).toMatchObject({ statusCode: 201 });
    expect(await call(event())).toMatchObject({ statusCode: 201, body: '' });
  });
});
