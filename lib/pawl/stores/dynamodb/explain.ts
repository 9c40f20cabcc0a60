import type { DynamoTransport } from '../../aws/aws.ts';
import { adviceOn, setupOf } from '../../kernel/aws-error.ts';
import { SetupError } from '../../kernel/errors.ts';
import { recordedError } from '../../kernel/recorded-error.ts';
import type { ClaimStore, ClaimWrite } from '../../rules/store.ts';

/** A table, and what a role needs to use it. */
export interface ExplainedTable {
  readonly TableName: string;
  readonly transport: Pick<DynamoTransport, 'region'>;
  readonly layout: TableLayout;
}

/** What a table has to be like besides its partition key, what makes it, and what grants its use. */
export interface TableLayout {
  readonly sort: string;
  readonly maker: string;
  readonly granted: string;
}

/** A grant of the table of claims. */
type ClaimsGrant = 'grantClaims' | 'grantLocks' | 'grantRestore' | 'grantActs';

/** @param nameOfTable throws where the name is missing: then nothing was asked of DynamoDB */
export function explainedTable(
  nameOfTable: () => string,
  transport: ExplainedTable['transport'],
  of: ClaimsGrant | TableLayout,
): ExplainedTable {
  const claims = { sort: 'no sort key', maker: 'ClaimsTable', granted: `claimsTable.${of}` };
  return {
    get TableName() {
      return nameOfTable();
    },
    transport,
    layout: typeof of === 'string' ? claims : of,
  };
}

const id = "partition key 'id' of type string";

/** DynamoDB's refusals of a key, in requests and in statements, speak of it; no other refusal of a claim does. */
const aboutKey = /\bkeys?\b/i;
const invalid: readonly string[] = ['ValidationException', 'ValidationError'];

/**
 * The error of a request to a table. If the table or the permission to use it is not as pawl needs it, the error says what to do.
 *
 * @returns a SetupError, or the error as it is, which may pass by itself
 */
export async function explainedBy({ TableName, transport, layout }: ExplainedTable, error: unknown): Promise<unknown> {
  const { name, message } = recordedError(error);
  const options = { cause: error };
  const table = `the table '${TableName}'`;
  if (invalid.includes(name) && aboutKey.test(message)) {
    const expected = `expected the ${id}, and ${layout.sort}`;
    const advice = `No table changes its key: create another table (${layout.maker} of @pawl/cdk does), and give its name`;
    return new SetupError(
      `${table} has the wrong key: ${expected}. DynamoDB says: ${message}. ${advice}`,
      'wrong-table-key',
      options,
    );
  }
  const setup = setupOf(error);
  if (setup === undefined) return error;
  switch (setup.kind) {
    case 'missing':
      return new SetupError(
        `${table} does not exist in ${await regionOf(transport)}, in the account of these credentials. Create it (${id}, TTL on 'expiresAt'), or correct tableName or the region`,
        'missing-table',
        options,
      );
    case 'denied': {
      const { action = 'a request' } = setup;
      const others = setup.action ?? 'the actions that the page lists';
      const deniedTo = (advice: string): SetupError =>
        new SetupError(
          `the role may not perform ${action} on ${table}. Grant it: ${advice}, or allow ${others} in its policy`,
          'access-denied',
          { ...options, advised: deniedTo },
        );
      return deniedTo(`${layout.granted}(fn)`);
    }
    default:
      return new SetupError(`${table} was not reached: ${adviceOn(setup)}`, setup.kind, options);
  }
}

/** A store whose errors say what to do, where the table is not as pawl needs it. */
export function explainedStore<Store extends ClaimStore>(store: Store, table: ExplainedTable): Store {
  async function explain(error: unknown): Promise<never> {
    throw await explainedBy(table, error);
  }
  return {
    ...store,
    read: (id: string, waitsMs?: number) => store.read(id, waitsMs).catch(explain),
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
