import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { sdk } from 'pawl/dynamodb';
import { granting } from 'pawl/kernel';
import {
  dynamoOutbox,
  type Outbox,
  type OutboxActResult,
  type OutboxOperator,
  outboxOperator,
  postgresOutbox,
  type WaitingMessage,
} from 'pawl/outbox';
import { carryOut } from './carry-out.ts';
import { clientConfig } from './client-config.ts';
import { expectNamesOrFilters, type Io, type Line, UsageError } from './command.ts';
import { openPool } from './open-database.ts';
import type { Values } from './option.ts';
import type { outboxTable, plan as planOptions } from './options.ts';
import { age, type Columns, plural, printer, printJson } from './output.ts';

interface Given extends Values<typeof outboxTable>, Values<typeof planOptions> {
  readonly to: string | undefined;
  readonly parked: boolean;
  readonly json: boolean;
}

/** What is going to be done to a message. */
interface Planned {
  readonly id: string;
  readonly will: keyof typeof verbs;
}

const verbs = { retry: 'retried', discard: 'discarded' } as const;

/** `pawl outbox`. @returns 1 if a message is parked, or could not be acted on */
export async function outbox({ names: [act = 'list', ...ids], options }: Line<Given>, io: Io): Promise<number> {
  if (act !== 'list' && act !== 'retry' && act !== 'discard')
    throw new UsageError(`pawl outbox: expected list, retry or discard; got '${act}'.`);
  if (act === 'list' && ids.length > 0) throw new UsageError('pawl outbox list takes no names.');
  // A whole outbox is never meant by leaving something out.
  if (act === 'discard' && ids.length === 0) throw new UsageError('pawl outbox discard takes the ids of messages.');
  const filter = options.to !== undefined ? 'to' : options.parked ? 'parked' : undefined;
  expectNamesOrFilters('messages', ids, filter);
  const { outbox: opened, close } = await open(options);
  try {
    const operator = outboxOperator({ outbox: opened });
    return await granting('outboxTable.grantOperate(role)', () =>
      act === 'list' ? list(options, io, operator) : carryOutOn(options, io, operator, act, ids),
    );
  } finally {
    close();
  }
}

/** @throws UsageError when the command line names no outbox, or too many */
async function open(options: Given): Promise<{ readonly outbox: Pick<Outbox, 'store'>; readonly close: () => void }> {
  if (options.database !== undefined) {
    const { pool, close } = await openPool(options.database);
    return { outbox: postgresOutbox({ pool, aws: sdk(), ...(options.table && { table: options.table }) }), close };
  }
  const client = new DynamoDBClient(clientConfig(options));
  const outbox = dynamoOutbox({ tableName: await tableOf(options), aws: sdk({ dynamodb: client }) });
  return { outbox, close: () => client.destroy() };
}

/** @throws UsageError when the command line names no table, or too many */
async function tableOf({ stack, table, ...rest }: Given): Promise<string> {
  if (table !== undefined) return table;
  if (stack === undefined)
    throw new UsageError('Name a stack with --stack, an outbox table with --table, or a database with --database.');
  const { outboxTables } = await (await import('./deployed/places.ts')).readPlaces(stack, clientConfig(rest));
  const [only, ...more] = outboxTables;
  if (only === undefined)
    throw new UsageError(
      `${stack} has no function with the variable OUTBOX_TABLE. Name the outbox table with --table.`,
    );
  if (more.length > 0)
    throw new UsageError(`${stack} has several outbox tables: ${outboxTables.join(', ')}. Name one with --table.`);
  return only;
}

async function list(options: Given, io: Io, operator: OutboxOperator): Promise<number> {
  const print = printer(io, options, 'message', columns, rowOf);
  let [waiting, parked] = [0, 0];
  for await (const one of operator.list({ to: options.to, parked: options.parked })) {
    if (one.parked === undefined) waiting++;
    else parked++;
    print(one);
  }
  if (options.json) printJson(io, { kind: 'summary', waiting, parked });
  else if (waiting + parked === 0)
    io.out.line(options.to === undefined && !options.parked ? 'No message lies in the outbox.' : 'No message fits.');
  else io.out.line(`${plural(waiting, 'message')} waiting, ${parked} parked.`);
  return parked > 0 ? 1 : 0;
}

const columns: Columns = [
  ['STATE', 7],
  ['AGE', 6],
  ['KEY', 24],
  ['TO', 40],
  ['MESSAGE', 46],
  ['ERROR', 0],
];

function rowOf({ id, to, key, committedAt, parked }: WaitingMessage): readonly unknown[] {
  const error = parked && `${parked.name}: ${parked.message}`;
  return [parked === undefined ? 'waiting' : 'parked', age(Date.now() - committedAt), key, to, id, error];
}

async function carryOutOn(
  options: Given,
  io: Io,
  operator: OutboxOperator,
  what: keyof typeof verbs,
  named: readonly string[],
): Promise<number> {
  const verb = verbs[what];
  const ids = [...named];
  // Without names, all that is parked and fits.
  if (ids.length === 0) for await (const { id } of operator.list({ to: options.to, parked: true })) ids.push(id);
  return carryOut<Planned, OutboxActResult>(options, io, {
    parts: [
      {
        items: ids.map((id) => ({ id, will: what })),
        count: ids.length,
        async *run(signal) {
          for (const id of ids) {
            if (signal.aborted) return;
            yield await operator[what](id);
          }
        },
      },
    ],
    thing: 'message',
    verb,
    columns: [['MESSAGE', 0]],
    row: ({ id }) => [id],
    question: (messages) =>
      what === 'retry'
        ? `Retry ${messages}? The next sweep sends them.`
        : `Discard ${messages} for good? They are never sent, and their groups go on. This cannot be undone.`,
    isDone: ({ outcome }) => outcome === verb,
    say: ({ id, outcome }) => (outcome === verb ? undefined : `Not ${verb}: ${id}: ${outcome}`),
    left: 'One message is done or not: pawl outbox shows which. Start it again.',
  });
}
