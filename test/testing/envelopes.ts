import { S3Client } from '@aws-sdk/client-s3';
import { expect } from 'vitest';
import { largePayload } from '../../lib/pawl/payload/envelopes/large-payload.ts';
import {
  deadLetterQueue,
  eachMessage,
  type S3ObjectEvent,
  s3EventKey,
  s3Events,
  snsEnvelope,
} from '../../lib/pawl/sqs/index.ts';
import { eachTransaction } from '../../lib/pawl/transactions/index.ts';
import { assertSurvivesCrashes, type SweptMessage, type World } from '../../lib/testing/index.ts';
import { add, committingClaimsOf, createOutside, type Outside } from '../suites/matrix/outside.ts';
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

/** A client of an S3 that is outside, and has one object for every key: a notification of that object. */
function s3Over({ io }: World): S3Client {
  const send = async ({ input }: { readonly input: { readonly Key?: string } }) => {
    const { Message } = uploaded('1', input.Key ?? '').body as ReturnType<typeof snsNotification>;
    const bytes = await io('s3.get', () => new TextEncoder().encode(Message));
    return { Body: { transformToByteArray: async () => bytes } };
  };
  return Object.assign(Object.create(new S3Client({ region: 'us-east-1' })), { send });
}

function ofNotifications(onAbandoned: 'retry' | 'park', max: number) {
  return assertSurvivesCrashes<Thumbnails>({
    messages: [uploaded('1', 'a', 'b', 'c'), uploaded('2', 'b', 'd'), uploaded('3', 'a', 'b', 'c')],
    provider: thumbnails,
    effects,
    handler: (world, provider) =>
      eachMessage<S3ObjectEvent>({ ...wiring(world), onAbandoned }, ({ body }, { effectKey }) =>
        world.io('resize', () => provider.make(body.key, onAbandoned === 'retry' ? effectKey : undefined)),
      ),
    maxReceiveCount: 20,
    max,
  });
}

function ofPointers(max: number) {
  const pointer = (Key: string): SweptMessage => ({ body: { S3Payload: { Bucket: 'payloads', Key } } });
  return assertSurvivesCrashes<Thumbnails>({
    messages: [pointer('a'), pointer('b'), pointer('a')],
    provider: thumbnails,
    effects: (provider, { body }) => provider.times((body as { S3Payload: { Key: string } }).S3Payload.Key),
    handler: (world, provider) =>
      eachMessage<S3ObjectEvent>(
        {
          ...wiring(world),
          envelope: [largePayload({ s3Client: s3Over(world) }), s3Events()],
          onAbandoned: 'park',
          marksEffect: true,
        },
        ({ body }, claim) => claim.effect(() => world.io('resize', () => provider.make(body.key))),
      ),
    maxReceiveCount: 20,
    max,
  });
}

function ofTransactions(max: number) {
  return assertSurvivesCrashes<Outside>({
    messages: [uploaded('1', 'a', 'b'), uploaded('2', 'b', 'c')],
    provider: createOutside,
    effects: (outside, message) => Object.fromEntries(namesIn(message).map((name) => [name, outside.written(name)])),
    handler: (world, outside) =>
      eachTransaction<S3ObjectEvent>({ ...wiring(world), store: committingClaimsOf(world, outside) }, ({ body }) => [
        add(body.key),
      ]),
    maxReceiveCount: 20,
    max,
  });
}

const sweeps = {
  "S3's notifications under 'retry': each object once, though two messages have it": (max: number) =>
    ofNotifications('retry', max),
  "S3's notifications under 'park': each object at most once": (max: number) => ofNotifications('park', max),
  'payloads that are read from an S3 which fails': ofPointers,
  'writes that are committed with the claims of a notification': ofTransactions,
};

export const sweptEnvelopes = Object.entries(sweeps);

/** Holds the whole of a sweep to what one run cannot say. @param max the most runs */
export async function sweepEnvelopes(
  sweep: (max: number) => ReturnType<typeof ofPointers>,
  max: number,
): Promise<void> {
  const { fates } = await sweep(max);
  expect(fates.acknowledged).toBeGreaterThan(0);
  expect(fates.stuck).toBe(0);
}
