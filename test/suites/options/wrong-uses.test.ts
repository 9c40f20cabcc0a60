import { beforeAll, describe, expect, test } from 'vitest';
import { publicEntries } from '../../../checks/packages.ts';
import { memoryStore } from '../../../lib/pawl/index.ts';
import { operator } from '../../../lib/pawl/operate/index.ts';
import { noQueue } from '../../support/lambda.ts';

const root = new URL('../../../', import.meta.url);

function* generator() {
  yield 1;
}
class Made {}

/** What a program without types may hand over in place of the first argument of any function. */
const wrongArguments: Readonly<Record<string, () => readonly unknown[]>> = {
  nothing: () => [],
  null: () => [null],
  'a number': () => [7],
  'a text': () => ['text'],
  'a list': () => [[]],
  'a promise': () => [Promise.resolve({})],
  'a generator': () => [generator],
  'an instance of a class': () => [new Made()],
};

const protocol = 'a rule of the protocol: pure, for authors of stores, and called with typed records';
const reader = 'reads or writes any value, and looks at nothing of it before it is called with a message';
const constructs = 'constructs of CDK, which is typed: the compiler says it before anything is deployed';
const defaults = 'all of its options have defaults, or come from the environment at the first call';
const listener = 'a listener: pawl calls it with an event, and ignores what it throws';

/** The functions that take such an argument, or do not say what is wrong in pawl's words, and why. */
const takes: Readonly<Record<string, string>> = {
  decide: protocol,
  decideLock: protocol,
  endLock: protocol,
  extendLock: protocol,
  keepLock: protocol,
  renew: protocol,
  settle: protocol,
  unchanged: protocol,
  fencedBy: protocol,
  canonicalJson: reader,
  canonicalValue: reader,
  entityKey: reader,
  requestKey: reader,
  messageId: reader,
  sentKey: reader,
  s3EventKey: reader,
  s3Events: reader,
  snsEnvelope: reader,
  eventBridgeEnvelope: reader,
  bodyField: reader,
  messageAttribute: reader,
  claimOf: 'of any context without a claim, it returns undefined',
  headerKey: defaults,
  memoryStore: defaults,
  memoryLockStore: defaults,
  dynamoStore: defaults,
  individualDynamoStore: defaults,
  postgresMigration: defaults,
  deadLetterQueue: defaults,
  sdk: defaults,
  lean: defaults,
  metricEvents: defaults,
  topics: defaults,
  eventBuses: defaults,
  httpProvider: defaults,
  renewedLease: 'a number is what it takes',
  hashed: 'a missing secret is said at the first call, as a missing table is',
  allOf: 'with no listeners, it calls none',
  logEvents: listener,
  explain: 'a report, as crashSweep returned it',
  mailer: 'provider of a rehearsal, typed',
  rows: 'provider of a rehearsal, typed',
  times: 'traffic of a rehearsal, typed',
  grantClaims: constructs,
  grantLocks: constructs,
  grantOperate: constructs,
  grantRestore: constructs,
  grantActs: constructs,
  grantStatements: constructs,
};

/** What JavaScript itself says of a value that nobody looked at. */
const bare = /Cannot |is not a function|is not iterable|is not a constructor|called on null|undefined \(/;

/** What is said of a call; nothing where it is taken. */
async function saidOf(call: () => unknown): Promise<string | undefined> {
  try {
    await call();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return undefined;
}

const functions = new Map<string, (...args: readonly unknown[]) => unknown>();

beforeAll(async () => {
  for (const { source } of publicEntries) {
    const exported: object = await import(new URL(source, root).href);
    for (const [name, value] of Object.entries(exported)) {
      if (typeof value === 'function' && !/^class\b/.test(String(value))) functions.set(name, value);
    }
  }
});

describe('a public function that is called with something else', () => {
  test.each(Object.entries(wrongArguments))('says so in words of its own: %s', async (_, args) => {
    const left: string[] = [];
    for (const [name, fn] of functions) {
      if (Object.hasOwn(takes, name)) continue;
      const said = await saidOf(() => fn(...args()));
      if (said === undefined || bare.test(said)) left.push(`${name}: ${said ?? 'it takes it'}`);
    }
    expect(left).toEqual([]);
  });

  test('every exception is a function that there is, and one that is needed', async () => {
    expect(Object.keys(takes).filter((name) => !functions.has(name))).toEqual([]);
    const needless: string[] = [];
    for (const name of Object.keys(takes)) {
      const said = await Promise.all(
        Object.values(wrongArguments).map((args) => saidOf(() => functions.get(name)?.(...args()))),
      );
      if (said.every((one) => one !== undefined && !bare.test(one))) needless.push(name);
    }
    expect(needless).toEqual([]);
  });
});

describe('a function of an operator that is called with something else', () => {
  const operate = operator({ store: memoryStore(), aws: noQueue, onEvent: () => undefined });
  /** They take no argument as well. */
  const takesNone: readonly string[] = ['openClaims'];
  const methods = Object.entries(operate).filter(([name]) => !takesNone.includes(name)) as [string, Method][];
  type Method = (...args: readonly unknown[]) => unknown;

  test.each(methods)('%s says so in words of its own', async (_, method) => {
    const left: string[] = [];
    for (const [what, args] of Object.entries(wrongArguments)) {
      const said = await saidOf(async () => {
        const answer = await method(...args());
        for await (const one of answer as AsyncIterable<unknown>) return one;
        return undefined;
      });
      if (said === undefined || bare.test(said)) left.push(`${what}: ${said ?? 'it takes it'}`);
    }
    expect(left).toEqual([]);
  });

  test.each(['resolveAll', 'redrive', 'discard'] as const)('%s says that the promise of a plan is none', (name) => {
    expect(() => operate[name](Promise.resolve({ items: [] }) as never)).toThrow(
      /plan: expected the plan that plan.*; got a promise; await it first/,
    );
  });
});
