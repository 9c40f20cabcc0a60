import { type Part, part } from '../../engine/parts.ts';
import type { Service } from '../../engine/service.ts';
import { tablesIn } from '../dynamodb/index.ts';
import { streamArnOf } from '../dynamodb/rules.ts';
import {
  readStreamMapping,
  type StreamDelivery,
  type StreamMapping,
  startStreamConsumer,
  type TableConsumer,
} from './consumers.ts';

type StreamConsumerPart = Part<'streamConsumer', TableConsumer, TableConsumer>;

/** The streams of tables. DynamoDB Local has them with the tables. */
export const streams: Service<StreamConsumerPart, StreamDelivery> = {
  types: {},
  page: [
    '| mapping of a stream | batch size and window, partial responses, filters, bisecting, retries, record age, destination for failures, starting position | parallel batches of a shard | tumbling windows; a function that is not run |',
  ],
  finds: { streamConsumer: 'consumer of a stream' },
  async provision({ parts }) {
    const tables = tablesIn(parts);
    const mappings: StreamMapping[] = [];
    return {
      source: {
        called: 'stream of a table',
        at(wanted) {
          const table = tables.find(({ name }) => streamArnOf(name) === wanted);
          return table && ((...mapping) => mappings.push(readStreamMapping(...mapping, table)));
        },
      },
      async start(at, faults) {
        const consumers: StreamConsumerPart[] = [];
        for (const mapping of mappings) {
          consumers.push(part('streamConsumer', await startStreamConsumer(at, faults, mapping)));
        }
        return consumers;
      },
    };
  },
};
