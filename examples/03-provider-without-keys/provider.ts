import { once } from 'node:events';
import { createServer } from 'node:http';

/** A mail provider that knows no idempotency key. It can be asked what it has sent. */
export async function startProvider(onSent: () => void) {
  const sent: string[] = [];
  const server = createServer(async (request, response) => {
    const order = new URL(request.url ?? '', 'http://provider').searchParams.get('order') ?? '';
    if (request.method === 'GET') return response.end(JSON.stringify(sent.filter((one) => one === order)));
    sent.push(order);
    console.log(`  provider: a mail for ${order} is sent`);
    onSent();
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  process.env.PROVIDER_URL = `http://127.0.0.1:${typeof address === 'object' && address?.port}`;
  return { sent, stop: () => server.close() };
}
