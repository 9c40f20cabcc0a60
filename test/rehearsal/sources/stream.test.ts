import { expect, test } from 'vitest';
import { startStreamSource } from '../../../lib/rehearsal/services/streams/stream.ts';
import { type StreamClient, TrimmedError } from '../../../lib/rehearsal/services/streams/stream-client.ts';
import { eventually } from '../../support/eventually.ts';

test('the first record of a stream is delivered, and counted as waiting, also where its server takes the iterator of the empty shard for too old', async () => {
  let isEmpty = true;
  const first = { eventID: '1', eventName: 'INSERT', dynamodb: { SequenceNumber: '1' } };
  const client: StreamClient = {
    shards: async () => ['shard-1'],
    iterator: async (_, __, { kind }) => `${kind} of ${isEmpty ? 'none' : 'one'}`,
    async read(iterator) {
      if (isEmpty) return { records: [], next: iterator };
      if (iterator === 'oldest of none') throw new TrimmedError('read past the oldest stream record');
      return { records: iterator === 'oldest of one' ? [first] : [], next: 'behind it' };
    },
  };
  const delivered: unknown[] = [];
  const held = Promise.withResolvers<void>();
  const source = await startStreamSource({
    ...{ client, streamArn: 'arn', functionArn: 'arn', batchSize: 10, windowMs: 0, filters: [], fromStart: true },
    ...{ reportsBatchItemFailures: false, bisects: false, maximumRetries: undefined, maximumAgeMs: undefined },
    async invoke(event) {
      delivered.push(event);
      await held.promise;
      return { kind: 'response', value: null };
    },
  });
  expect(await source.waiting()).toEqual([]);
  isEmpty = false;
  await eventually('the record is delivered', () => expect(delivered).toHaveLength(1));
  expect(await source.waiting()).toEqual([first]);
  held.resolve();
  await eventually('nothing waits', async () => expect(await source.waiting()).toEqual([]));
  await source.stop();
});
