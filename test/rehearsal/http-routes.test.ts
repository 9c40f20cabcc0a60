import { describe, expect, test } from 'vitest';
import { createRouter } from '../../lib/rehearsal/services/api/http-routes.ts';

const routes = [
  '$default',
  'ANY /files/{proxy+}',
  'ANY /files/{id}',
  'GET /files/{id}',
  'GET /files/all',
  'POST /',
].map((key) => ({ key }));
const match = createRouter(routes);

describe('a request', () => {
  test.each([
    ['GET', '/files/all', 'GET /files/all', {}],
    ['GET', '/files/7', 'GET /files/{id}', { id: '7' }],
    ['PUT', '/files/7', 'ANY /files/{id}', { id: '7' }],
    ['GET', '/files/a/b%20c', 'ANY /files/{proxy+}', { proxy: 'a/b c' }],
    ['POST', '/', 'POST /', {}],
    ['GET', '/', '$default', {}],
    ['GET', '/elsewhere', '$default', {}],
  ])('%s %s goes to the most specific route, %s', (method, path, key, parameters) => {
    expect(match(method, path)).toEqual({ route: { key }, parameters });
  });

  test('without a route for it goes nowhere', () => {
    const only = createRouter([{ key: 'GET /files/{id}' }]);
    expect(only('POST', '/files/7')).toBeUndefined();
    expect(only('GET', '/files')).toBeUndefined();
    expect(only('GET', '/files/7/8')).toBeUndefined();
  });
});
