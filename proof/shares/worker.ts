import { flushCompileCache } from 'node:module';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { InDoubtError, once } from '../../lib/pawl/index.ts';
import { dynamoStore, sdk } from '../../lib/pawl/stores/dynamodb/index.ts';
import type { Delivery, FromWorker, ToWorker } from '../fleet/messages.ts';
import type { Mistake } from './shares.ts';

/** A worker of the fleet, in a process of its own: a function of which pawl enforces a share of the keys, and observes the others. */

const [share = '', mistake = '', endpoint = '', table = ''] = process.argv.slice(2);
const client = new DynamoDBClient({
  endpoint,
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
});
// The fleet may have ended meanwhile.
const say = (message: FromWorker) => process.send?.(message, undefined, undefined, () => undefined);
const answers = new Map<number, (applied: boolean) => void>();
let said: string[] = [];

async function send({ run, beginsAt }: Delivery, { fence }: { readonly fence: number }): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, beginsAt - Date.now())));
  const answered = await new Promise<boolean>((resolve) => {
    answers.set(run, resolve);
    say({ kind: 'effect', run, fence });
  });
  if (!answered) throw new Error('the mailer gave no answer');
}

const enforce = Number(share);
const is = (one: Mistake) => mistake === one;
const handle = once<Delivery, void>(
  {
    operation: is('forgetful') && enforce === 1 ? 'mail-again' : 'mail',
    store: dynamoStore({ tableName: table, aws: sdk({ dynamodb: client }) }),
    key: ({ key }) => key,
    onAbandoned: 'park',
    recordResult: true,
    observeWaitMs: 2000,
    onEvent: ({ type }) => {
      if (!(is('silent') && type === 'observed-beside')) said.push(type);
    },
    ...(is('unstable') ? { mode: () => (Math.random() < enforce ? 'enforce' : 'observe') } : { enforce }),
  },
  send,
);

process.on('message', async (message: ToWorker) => {
  if (message.kind === 'answer') return answers.get(message.run)?.(message.applied);
  const { run, endsAt } = message.delivery;
  said = [];
  try {
    await handle(message.delivery, { remainingMs: () => endsAt - Date.now() });
    say({ kind: 'ended', run, how: 'returned', said });
  } catch (error) {
    say({ kind: 'ended', run, how: error instanceof InDoubtError ? 'parked' : 'threw', said });
  }
});
process.on('disconnect', () => process.exit());
// Workers end by a signal, and Node writes at its exit: the next one would compile all of it again.
flushCompileCache();
say({ kind: 'ready' });
