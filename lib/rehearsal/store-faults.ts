import type { Random } from './random.ts';
import type { Rewrite, TapCall, TapVerdict } from './tap.ts';
import { list, record } from './template.ts';

/** How often DynamoDB was made to fail, and how. */
export interface StoreFaultStats {
  /** Statements of a batch that were refused as one too many. */
  throttled: number;
  /** Keys of a batch read that were left unprocessed. */
  unread: number;
  /** Requests that were carried out, and whose answer was lost. */
  answersLost: number;
}

const STATEMENTS = 0.05;
const KEYS = 0.1;
const ANSWERS = 0.02;

export type StoreFaults = ReturnType<typeof createStoreFaults>;

/** What DynamoDB does on a bad day, by chance: answers get lost, and batches succeed in part. */
export function createStoreFaults(random: Random) {
  const stats: StoreFaultStats = { throttled: 0, unread: 0, answersLost: 0 };

  /** Takes some of the statements, or of the keys, out of a batch, and says of them in the answer that they were not served. */
  function rewrite({ operation, body }: TapCall): Rewrite | undefined {
    const request = record(JSON.parse(body));
    if (operation === 'BatchExecuteStatement') return withoutStatements(request);
    return operation === 'BatchGetItem' ? withoutKeys(request) : undefined;
  }

  function withoutStatements(request: Readonly<Record<string, unknown>>): Rewrite | undefined {
    const all = list(request['Statements']);
    const taken = new Set(all.filter(() => random.chance(STATEMENTS)));
    if (taken.size === 0) return undefined;
    stats.throttled += taken.size;
    const left = all.filter((statement) => !taken.has(statement));
    return {
      body: left.length > 0 ? JSON.stringify({ ...request, Statements: left }) : undefined,
      answer(given = '{}') {
        const answer = record(JSON.parse(given));
        const answers = list(answer['Responses']).values();
        const throttled = { Error: { Code: 'ThrottlingError', Message: 'throttled by the local stack' } };
        const Responses = all.map((statement) => (taken.has(statement) ? throttled : answers.next().value));
        return JSON.stringify({ ...answer, Responses });
      },
    };
  }

  function withoutKeys(request: Readonly<Record<string, unknown>>): Rewrite | undefined {
    const [[table, asked] = ['', {}]] = Object.entries(record(request['RequestItems']));
    const all = list(record(asked)['Keys']);
    const taken = all.filter(() => random.chance(KEYS));
    if (taken.length === 0) return undefined;
    stats.unread += taken.length;
    const Keys = all.filter((key) => !taken.includes(key));
    const part = (some: readonly unknown[]) => ({ [table]: { ...record(asked), Keys: some } });
    return {
      body: Keys.length > 0 ? JSON.stringify({ ...request, RequestItems: part(Keys) }) : undefined,
      answer: (given = '{}') => JSON.stringify({ ...record(JSON.parse(given)), UnprocessedKeys: part(taken) }),
    };
  }

  /** After DynamoDB has done it, and before anybody knows. */
  function onResponse(): TapVerdict {
    if (!random.chance(ANSWERS)) return 'pass';
    stats.answersLost += 1;
    return 'drop';
  }

  return { stats, rewrite, onResponse };
}
