import {
  type AttributeValue,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  DynamoDBClient,
  GetItemCommand,
  ResourceNotFoundException,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { convertToAttr, unmarshall } from '@aws-sdk/util-dynamodb';
import { expect } from '../kernel/check.ts';
import { claimDefaults } from '../kernel/defaults.ts';
import { explainedError, SetupError } from '../kernel/errors.ts';
import { expectNoUnitTest } from '../kernel/unit-test.ts';
import { expectTableName } from '../stores/dynamodb/table.ts';
import { functionName } from './record-id.ts';
import { namesClient, type RecordTableOptions } from './table-options.ts';

/**
 * Powertools' table of records, as a gate that both libraries go through.
 *
 * Owns: the requests, and Powertools' form of a record. Does not own: when which of them is made (`beside-store.ts`), and any rule about claims (`rules/`).
 *
 * 1. The gate is won by Powertools' own condition, in two parts: there is no record, or it has expired (`enter`); or an attempt of Powertools has ended without an outcome (`takeOver`). Each is one
 *    conditional write. A read before it would let both libraries in.
 * 2. Beside Powertools' attributes, a record that pawl holds has the id of a claim (`pawl`). Between workers of pawl, their claims decide: one that finds the mark of another goes on (`pass`).
 * 3. Whatever Powertools replaces or deletes takes the mark along. So where the mark is missing, the record is Powertools'.
 */

/** What stands at the gate. Times are epoch milliseconds. */
export type AtGate =
  | { readonly kind: 'none' }
  | Completed
  | {
      readonly kind: 'in-progress';
      /** When the attempt has ended; never, where only pawl may end it. */
      readonly until: number;
      /** The claim that holds the gate; `undefined` where it is Powertools'. */
      readonly heldBy: string | undefined;
      /** Of a gate that pawl took over from Powertools: when that attempt ended, whose effect is in doubt. */
      readonly doubtUntil: number | undefined;
    };

/** A call that is done, and remembered. */
export interface Completed {
  readonly kind: 'completed';
  /** Epoch seconds. */
  readonly expiration: number | undefined;
  /** The response; `undefined` also where the function returned nothing. */
  readonly data: unknown;
  readonly validation: string | undefined;
}

/** A worker that wants the gate. */
export interface Entrant {
  readonly claimId: string;
  /** Until when Powertools is to keep out, in epoch milliseconds. */
  readonly until: number;
  /** Epoch seconds; never, where it is `undefined`. */
  readonly expiration: number | undefined;
  readonly validation: string | undefined;
}

export type RecordTable = ReturnType<typeof recordTable>;

const mark = 'pawl';
const doubt = 'pawl_doubt';
/** Powertools' own names of states. */
const inProgress = 'INPROGRESS';
const completed = 'COMPLETED';

/** @throws OptionError when an option is wrong */
export function recordTable(options: RecordTableOptions, now: () => number) {
  const { keyAttr = 'id', sortKeyAttr, staticPkValue = `idempotency#${functionName()}` } = options;
  const { statusAttr = 'status', expiryAttr = 'expiration', dataAttr = 'data' } = options;
  const { inProgressExpiryAttr = 'in_progress_expiration', validationKeyAttr = 'validation' } = options;
  const { awsSdkV3Client: client = new DynamoDBClient(options.clientConfig ?? {}) } = options;
  expect(typeof client.send === 'function', 'awsSdkV3Client', "a client of the AWS SDK's version 3", client);
  /** @throws SetupError, which names this table: another one than that of the claims */
  const send: DynamoDBClient['send'] = async (command: never) => {
    if (!namesClient(options)) expectNoUnitTest('dynamodb');
    try {
      return (await client.send(command)) as never;
    } catch (error) {
      if (!(error instanceof ResourceNotFoundException)) throw error;
      const said = `Powertools' table '${options.tableName}' does not exist in the account and the region of its client. Correct tableName, or the region`;
      throw new SetupError(said, 'missing-table', { cause: error });
    }
  };
  expect(keyAttr !== sortKeyAttr, 'sortKeyAttr', 'another attribute than keyAttr', sortKeyAttr);
  const { read: nameOfTable, setupError } = expectTableName(
    options.tableName,
    "It is Powertools' table, whose name your code passes, such as process.env.IDEMPOTENCY_TABLE.",
  );
  const { skewMs } = claimDefaults;

  const names: Readonly<Record<string, string>> = {
    '#key': keyAttr,
    '#status': statusAttr,
    '#expiry': expiryAttr,
    '#until': inProgressExpiryAttr,
    '#data': dataAttr,
    '#validation': validationKeyAttr,
    '#pawl': mark,
    '#doubt': doubt,
  };

  const keyOf = (id: string): Record<string, AttributeValue> =>
    sortKeyAttr === undefined
      ? { [keyAttr]: { S: id } }
      : { [keyAttr]: { S: staticPkValue }, [sortKeyAttr]: { S: id } };

  function stateOf(item: Record<string, AttributeValue> | undefined): AtGate {
    if (item === undefined) return { kind: 'none' };
    const { [dataAttr]: data, ...others } = item;
    const fields = unmarshall(others);
    const { [statusAttr]: status, [expiryAttr]: expiration, [inProgressExpiryAttr]: until } = fields;
    if (status === completed) {
      const isOver = expiration !== undefined && expiration * 1000 + skewMs < now();
      if (isOver) return { kind: 'none' };
      return {
        kind: 'completed',
        expiration,
        data: data && unmarshall({ data }).data,
        validation: fields[validationKeyAttr],
      };
    }
    if (status !== inProgress) {
      const said = `the record of Powertools is left alone: expected the status ${inProgress} or ${completed}`;
      throw explainedError(Error, said, 'foreign-item');
    }
    const ends = until ?? (expiration === undefined ? Infinity : expiration * 1000);
    return { kind: 'in-progress', until: ends, heldBy: fields[mark], doubtUntil: fields[doubt] };
  }

  /** Writes to a record, with only those names and values that the expressions have: DynamoDB refuses the others. */
  async function update(
    id: string,
    set: Readonly<Record<string, AttributeValue | undefined>>,
    condition?: string,
    given: Readonly<Record<string, AttributeValue>> = {},
  ): Promise<AtGate | undefined> {
    const sets = Object.entries(set).filter((entry): entry is [string, AttributeValue] => entry[1] !== undefined);
    const removed = Object.keys(set).filter((name) => set[name] === undefined);
    const assigned = sets.length > 0 ? `SET ${sets.map(([name]) => `#${name} = :${name}`).join(', ')}` : '';
    const cleared = removed.length > 0 ? ` REMOVE ${removed.map((name) => `#${name}`).join(', ')}` : '';
    const expression = `${assigned}${cleared}`;
    const isUsed = (name: string) => new RegExp(`${name}\\b`).test(`${expression} ${condition ?? ''}`);
    const values = { ...Object.fromEntries(sets.map(([name, value]) => [`:${name}`, value])), ...given };
    try {
      await send(
        new UpdateItemCommand({
          TableName: nameOfTable(),
          Key: keyOf(id),
          UpdateExpression: expression,
          ConditionExpression: condition,
          ExpressionAttributeNames: Object.fromEntries(Object.entries(names).filter(([name]) => isUsed(name))),
          ExpressionAttributeValues: Object.keys(values).length > 0 ? values : undefined,
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      );
      return undefined;
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      return stateOf(error.Item);
    }
  }

  const entered = ({ claimId, until, expiration, validation }: Entrant) => ({
    status: { S: inProgress },
    until: { N: String(Math.ceil(until + skewMs)) },
    expiry: expiration === undefined ? undefined : { N: String(expiration) },
    validation: validation === undefined ? undefined : { S: validation },
    data: undefined,
    pawl: { S: claimId },
  });

  const isPawls = 'attribute_exists(#pawl) AND #status = :inProgress';
  const inProgressValue = { ':inProgress': { S: inProgress } };

  return {
    setupError,

    async read(id: string): Promise<AtGate> {
      const { Item } = await send(
        new GetItemCommand({ TableName: nameOfTable(), Key: keyOf(id), ConsistentRead: true }),
      );
      return stateOf(Item);
    },

    /** Enters where there is no record, or where what it says has expired. @returns what stands there instead, if anything does */
    enter(id: string, entrant: Entrant): Promise<AtGate | undefined> {
      const free = 'attribute_not_exists(#key) OR (#status = :completed AND #expiry < :expired)';
      const given = { ':completed': { S: completed }, ':expired': { N: String((now() - skewMs) / 1000) } };
      return update(id, { ...entered(entrant), doubt: undefined }, free, given);
    },

    /** Enters behind an attempt of Powertools that has ended without an outcome, and keeps the doubt about it. @param until as `read` or `enter` have found it */
    takeOver(id: string, entrant: Entrant, until: number): Promise<AtGate | undefined> {
      const still = '(#until = :seen OR (attribute_not_exists(#until) AND #expiry = :seenSeconds))';
      const given = { ...inProgressValue, ':seen': { N: String(until) }, ':seenSeconds': { N: String(until / 1000) } };
      const set = { ...entered(entrant), doubt: { N: String(until) } };
      return update(id, set, `#status = :inProgress AND attribute_not_exists(#pawl) AND ${still}`, given);
    },

    /** Goes on where another claim of pawl holds the gate, and lets nobody of Powertools in earlier for it. @param until as that claim keeps it out */
    pass(id: string, entrant: Entrant, heldBy: string, until: number): Promise<AtGate | undefined> {
      const { data: _, ...own } = entered(entrant);
      const isHeld = until === Infinity;
      const set = isHeld
        ? { ...own, until: undefined, expiry: undefined }
        : until > entrant.until + skewMs
          ? { ...own, until: { N: String(until) } }
          : own;
      return update(id, set, '#pawl = :heldBy AND #status = :inProgress', {
        ...inProgressValue,
        ':heldBy': { S: heldBy },
      });
    },

    /** Keeps Powertools out for longer; for as long as pawl holds the gate, where `until` is not said. */
    hold: (id: string, until?: number): Promise<AtGate | undefined> =>
      update(
        id,
        until === undefined
          ? { until, expiry: undefined, doubt: undefined }
          : { until: { N: String(Math.ceil(until + skewMs)) } },
        isPawls,
        inProgressValue,
      ),

    /** Ends as Powertools does: without a condition, because the effect has happened. */
    async complete(id: string, { expiration, data, validation }: Omit<Completed, 'kind'>): Promise<void> {
      const set = {
        status: { S: completed },
        expiry: expiration === undefined ? undefined : { N: String(expiration) },
        validation: validation === undefined ? undefined : { S: validation },
        pawl: undefined,
        doubt: undefined,
      };
      const response = attributeOf(data);
      try {
        await update(id, { ...set, ...(response && { data: response }) });
      } catch (error) {
        // What the table cannot hold must not leave the effect to be repeated.
        if (response === undefined || !(error instanceof Error) || error.name !== 'ValidationException') throw error;
        await update(id, set);
      }
    },

    /** Ends as Powertools does where nothing is done: the record is deleted, if this claim still holds the gate. */
    async free(id: string, claimId: string): Promise<void> {
      try {
        await send(
          new DeleteItemCommand({
            TableName: nameOfTable(),
            Key: keyOf(id),
            ConditionExpression: '#pawl = :claim AND #status = :inProgress',
            ExpressionAttributeNames: { '#pawl': mark, '#status': statusAttr },
            ExpressionAttributeValues: { ...inProgressValue, ':claim': { S: claimId } },
          }),
        );
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
      }
    },
  };
}

/** A response in DynamoDB's form; nothing where that cannot be: Powertools then replays nothing. */
function attributeOf(value: unknown): AttributeValue | undefined {
  if (value === undefined) return undefined;
  try {
    return convertToAttr(value, { removeUndefinedValues: true });
  } catch {
    return undefined;
  }
}
