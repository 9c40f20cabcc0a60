import { forgetNoted, noted } from '../../engine/made-inside.ts';
import { expectOptions } from '../../kernel/take-options.ts';
import type { NamesOf } from '../../kernel/unknown-option.ts';
import { conditionFailed } from '../../stores/dynamodb/errors.ts';
import { expectTableName } from '../../stores/dynamodb/table.ts';
import { type DeferredWrite, madeBy, type WriteMaker } from '../../transactions/deferred-write.ts';
import type { AppWrite } from '../../transactions/store.ts';
import { followBy } from '../follow.ts';
import { sendableBy } from '../large-body.ts';
import { type Draft, draftOf, type OutboxMessage } from '../message.ts';
import type { Outbox } from '../outbox.ts';
import type { OutboxRecord } from '../record.ts';
import { type OutboxOptions, type OutboxSettings, outboxOptionNames, outboxSettings } from '../settings.ts';
import { counting, readHead } from './lanes.ts';
import { type OutboxTable, outboxStore } from './store.ts';

/**
 * The options of `dynamoOutbox`.
 *
 * @example
 * import { dynamoStore } from 'pawl/dynamodb';
 * import { topics } from 'pawl/outbox/sns';
 *
 * const { aws } = dynamoStore({ tableName: process.env.CLAIMS_TABLE });
 * const options: DynamoOutboxOptions = { tableName: process.env.OUTBOX_TABLE, aws, destinations: [queues({ aws }), topics()] };
 */
export interface DynamoOutboxOptions extends OutboxOptions {
  /**
   * The outbox table: partition key `id` (string), sort key `n` (number), TTL on `expiresAt`, and a stream of keys. The guide on the outbox shows it.
   * A missing name, `undefined` or an empty text, is reported at the first commit.
   */
  readonly tableName: string | undefined;
}

const known = {
  ...outboxOptionNames,
  tableName: true,
} as const satisfies NamesOf<DynamoOutboxOptions>;

/** An outbox in a DynamoDB table. */
export interface DynamoOutbox extends Outbox {
  /**
   * A message, as a write for `commit`, `commitStep`, `inPhases` and `eachTransaction`: it exists if and only if the other writes do. It takes one of the
   * 99 actions of a transaction, and one more for each message group of a FIFO queue. The function needs no `this`.
   *
   * @throws OptionError when an option of it is wrong; InvalidMessageError when its key is missing, or its body is no JSON or too large
   */
  readonly message: (message: OutboxMessage) => DeferredWrite;
  /**
   * The same for a transaction of your own. Call it again for each try: a number of a group may be taken. If you do not call `sendNow` after the
   * transaction, the relay sends the messages.
   *
   * @throws what DynamoDB throws
   */
  readonly prepare: (messages: readonly DeferredWrite[]) => Promise<PreparedMessages>;
}

/** Messages for a transaction of the author's own. */
export interface PreparedMessages {
  /** To be committed together with the data. */
  readonly writes: readonly AppWrite[];
  /**
   * Sends them, once the transaction is applied, for at most this time and at most `atOnceMs`. Never throws.
   *
   * @param remainingMs until the caller has to end
   */
  readonly sendNow: (remainingMs: number) => Promise<void>;
}

/**
 * An outbox in a DynamoDB table: messages that are committed with the data, and sent at once by the worker that has committed them. What it does not send,
 * the relay does (`outboxRelay`).
 *
 * The function needs `dynamodb:PutItem`, `UpdateItem`, `Query`, `PartiQLDelete` and `PartiQLUpdate` on the table, and whatever its destinations need.
 *
 * @throws OptionError at once when an option is wrong; at the first commit when the table's name is missing
 * @example
 * import { dynamoStore } from 'pawl/dynamodb';
 * import { bodyField } from 'pawl/sqs';
 * import { eachTransaction, transactionalStore } from 'pawl/transactions';
 *
 * const claims = dynamoStore({ tableName: process.env.CLAIMS_TABLE });
 * const { message } = dynamoOutbox({ tableName: process.env.OUTBOX_TABLE, aws: claims.aws });
 * export const handler = eachTransaction(
 *   { operation: 'post-order', store: transactionalStore(claims), schema: Order, key: bodyField('id') },
 *   ({ body }) => [
 *     { Put: { TableName: 'ledger', Item: { id: body.id, cents: body.amountCents } } },
 *     message({ to: process.env.RECEIPTS_QUEUE_URL, key: `receipt/${body.id}`, body: { order: body.id } }),
 *   ],
 * );
 */
export function dynamoOutbox(options: DynamoOutboxOptions): DynamoOutbox {
  expectOptions(options, { door: 'dynamoOutbox', known, docs: 'docs/guides/outbox.md' });
  const settings = outboxSettings(options);
  const { aws, host, largeBodies } = settings;
  const { read: nameOfTable } = expectTableName(options.tableName);
  const table: OutboxTable = { nameOfTable, transport: aws.dynamodb };
  const outbox: Outbox = { store: outboxStore(table), ...settings };
  const maker = makerOf(outbox, table, settings);
  return {
    ...outbox,
    message: (message) =>
      noted({ [madeBy]: maker, draft: draftOf(outbox, message, largeBodies) } satisfies OutboxWrite),
    async prepare(messages) {
      forgetNoted(messages);
      const { actions, follow } = await maker.make(messages);
      return { writes: actions, sendNow: (remainingMs) => follow(host.now() + remainingMs, true) };
    },
  };
}

/** What `message` returns. */
interface OutboxWrite extends DeferredWrite {
  readonly draft: Draft;
}

function makerOf(outbox: Outbox, table: OutboxTable, settings: OutboxSettings): WriteMaker {
  const { host } = outbox;
  const sendable = sendableBy(settings);
  return {
    kind: 'dynamodb',
    actionsOf(writes) {
      const drafts = draftsOf(writes);
      return drafts.length + new Set(lanesIn(drafts)).size;
    },
    async make(writes) {
      const drafts = draftsOf(writes);
      const lanes = [...new Set(lanesIn(drafts))];
      const [bodies, ...heads] = await Promise.all([
        Promise.all(drafts.map(sendable)),
        ...lanes.map((lane) => readHead(table, lane)),
      ]);
      const committedAt = host.now();
      const next = new Map(heads.map(({ lane, last }) => [lane, last]));
      const records = bodies.map((body): OutboxRecord => {
        const n = (next.get(body.id) ?? 0) + 1;
        next.set(body.id, n);
        return { ...body, n, committedAt };
      });
      const counters = heads.map((head) => counting(table, head, next.get(head.lane) ?? 0, committedAt));
      const TableName = table.nameOfTable();
      const puts = records.map((Item): AppWrite => ({ Put: { TableName, Item } }));
      const waiting = new Set(heads.filter(({ waits }) => waits).map(({ lane }) => lane));
      return {
        actions: [...counters, ...puts],
        isOutrun: ({ index, code }) => index < counters.length && code === conditionFailed,
        follow: followBy(outbox, { records, waiting, atOnceMs: settings.atOnceMs }),
      };
    },
  };
}

function draftsOf(writes: readonly DeferredWrite[]): readonly Draft[] {
  // They are of this very outbox: its own function has made them.
  return (writes as readonly OutboxWrite[]).map(({ draft }) => draft);
}

/** The lanes that have a counter. */
function lanesIn(drafts: readonly Draft[]): readonly string[] {
  return drafts.filter(({ isOrdered }) => isOrdered).map(({ record }) => record.id);
}
