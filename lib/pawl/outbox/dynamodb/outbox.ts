import { type Aws, expectAws } from '../../aws/aws.ts';
import type { ClaimEvent } from '../../engine/events.ts';
import { nodeHost } from '../../host.ts';
import { expect, expectFunction, expectWhole } from '../../kernel/check.ts';
import type { Host } from '../../kernel/host.ts';
import { answeredBy } from '../../kernel/request.ts';
import { expectOptions } from '../../kernel/take-options.ts';
import type { NamesOf } from '../../kernel/unknown-option.ts';
import { conditionFailed } from '../../stores/dynamodb/errors.ts';
import { expectTableName } from '../../stores/dynamodb/table.ts';
import { type DeferredWrite, type MadeWrites, madeBy, type WriteMaker } from '../../transactions/deferred-write.ts';
import type { AppWrite } from '../../transactions/store.ts';
import type { Destination } from '../destination.ts';
import { queues } from '../destinations/queues.ts';
import { type Draft, draftOf, type LargeBodies, type OutboxMessage } from '../message.ts';
import type { Outbox } from '../outbox.ts';
import type { OutboxRecord } from '../record.ts';
import { drain, left, sendInOrder } from '../sender.ts';
import { counting, type Head, readHead } from './lanes.ts';
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
export interface DynamoOutboxOptions {
  /**
   * The outbox table: partition key `id` (string), sort key `n` (number), TTL on `expiresAt`, and a stream of keys. The guide on the outbox shows it.
   * A missing name, `undefined` or an empty text, is reported at the first commit.
   */
  readonly tableName: string | undefined;
  /**
   * The way to AWS: that of the store of the claims (`store.aws`), `sdk()` or `lean()`.
   */
  readonly aws: Aws;
  /**
   * Where messages go: `queues()`, `topics()` of `pawl/outbox/sns`, `eventBuses()` of `pawl/outbox/eventbridge`.
   * @default `[queues({ aws })]`
   */
  readonly destinations?: readonly Destination[];
  /**
   * Keeps a body that is too large for an item or its destination: `largeBodies()` of `pawl/outbox/s3`.
   * @default such a message is refused before its commit
   */
  readonly largeBodies?: LargeBodies;
  /**
   * How long the worker that has committed a message tries to send it, in milliseconds, before it leaves it to the relay. 0 leaves it at once. It ends in
   * any case with the time of its claim.
   * @default 3000
   */
  readonly atOnceMs?: number;
  /**
   * Hears of everything that happens to a message. What it throws is ignored.
   * @default whatever is out of the ordinary goes to `console.warn`, as one line of JSON
   */
  readonly onEvent?: (event: ClaimEvent) => void;
  /**
   * Time, chance and identity. Only tests and simulations set it.
   * @default those of Node
   */
  readonly host?: Host;
}

const known = {
  tableName: true,
  aws: true,
  destinations: true,
  largeBodies: true,
  atOnceMs: true,
  onEvent: true,
  host: true,
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
  const { aws, largeBodies, atOnceMs = 3000, onEvent, host = nodeHost } = options;
  expectAws(aws, 'required');
  const { destinations = [queues({ aws })] } = options;
  const isList =
    Array.isArray(destinations) &&
    destinations.length > 0 &&
    destinations.every((one) => typeof one?.send === 'function');
  expect(isList, 'destinations', 'a list of queues({ aws }), topics() and eventBuses()', destinations);
  const keeps = largeBodies === undefined || typeof largeBodies?.keep === 'function';
  expect(keeps, 'largeBodies', 'largeBodies({ s3Client, bucket })', largeBodies);
  expectWhole('atOnceMs', atOnceMs);
  if (onEvent !== undefined) expectFunction('onEvent', 'a function', onEvent, 'wrong-handler');
  const { read: nameOfTable } = expectTableName(options.tableName);
  const table: OutboxTable = { nameOfTable, transport: aws.dynamodb };
  const outbox: Outbox = { store: outboxStore(table), destinations, host, onEvent };
  const maker = makerOf(outbox, table, { largeBodies, atOnceMs });
  return {
    ...outbox,
    message: (message) => ({ [madeBy]: maker, draft: draftOf(outbox, message, largeBodies) }) satisfies OutboxWrite,
    async prepare(messages) {
      const { actions, follow } = await maker.make(messages);
      return { writes: actions, sendNow: (remainingMs) => follow(host.now() + remainingMs, true) };
    },
  };
}

/** What `message` returns. */
interface OutboxWrite extends DeferredWrite {
  readonly draft: Draft;
}

type MakerOptions = Required<Pick<DynamoOutboxOptions, 'atOnceMs'>> & {
  readonly largeBodies: LargeBodies | undefined;
};

function makerOf(outbox: Outbox, table: OutboxTable, options: MakerOptions): WriteMaker {
  const { host } = outbox;
  /** Large bodies are kept once, however often their numbers are taken. */
  const kept = new WeakMap<Draft, Promise<string>>();

  /** The draft as it is sent. */
  async function sendable(draft: Draft): Promise<Draft['record']> {
    const { record, isLarge } = draft;
    if (!isLarge || options.largeBodies === undefined) return record;
    const keeping = kept.get(draft) ?? options.largeBodies.keep(record.uid, record.body);
    kept.set(draft, keeping);
    try {
      return { ...record, body: await keeping, largeBytes: Buffer.byteLength(record.body) };
    } catch (error) {
      kept.delete(draft);
      throw error;
    }
  }

  return {
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
      return madeOf(outbox, { counters, puts, records, heads, atOnceMs: options.atOnceMs });
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

interface Made {
  readonly counters: readonly AppWrite[];
  readonly puts: readonly AppWrite[];
  readonly records: readonly OutboxRecord[];
  readonly heads: readonly Head[];
  readonly atOnceMs: number;
}

function madeOf(outbox: Outbox, { counters, puts, records, heads, atOnceMs }: Made): MadeWrites {
  const lanes = Map.groupBy(records, ({ id }) => id);
  const waiting = new Set(heads.filter(({ waits }) => waits).map(({ lane }) => lane));

  /** Whether nothing lies in a lane before these messages. */
  async function isTheirTurn(lane: string, [first]: readonly OutboxRecord[], until: number): Promise<boolean> {
    if (!waiting.has(lane)) return true;
    const [head] = await answeredBy(outbox.host, until, outbox.store.lane(lane, 0));
    return head?.uid === first?.uid;
  }

  async function followLane(
    lane: string,
    theirs: readonly OutboxRecord[],
    until: number,
    isKnown: boolean,
  ): Promise<void> {
    if (!isKnown) await drain(outbox, lane, until);
    else if (await isTheirTurn(lane, theirs, until)) await sendInOrder(outbox, theirs, until);
    else for (const one of theirs) left(outbox, one);
  }

  return {
    actions: [...counters, ...puts],
    isOutrun: ({ index, code }) => index < counters.length && code === conditionFailed,
    async follow(until, isKnown) {
      const end = Math.min(until, outbox.host.now() + atOnceMs);
      // What is not sent now, the relay sends: also where the table could not be read.
      await Promise.allSettled(Array.from(lanes, ([lane, theirs]) => followLane(lane, theirs, end, isKnown)));
    },
  };
}
