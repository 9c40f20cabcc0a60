import { createServer } from 'node:http';
import { assumed, drawLatencyMs } from './latency.ts';

/**
 * Answers requests to DynamoDB as if each write were applied, after a latency that is drawn; or, with two numbers as arguments, after so many milliseconds
 * for a request, and so many more for each statement in it. In a process of its own: what it costs is not the
 * contender's. DynamoDB Local takes most of a millisecond for a statement, which DynamoDB does not; so it counts the units, and this takes the time.
 */
const [perRequestMs, perStatementMs = 0] = process.argv.slice(2).map(Number);

function latencyMs(statements: number): number {
  return perRequestMs === undefined ? drawLatencyMs(assumed, Math.random) : perRequestMs + perStatementMs * statements;
}

const server = createServer((request, response) => {
  let text = '';
  request.setEncoding('utf8');
  request.on('data', (some: string) => {
    text += some;
  });
  request.on('end', () => {
    const asked = JSON.parse(text) as { readonly Statements?: readonly unknown[] };
    const answer = asked.Statements ? { Responses: asked.Statements.map(() => ({})) } : {};
    setTimeout(
      () => response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify(answer)),
      latencyMs(asked.Statements?.length ?? 1),
    );
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') process.send?.(`http://127.0.0.1:${address.port}`);
});
