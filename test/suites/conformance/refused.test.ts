import { expect, test } from 'vitest';
import { nodeHost } from '../../../lib/pawl/host.ts';
import { memoryStore } from '../../../lib/pawl/index.ts';
import type { SqsEvent } from '../../../lib/pawl/sqs/index.ts';
import type { World } from '../../../lib/testing/index.ts';
import { sqsStandard } from '../../fixtures/aws-events.ts';
import { context, noQueue } from '../../support/lambda.ts';
import { buildApi, eventOf, optionsOf } from './http.ts';
import { queueHandler } from './queue.ts';
import { quietly } from './sweep.ts';
import { nameOf, type Tried, triedAt } from './table.ts';

quietly();

const named = (tried: Tried) => [nameOf(tried), tried] as const;
const refused = (door: 'queue' | 'http') =>
  triedAt(door)
    .filter(({ expected }) => expected.kind === 'refused')
    .map(named);
const sentenceOf = ({ expected }: Tried): string => (expected.kind === 'refused' ? expected.sentence : '');

/** Pawl's side of the outside, without a sweep. */
function outside() {
  const store = { ...memoryStore(), aws: noQueue };
  const options: World['options'] = {
    store,
    host: nodeHost,
    onEvent: () => undefined,
  };
  return { store, options };
}

test.each(refused('queue'))('%s: is refused before anything runs, with a sentence', async (_, tried) => {
  const { store, options } = outside();
  let calls = 0;
  const world: Pick<World, 'options' | 'deadLetterQueueUrl'> = {
    options,
    deadLetterQueueUrl: 'https://sqs.invalid/dead',
  };
  const handler = (await queueHandler(tried))(world, async () => {
    calls++;
  }) as (event: SqsEvent, context: unknown) => Promise<unknown>;
  await expect(handler(structuredClone(sqsStandard), context())).rejects.toThrow(sentenceOf(tried));
  expect({ calls, records: store.records() }).toEqual({ calls: 0, records: [] });
});

test.each(refused('http'))('%s: is refused before anything runs, with a sentence', async (_, tried) => {
  const { store, options } = outside();
  let calls = 0;
  const api = (await buildApi(tried))(optionsOf(options), async () => {
    calls++;
  });
  await expect(api(eventOf(tried, 'p-1'), context())).rejects.toThrow(sentenceOf(tried));
  expect({ calls, records: store.records() }).toEqual({ calls: 0, records: [] });
});
