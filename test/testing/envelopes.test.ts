import { expect, test } from 'vitest';
import {
  deadLetterQueue,
  eachMessage,
  type S3ObjectEvent,
  s3EventKey,
  s3Events,
  snsEnvelope,
} from '../../lib/sqs/index.ts';
import { assertSurvivesCrashes, type SweptMessage, type World } from '../../lib/testing/index.ts';
import { eachTransaction } from '../../lib/transactions/index.ts';
import { add, committingClaimsOf, createOutside, type Outside } from '../matrix/outside.ts';
import { s3Record, snsNotification } from '../support/notifications.ts';

/** A notification of S3's, as a topic sends it on: of these objects. @param id of the publication */
const uploaded = (id: string, ...names: string[]): SweptMessage => ({
  body: snsNotification(
    { Records: names.map((name) => s3Record(name, { sequencer: `5E-${name}` })) },
    { MessageId: id },
  ),
});

const namesIn = ({ body }: SweptMessage): readonly string[] => {
  const { Records } = JSON.parse((body as ReturnType<typeof snsNotification>).Message);
  return (Records as readonly ReturnType<typeof s3Record>[]).map(({ s3 }) => s3.object.key);
};

/** How often each object was made small, and a provider that honours its key. */
function thumbnails() {
  const made = new Map<string, number>();
  const keys = new Set<string>();
  return {
    times: (name: string) => made.get(name) ?? 0,
    make(name: string, key?: string) {
      if (key !== undefined && keys.has(key)) return;
      if (key !== undefined) keys.add(key);
      made.set(name, (made.get(name) ?? 0) + 1);
    },
  };
}

type Thumbnails = ReturnType<typeof thumbnails>;

const wiring = ({ options, deadLetterQueueUrl }: World) =>
  ({
    ...options,
    operation: 'make-thumbnail',
    key: s3EventKey(),
    envelope: [snsEnvelope(), s3Events()],
    deadLetters: deadLetterQueue(deadLetterQueueUrl),
  }) as const;

const effects = (provider: Thumbnails, message: SweptMessage) =>
  Object.fromEntries(namesIn(message).map((name) => [name, provider.times(name)]));

test.each(['retry', 'park'] as const)(
  "a consumer of S3's notifications survives crashes: each object once, though two messages have it (%s)",
  { timeout: 60_000 },
  async (onAbandoned) => {
    const report = await assertSurvivesCrashes<Thumbnails>({
      messages: [uploaded('1', 'a', 'b', 'c'), uploaded('2', 'b', 'd'), uploaded('3', 'a', 'b', 'c')],
      provider: thumbnails,
      effects,
      handler: (world, provider) =>
        eachMessage<S3ObjectEvent>({ ...wiring(world), onAbandoned }, ({ body }, { effectKey }) =>
          world.io('resize', () => provider.make(body.key, onAbandoned === 'retry' ? effectKey : undefined)),
        ),
      maxReceiveCount: 20,
      max: 150,
    });
    expect(report.fates.acknowledged).toBeGreaterThan(0);
    expect(report.fates.stuck).toBe(0);
  },
);

test('what it commits with eachTransaction survives crashes', { timeout: 60_000 }, async () => {
  const report = await assertSurvivesCrashes<Outside>({
    messages: [uploaded('1', 'a', 'b'), uploaded('2', 'b', 'c')],
    provider: createOutside,
    effects: (outside, message) => Object.fromEntries(namesIn(message).map((name) => [name, outside.written(name)])),
    handler: (world, outside) =>
      eachTransaction<S3ObjectEvent>({ ...wiring(world), store: committingClaimsOf(world, outside) }, ({ body }) => [
        add(body.key),
      ]),
    maxReceiveCount: 20,
    max: 100,
  });
  expect(report.fates).toMatchObject({ stuck: 0 });
  expect(report.fates.acknowledged).toBeGreaterThan(0);
});
