import { flushCompileCache } from 'node:module';
import {
  IdempotencyConfig as PeersConfig,
  makeIdempotent as peersIdempotent,
} from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer as PeersLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBPersistenceLayer, IdempotencyConfig, makeIdempotent } from '../../lib/pawl/powertools/index.ts';
import { dynamoStore, sdk } from '../../lib/pawl/stores/dynamodb/index.ts';
import type { Delivery, FromWorker, ToWorker } from '../fleet/messages.ts';
import type { Library } from './oracle.ts';

/** A worker of the fleet, in a process of its own: the same function, as Powertools protects it or as pawl does. */

const [library = '', endpoint = '', records = '', claims = ''] = process.argv.slice(2);
const keyPrefix = 'mails';
const client = new DynamoDBClient({
  endpoint,
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
});
// The fleet may have ended meanwhile.
const say = (message: FromWorker) => process.send?.(message, undefined, undefined, () => undefined);
const answers = new Map<number, (applied: boolean) => void>();

async function send({ run, beginsAt }: Delivery): Promise<string> {
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, beginsAt - Date.now())));
  const answered = await new Promise<boolean>((resolve) => {
    answers.set(run, resolve);
    say({ kind: 'effect', run });
  });
  if (!answered) throw new Error('the mailer gave no answer');
  return `sent by ${run}`;
}

const contextOf = ({ endsAt }: Delivery) => ({ getRemainingTimeInMillis: () => endsAt - Date.now() });

function byPeer(): (delivery: Delivery) => Promise<string> {
  const config = new PeersConfig({ eventKeyJmesPath: 'key' });
  const persistenceStore = new PeersLayer({ tableName: records, awsSdkV3Client: client });
  const once = peersIdempotent(send, { persistenceStore, config, keyPrefix });
  return (delivery) => {
    config.registerLambdaContext(contextOf(delivery) as never);
    return once(delivery);
  };
}

/** @param ofRecords `none`: as if Powertools' records did not count, which is the mistake that the proof has to find */
function byPawl(ofRecords: 'gate' | 'none'): (delivery: Delivery) => Promise<string> {
  const config = new IdempotencyConfig({ eventKeyJmesPath: 'key' });
  const persistenceStore = new DynamoDBPersistenceLayer({
    tableName: records,
    awsSdkV3Client: client,
    store: dynamoStore({ tableName: claims, aws: sdk({ dynamodb: client }) }),
    onAbandoned: 'retry',
    // A fleet that is killed on purpose kills more than three workers of one key.
    maxAbandoned: 1000,
    maxAttempts: 1000,
    records: ofRecords,
    onEvent: () => undefined,
  });
  const once = makeIdempotent(send, { persistenceStore, config, keyPrefix });
  return (delivery) => {
    config.registerLambdaContext(contextOf(delivery));
    return once(delivery);
  };
}

const handlers: Readonly<Record<Library, () => (delivery: Delivery) => Promise<string>>> = {
  peer: byPeer,
  pawl: () => byPawl('gate'),
  ungated: () => byPawl('none'),
};
const handle = handlers[library as Library]();

process.on('message', async (message: ToWorker) => {
  if (message.kind === 'answer') return answers.get(message.run)?.(message.applied);
  const { run } = message.delivery;
  try {
    await handle(message.delivery);
    say({ kind: 'ended', run, how: 'returned' });
  } catch {
    say({ kind: 'ended', run, how: 'threw' });
  }
});
process.on('disconnect', () => process.exit());
// Workers end by a signal, and Node writes at its exit: the next one would compile all of it again.
flushCompileCache();
say({ kind: 'ready' });
