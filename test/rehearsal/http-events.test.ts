import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { eventOfPayload1, eventOfPayload2 } from '../../lib/rehearsal/services/api/http-events.ts';

const routed = (url: string, body: string) => ({
  request: Object.assign(Readable.from(body === '' ? [] : [Buffer.from(body)]), {
    url,
    method: 'DELETE',
    headers: {},
  }) as Readable as IncomingMessage,
  ...{ key: 'DELETE /orders', parameters: {}, stage: '$default', path: '/orders', apiId: 'api', binary: [] },
});

test('what a request does not have is not in its event: a handler that parses the body it has got would parse an empty text', async () => {
  const bare = await eventOfPayload2(routed('/orders', ''));
  expect(bare).not.toHaveProperty('body');
  expect(bare).not.toHaveProperty('queryStringParameters');
  expect(bare).not.toHaveProperty('pathParameters');
  expect(bare).toMatchObject({ rawQueryString: '', isBase64Encoded: false });
  const full = await eventOfPayload2(routed('/orders?a=1&a=2', '{}'));
  expect(full).toMatchObject({ body: '{}', queryStringParameters: { a: '1,2' } });
});

test('payload 1.0 says null of it', async () => {
  const bare = { body: null, queryStringParameters: null, pathParameters: null };
  expect(await eventOfPayload1(routed('/orders', ''))).toMatchObject(bare);
});
