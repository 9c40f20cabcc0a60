import { userInfo } from 'node:os';
import type { QueueName } from '../../lib/console/api.ts';
import { type LiveFeed, type RunningConsole, startConsole } from '../../lib/console/server.ts';
import { operator } from '../../lib/operate/index.ts';
import { findings } from '../../lib/statements/index.ts';
import { dynamoStore } from '../../lib/stores/dynamodb/index.ts';
import { EFFECTS } from '../app/app-functions.ts';
import type { Shop } from '../app/shop.ts';

/** Serves the console over the orders of the running shop. It can write: there is nothing here to break. */
export function serveShop(shop: Shop, feed: LiveFeed): Promise<RunningConsole> {
  const store = dynamoStore({ tableName: shop.claimsTable, client: shop.dynamo });
  return startConsole({
    operate: operator({ store, sqsClient: shop.sqs.client, onEvent: () => undefined }),
    findings: findings({ store }),
    title: 'the shop of npm start',
    write: true,
    user: userInfo().username,
    queues: queuesOf(shop),
    feed,
  });
}

function queuesOf({ consumers }: Shop): readonly QueueName[] {
  const all = EFFECTS.map((effect) => consumers[effect]);
  const dead = new Map(
    all.flatMap(({ deadLetterQueue }) => (deadLetterQueue ? [[deadLetterQueue.url, deadLetterQueue]] : [])),
  );
  return Array.from(dead.values(), ({ url, name }) => {
    const sources = all.filter(({ deadLetterQueue }) => deadLetterQueue?.url === url);
    // Consumers may share a dead-letter queue. Then it is not known which queue a message belongs to.
    const [source] = sources;
    return { url, name, to: sources.length === 1 ? source?.queue.url : undefined };
  });
}
