import { describe, expect, test } from 'vitest';
import { bodyField, type HttpEvent, type HttpResponse, headerKey } from '../../../lib/pawl/http/index.ts';
import { type ClaimEvent, memoryStore } from '../../../lib/pawl/index.ts';
import { doors } from '../../support/http-doors.ts';
import { apiGatewayV2, type Sent } from '../../support/http-events.ts';
import { virtualHost } from '../../support/virtual-host.ts';
import { untyped } from './mistake.ts';

const quoted = '"…"';

describe.each(Object.entries(doors))('%s', (_door, wrap) => {
  async function refused(sent: Sent, more: object = {}) {
    const events: ClaimEvent[] = [];
    const onEvent = (event: ClaimEvent) => events.push(event);
    const store = memoryStore();
    const options = { operation: 'refund', store, onAbandoned: 'park', caller: 'anyone', host: virtualHost(), onEvent };
    const call = wrap(untyped({ ...options, ...more }), () => ({ statusCode: 201 }));
    const response = (await call(apiGatewayV2(sent) as HttpEvent)) as HttpResponse;
    const { headers = {}, body = '{}', statusCode } = response;
    return { statusCode, type: headers['content-type'], problem: JSON.parse(body), events, records: store.records() };
  }

  test('a request without its key is told which header to send, with the quotes, and is reported', async () => {
    const { statusCode, type, problem, events, records } = await refused({ body: '{}' });
    expect(statusCode).toBe(400);
    expect(type).toBe('application/problem+json');
    expect(problem).toMatchObject({ status: 400, reason: 'missing-key' });
    expect(problem.detail).toContain('This request has no idempotency key, and needs one.');
    expect(problem.detail).toContain(`Send the header Idempotency-Key: ${quoted}, with the quotes`);
    expect(events).toMatchObject([{ type: 'request-refused', reason: 'missing-key', operation: 'refund', id: '' }]);
    expect(events).toMatchObject([
      {
        error: {
          message: `the request has no key: send the header Idempotency-Key: ${quoted}, with the quotes, and a key of your own between them. See node_modules/pawl/docs/errors.md#missing-key`,
        },
      },
    ]);
    expect(records).toEqual([]);
  });

  test.each(['8e03978e', "'8e03978e'", '""', '"a" "b"'])(
    'a key without its quotes (%s) is told to send them, and is reported',
    async (sent) => {
      const { statusCode, problem, events } = await refused({ headers: { 'idempotency-key': sent }, body: '{}' });
      expect(statusCode).toBe(400);
      expect(problem).toMatchObject({ reason: 'invalid-key' });
      expect(problem.detail).toContain('is malformed');
      expect(problem.detail).toContain(`Send the header Idempotency-Key: ${quoted}, with the quotes`);
      expect(events).toMatchObject([{ type: 'request-refused', reason: 'invalid-key' }]);
      // What a client sent may be personal, and is quoted nowhere.
      expect(JSON.stringify([problem, events])).not.toContain('8e03978e');
    },
  );

  test('a header of another name is named', async () => {
    const { problem } = await refused({ body: '{}' }, { key: headerKey({ name: 'X-Request-Id' }) });
    expect(problem.detail).toContain(`Send the header X-Request-Id: ${quoted}`);
  });

  test('a key in the body is named by its field', async () => {
    const { problem, events } = await refused({ body: '{}' }, { key: bodyField('transactionId') });
    expect(problem.detail).toBe(
      "This request has no idempotency key, and needs one. The body has no field 'transactionId'.",
    );
    expect(events).toMatchObject([{ type: 'request-refused', reason: 'missing-key' }]);
  });

  test('a key function of the author’s own says nothing more', async () => {
    const { problem } = await refused({ body: '{}' }, { key: () => undefined });
    expect(problem.detail).toBe('This request has no idempotency key, and needs one.');
  });

  test('a caller who is unknown is reported, too', async () => {
    const { statusCode, events } = await refused(
      { headers: { 'idempotency-key': '"k"' }, body: '{}' },
      { caller: () => undefined },
    );
    expect(statusCode).toBe(403);
    expect(events).toMatchObject([{ type: 'request-refused', reason: 'no-caller' }]);
  });

  test('a request that needs no key, and has none, is not refused, and not reported', async () => {
    const events: ClaimEvent[] = [];
    const onEvent = (event: ClaimEvent) => events.push(event);
    // Without a claim, the handler of one of these doors throws.
    await refused({ body: '{}' }, { required: false, onEvent }).catch(() => undefined);
    expect(events).toEqual([]);
  });
});
