import { startAws } from 'local-aws';

const aws = await startAws();
const { handler } = await import('./handler.ts');

/** A request as API Gateway hands it over. Returns the response on one line. */
async function post(key: string, body: object): Promise<string> {
  const event = {
    version: '2.0',
    rawPath: '/refunds',
    rawQueryString: '',
    headers: { 'idempotency-key': `"${key}"`, 'x-account': 'maria', 'content-type': 'application/json' },
    requestContext: { http: { method: 'POST', path: '/refunds' } },
    body: JSON.stringify(body),
    isBase64Encoded: false,
  };
  const { statusCode, headers, body: text = '{}' } = await handler(event, { getRemainingTimeInMillis: () => 10_000 });
  const names = Object.keys(headers ?? {}).map((name) => name.toLowerCase());
  const { refund, reason } = JSON.parse(text);
  return `  ${statusCode} ${reason ?? `refund ${refund}`}${names.includes('idempotency-replayed') ? ', replayed' : ''}`;
}

console.log('An impatient client sends the same request twice at once:');
const both = await Promise.all([post('k-1', { cents: 700 }), post('k-1', { cents: 700 })]);
console.log(both.toSorted().join('\n'));
console.log(`It tries again:\n${await post('k-1', { cents: 700 })}`);
console.log(`The same key with another amount:\n${await post('k-1', { cents: 900 })}`);
console.log(`A new key:\n${await post('k-2', { cents: 900 })}`);
await aws.stop();
