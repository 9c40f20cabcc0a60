import type { DynamoTransport } from '../../aws/aws.ts';
import { adviceOn, setupOf } from '../../kernel/aws-error.ts';
import { SetupError } from '../../kernel/errors.ts';
import { recordedError } from '../../kernel/recorded-error.ts';
import type { ClaimStore, ClaimWrite } from '../../rules/store.ts';

/** A table, and what a role needs to use it. */
export interface ExplainedTable {
  readonly TableName: string;
  readonly transport: Pick<DynamoTransport, 'region'>;
  /** The grant of the constructs. */
  readonly grant: 'grantClaims' | 'grantLocks' | 'grantRestore' | 'grantActs' | 'grantOutbox';
}

/** @param nameOfTable throws where the name is missing: then nothing was asked of DynamoDB */
export function explainedTable(
  nameOfTable: () => string,
  transport: ExplainedTable['transport'],
  grant: ExplainedTable['grant'],
): ExplainedTable {
  return {
    get TableName() {
      return nameOfTable();
    },
    transport,
    grant,
  };
}

/** DynamoDB's refusals of a key, in requests and in statements, speak of it; no other refusal of a claim does. */
const aboutKey = /\bkeys?\b/i;
const invalid: readonly string[] = ['ValidationException', 'ValidationError'];

/**
 * The error of a request to a table. If the table or the permission to use it is not as pawl needs it, the error says what to do.
 *
 * @returns a SetupError, or the error as it is, which may pass by itself
 */
export async function explainedBy({ TableName, transport, grant }: ExplainedTable, error: unknown): Promise<unknown> {
  const { name, message } = recordedError(error);
  const options = { cause: error };
  const table = `the table '${TableName}'`;
  if (invalid.includes(name) && aboutKey.test(message)) {
    const { id, sort, maker } = layoutOf(grant);
    const expected = `expected the ${id}, and ${sort}`;
    const advice = `The key of a table cannot be changed: create another table (${maker}), and give its name`;
    return new SetupError(
      `${table} has the wrong key: ${expected}. DynamoDB says: ${message}. ${advice}`,
      'wrong-table-key',
      options,
    );
  }
  const setup = setupOf(error);
  if (setup === undefined) return error;
  switch (setup.kind) {
    case 'missing': {
      const { id } = layoutOf(grant);
      return new SetupError(
        `${table} does not exist in ${await regionOf(transport)}, in the account of these credentials. Create it (${id}, TTL on 'expiresAt'), or correct tableName or the region of the client`,
        'missing-table',
        options,
      );
    }
    case 'denied': {
      const { action = 'a request' } = setup;
      const others = setup.action ?? 'the actions that the page lists';
      const deniedTo = (advice: string): SetupError =>
        new SetupError(
          `the role may not perform ${action} on ${table}. Grant it: ${advice}, or allow ${others} in a policy of the role`,
          'access-denied',
          { ...options, advised: deniedTo },
        );
      return deniedTo(layoutOf(grant).granted);
    }
    default:
      return new SetupError(`${table} was not reached: ${adviceOn(setup)}`, setup.kind, options);
  }
}

/** What a table has to be like, what makes it, and what grants its use. */
function layoutOf(grant: ExplainedTable['grant']) {
  const isOutbox = grant === 'grantOutbox';
  const id = "partition key 'id' of type string";
  const sort = isOutbox ? "the sort key 'n' of type number" : 'no sort key';
  const maker = `${isOutbox ? 'OutboxTable' : 'ClaimsTable'} of @pawl/cdk does`;
  return { id, sort, maker, granted: `${isOutbox ? 'outbox' : 'claims'}Table.${grant}(fn)` };
}

/** A store whose errors say what to do, where the table is not as pawl needs it. */
export function explainedStore<Store extends ClaimStore>(store: Store, table: ExplainedTable): Store {
  async function explain(error: unknown): Promise<never> {
    throw await explainedBy(table, error);
  }
  return {
    ...store,
    read: (id: string) => store.read(id).catch(explain),
    write: (write: ClaimWrite) => store.write(write).catch(explain),
  };
}

/** @throws what `explainedBy` makes of the request's error */
export async function explaining<T>(table: ExplainedTable, request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    throw await explainedBy(table, error);
  }
}

async function regionOf(transport: ExplainedTable['transport']): Promise<string> {
  try {
    return `the region ${await transport.region()}`;
  } catch {
    return 'this region';
  }
}
