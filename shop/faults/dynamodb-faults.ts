import { list, record } from '../../lib/rehearsal/engine/app/template.ts';
import type { Random } from '../../lib/rehearsal/engine/random.ts';
import type { Rewrite, TapCall, TapHooks } from '../../lib/rehearsal/engine/servers/tap.ts';
import { throttleStatements } from '../../lib/rehearsal/services/dynamodb/throttle-statements.ts';

/** How often DynamoDB was made to fail, and how. */
interface DynamoDbFaultStats {
  /** Statements of a batch that were refused as exceeding the throughput. */
  throttled: number;
  /** Keys of a batch read that were left unprocessed. */
  unread: number;
  /** Requests that were carried out, and whose response was lost. */
  answersLost: number;
}

/** What DynamoDB does on a bad day, by chance: responses get lost, and batches succeed in part. */
export interface DynamoDbFaults {
  readonly stats: Readonly<DynamoDbFaultStats>;
  readonly hooks: Required<Pick<TapHooks, 'rewrite' | 'onResponse'>>;
}

const statements = 0.05;
const keys = 0.1;
const answers = 0.02;

/** The faults from the inside of this file. */
interface FaultsState {
  readonly random: Pick<Random, 'chance'>;
  readonly stats: DynamoDbFaultStats;
}

type Request = Readonly<Record<string, unknown>>;

export function createDynamoDbFaults(random: Pick<Random, 'chance'>): DynamoDbFaults {
  const state: FaultsState = { random, stats: { throttled: 0, unread: 0, answersLost: 0 } };
  return {
    stats: state.stats,
    hooks: {
      rewrite: (call) => rewrite(state, call),
      // After DynamoDB has carried the request out, and before the caller knows.
      onResponse: () => (losesAnswer(state) ? 'drop' : 'pass'),
    },
  };
}

/** Takes some of the statements, or of the keys, out of a batch. The response says that they were not served. */
function rewrite(state: FaultsState, { operation, body }: TapCall): Rewrite | undefined {
  if (operation === 'BatchExecuteStatement') return withoutStatements(state, record(JSON.parse(body)));
  return operation === 'BatchGetItem' ? withoutKeys(state, record(JSON.parse(body))) : undefined;
}

function withoutStatements({ random, stats }: FaultsState, request: Request): Rewrite | undefined {
  const taken = new Set(list(request['Statements']).filter(() => random.chance(statements)));
  stats.throttled += taken.size;
  return taken.size === 0 ? undefined : throttleStatements(request, taken);
}

function withoutKeys({ random, stats }: FaultsState, request: Request): Rewrite | undefined {
  const [[table, asked] = ['', {}]] = Object.entries(record(request['RequestItems']));
  const all = list(record(asked)['Keys']);
  const taken = all.filter(() => random.chance(keys));
  if (taken.length === 0) return undefined;
  stats.unread += taken.length;
  const Keys = all.filter((key) => !taken.includes(key));
  const part = (some: readonly unknown[]) => ({ [table]: { ...record(asked), Keys: some } });
  return {
    body: Keys.length > 0 ? JSON.stringify({ ...request, RequestItems: part(Keys) }) : undefined,
    answer: (given = '{}') => JSON.stringify({ ...record(JSON.parse(given)), UnprocessedKeys: part(taken) }),
  };
}

function losesAnswer({ random, stats }: FaultsState): boolean {
  if (!random.chance(answers)) return false;
  stats.answersLost += 1;
  return true;
}
