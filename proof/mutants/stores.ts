import type { DynamoOperation } from '../../lib/pawl/aws/aws.ts';
import { breaks, type Mutant } from './mutant.ts';

/** Breakages of the stores. */

type Condition = typeof import('../../lib/pawl/stores/dynamodb/condition.ts');
type GroupCommit = typeof import('../../lib/pawl/stores/group-commit.ts');
type PhysicalTable = typeof import('../../lib/pawl/stores/dynamodb/physical-table.ts');
type Tables = typeof import('../../lib/pawl/stores/dynamodb/table.ts');

/** A statement's response, as far as it matters here. */
interface StatementResponse {
  readonly Error?: { readonly Code?: string };
}

/** A request and its response, as far as they matter here. */
interface Exchange {
  readonly input: Record<string, unknown>;
  readonly output: {
    UnprocessedKeys?: unknown;
    Responses?: unknown;
  };
}

/** Changes what is sent to DynamoDB, and what comes back. */
function ofRequests(
  what: string,
  sent: (input: Exchange['input']) => void,
  came: (exchange: Exchange) => void,
): Mutant {
  return breaks<Tables>(what, 'lib/pawl/stores/dynamodb/table.ts', ({ openTable }) => ({
    openTable(options, way) {
      const { aws, ...table } = openTable(options, way);
      const { dynamodb } = aws;
      async function call(operation: DynamoOperation, input: object): Promise<object> {
        const request: Exchange['input'] = { ...input };
        sent(request);
        const output = { ...(await dynamodb.call(operation, request)) };
        came({ input: request, output });
        return output;
      }
      return { ...table, aws: { ...aws, dynamodb: { ...dynamodb, call } } };
    },
  }));
}

const unchanged = () => undefined;

/** Takes statements that failed in this way for applied ones. */
function takenForApplied(what: string, isTaken: (code: string | undefined) => boolean): Mutant {
  return ofRequests(what, unchanged, ({ input, output }) => {
    if (!('Statements' in input) || !Array.isArray(output.Responses)) return;
    output.Responses = output.Responses.map((one: StatementResponse) =>
      one.Error && isTaken(one.Error.Code) ? {} : one,
    );
  });
}

const isRefusal = (code: string | undefined) => code === 'DuplicateItem' || code === 'ConditionalCheckFailed';

export const stores: readonly Mutant[] = [
  breaks<PhysicalTable>(
    "a mark that a restore has brought along is taken for the table's own",
    'lib/pawl/stores/dynamodb/physical-table.ts',
    () => ({ describeTable: async () => ({ id: 'any', restoredTo: undefined }) }),
  ),
  breaks<Condition>('a write without its condition', 'lib/pawl/stores/dynamodb/condition.ts', () => ({
    conditionOf: () => ({ expression: 'attribute_exists(id) OR attribute_not_exists(id)' }),
  })),
  breaks<typeof import('../../lib/pawl/stores/dynamodb/errors.ts')>(
    'any error counts as a refusal',
    'lib/pawl/stores/dynamodb/errors.ts',
    ({ refusedBy }) => ({ refusedBy: (error) => refusedBy(error) ?? { item: undefined } }),
  ),
  breaks<Condition>('an UPDATE that does not compare', 'lib/pawl/stores/dynamodb/condition.ts', ({ whereOf }) => ({
    whereOf: (id, _, parameter) => whereOf(id, {}, parameter),
  })),
  breaks<typeof import('../../lib/pawl/stores/dynamodb/statement.ts')>(
    'an UPDATE that removes nothing',
    'lib/pawl/stores/dynamodb/statement.ts',
    ({ statementOf }) => ({
      statementOf(table, { next, seen }) {
        const set = Object.fromEntries(Object.entries(next).filter(([, value]) => value !== undefined));
        return statementOf(table, { next: { ...seen, ...next, ...(seen && { ...seen, ...set }) }, seen });
      },
    }),
  ),
  ofRequests(
    'a read that may be stale',
    ({ RequestItems }) => {
      for (const wanted of Object.values(RequestItems ?? {})) delete wanted.ConsistentRead;
    },
    unchanged,
  ),
  ofRequests('what was not read counts as not there', unchanged, ({ output }) => {
    delete output.UnprocessedKeys;
  }),
  ofRequests('a statement that was not answered counts as applied', unchanged, ({ input, output }) => {
    const { Statements } = input;
    if (!Array.isArray(Statements)) return;
    const responses = Array.isArray(output.Responses) ? output.Responses : [];
    output.Responses = Statements.map((_, index) => responses[index] ?? {});
  }),
  takenForApplied('a throttled statement counts as applied', (code) => !isRefusal(code)),
  takenForApplied('a refused statement counts as applied', isRefusal),
  ofRequests(
    'a read that may be stale, one at a time',
    (input) => {
      if ('Key' in input) delete input['ConsistentRead'];
    },
    unchanged,
  ),
  breaks<typeof import('../../lib/pawl/stores/dynamodb/item.ts')>(
    'an item of another schema is read as if it were a known one',
    'lib/pawl/stores/dynamodb/item.ts',
    ({ fromItem }) => ({
      fromItem: (item) => ({ ...fromItem({ ...item, v: { N: '1' } }), v: Number(item['v']?.N) as 1 }),
    }),
  ),
  breaks<GroupCommit>('one key twice in one request', 'lib/pawl/stores/group-commit.ts', ({ groupCommit }) => ({
    groupCommit(...args) {
      const send = groupCommit(...args);
      let count = 0;
      return (id, input, standing) => send(`${id}#${++count}`, input, standing);
    },
  })),
  breaks<GroupCommit>(
    'a part that failed is never sent again',
    'lib/pawl/stores/group-commit.ts',
    ({ groupCommit }) => ({
      groupCommit: (host, most, send, errors) =>
        groupCommit(
          host,
          most,
          async (...sent) =>
            (await send(...sent)).map((part) => ('error' in part ? { value: Promise.reject(part.error) } : part)),
          errors,
        ),
    }),
  ),
  breaks<typeof import('../../lib/pawl/stores/remember-completed.ts')>(
    'what is not completed is remembered as well',
    'lib/pawl/stores/remember-completed.ts',
    ({ rememberCompleted }) => ({
      rememberCompleted(store, options) {
        const remembering = rememberCompleted(store, options);
        const found = new Map<string, Awaited<ReturnType<typeof store.read>>>();
        const write: typeof store.write = async (one) => {
          const written = await remembering.write(one);
          found.set(one.next.id, written.applied ? one.next : written.found);
          return written;
        };
        const read = async (id: string) => found.get(id) ?? remembering.read(id);
        return { ...remembering, read, write };
      },
    }),
  ),
  breaks<typeof import('../../lib/pawl/stores/fail-open.ts')>(
    'a store that is down refuses, although it was to fail open',
    'lib/pawl/stores/fail-open.ts',
    () => ({ failOpen: (store) => store }),
  ),
];
