import { describe, expect, it } from 'vitest';
import { nodeHost } from '../../../lib/pawl/host.ts';
import { type ClaimStore, failOpen, once, rememberCompleted } from '../../../lib/pawl/index.ts';
import { OptionError } from '../../../lib/pawl/kernel/errors.ts';
import type { KeepsNotes } from '../../../lib/pawl/rules/notes.ts';
import type { ListsOpenClaims } from '../../../lib/pawl/rules/open-claims.ts';
import type { KnowsRestore } from '../../../lib/pawl/rules/restored.ts';
import { reconcileStatements } from '../../../lib/pawl/statements/index.ts';
import { explainedStore, explainedTable } from '../../../lib/pawl/stores/dynamodb/explain.ts';
import { type RestoreOfTable, restoredStore } from '../../../lib/pawl/stores/dynamodb/restored-store.ts';
import type { DynamoStore } from '../../../lib/pawl/stores/dynamodb/store.ts';
import { withListing } from '../../../lib/pawl/stores/listing.ts';
import { type TransactionalStore, transactionalStore } from '../../../lib/pawl/transactions/store.ts';
import { record } from '../../support/records.ts';

/** Everything that a store can do. A feature that is added to it joins `calls`, or TypeScript refuses this file. */
type Whole = Omit<Required<ClaimStore>, 'listed'> &
  DynamoStore &
  ListsOpenClaims &
  KeepsNotes &
  KnowsRestore &
  TransactionalStore;

const one = record();
const note = { id: '#note', rev: 1, text: '{}', v: 'note-1' } as const;
const entry = { id: one.id, firstSeenAt: 1 };
const restored = { cutOff: 1, firstCutOff: 1, reopenedAt: 2, stands: true };

/** A call of each feature, and what the wrapped store says to it. */
const calls: {
  readonly [Name in keyof Omit<Whole, 'setupError' | 'aws' | 'table' | 'listed'>]-?: readonly [
    Parameters<Whole[Name]>,
    unknown,
  ];
} = {
  read: [[one.id, 900], one],
  write: [[{ next: { ...one, rev: 2 }, seen: one, waitsMs: 900 }], { applied: true }],
  listOpen: [[{ limit: 7 }], { claims: [], cursor: 'next' }],
  readNote: [[note.id], note],
  writeNote: [[{ next: note, seen: undefined }], { applied: true }],
  listPlace: [[{ place: '#findings', until: 1, limit: 7 }], { entries: [entry], after: entry }],
  readRestore: [['charge'], restored],
  liftRestore: [['charge', { by: 'maria', note: 'compared' }, restored], true],
  commit: [[{ next: { ...one, rev: 2 }, seen: one }, [{ Put: { TableName: 'orders', Item: {} } }]], { applied: true }],
};
type Feature = keyof typeof calls;
const features = Object.keys(calls) as Feature[];

/** A store that can do everything, and what it was asked. A class: its methods are on its prototype, and need their `this`. */
class WholeStore {
  readonly asked: [Feature, unknown[]][] = [];
  readonly setupError = new OptionError('the table has no name');
  readonly aws = aws;
}
for (const name of features) {
  Object.defineProperty(WholeStore.prototype, name, {
    value(this: WholeStore, ...args: unknown[]) {
      expect(this).toBeInstanceOf(WholeStore);
      this.asked.push([name, args]);
      return Promise.resolve(calls[name][1]);
    },
  });
}
const wholeStore = () => new WholeStore() as WholeStore & Whole;

/** The same as an object, as pawl's own wrappers have it inside. */
function plainStore() {
  const whole = wholeStore();
  const members = features.map((name) => [
    name,
    (...args: never[]) => (whole[name] as (...all: never[]) => unknown)(...args),
  ]);
  return Object.assign({ asked: whole.asked, setupError: whole.setupError, aws }, Object.fromEntries(members) as Whole);
}

const restore: RestoreOfTable = {
  now: () => 3,
  ofClaim: async () => undefined,
  forStatements: {
    readRestore: async () => restored,
    liftRestore: async () => true,
  },
};
const transport = { call: async () => ({}), region: async () => 'eu' };
const aws = { dynamodb: transport, sqs: transport };
const nameOfTable = () => 'claims';
const table = { nameOfTable, setupError: undefined, aws, host: nodeHost, restore: undefined };

type Wrapper = readonly [
  wrap: (store: never) => Partial<Omit<Whole, 'aws'>> & Pick<ClaimStore, 'aws'>,
  lacking?: readonly Feature[],
  own?: readonly Feature[],
];

/** Every wrapper of a store: what it makes, what it refuses or leaves out on purpose, and what it answers by itself. */
const notInFailOpen: readonly Feature[] = [
  'readNote',
  'writeNote',
  'listPlace',
  'readRestore',
  'liftRestore',
  'commit',
];
const wrappers: Readonly<Record<string, Wrapper>> = {
  rememberCompleted: [(store: Whole) => rememberCompleted(store)],
  'rememberCompleted twice': [(store: Whole) => rememberCompleted(rememberCompleted(store))],
  restoredStore: [(store: Whole) => restoredStore(store, restore), [], ['readRestore', 'liftRestore']],
  explainedStore: [(store: Whole) => explainedStore(store, explainedTable(nameOfTable, transport, 'grantClaims'))],
  transactionalStore: [(store: Whole) => transactionalStore({ ...store, table }), [], ['commit']],
  'rememberCompleted of all that dynamoStore makes': [
    (store: Whole) =>
      rememberCompleted(
        transactionalStore({
          ...explainedStore(restoredStore(store, restore), explainedTable(nameOfTable, transport, 'grantClaims')),
          table,
        }),
      ),
    [],
    ['readRestore', 'liftRestore', 'commit'],
  ],
  failOpen: [(store: Whole) => withListing(failOpen(withoutCommit(store), () => undefined)), notInFailOpen],
  'failOpen of rememberCompleted': [
    (store: Whole) => withListing(failOpen(rememberCompleted(withoutCommit(store)), () => undefined)),
    notInFailOpen,
  ],
  'rememberCompleted of failOpen': [
    (store: Whole) => withListing(rememberCompleted(failOpen(withoutCommit(store), () => undefined))),
    notInFailOpen,
  ],
};

/** A store of claims alone: `failOpen` refuses one that commits. */
function withoutCommit(store: Whole): ClaimStore & ListsOpenClaims {
  const { read, write, listOpen, setupError } = store;
  return {
    setupError,
    aws: store.aws,
    read: read.bind(store),
    write: write.bind(store),
    ...(listOpen && { listOpen: listOpen.bind(store) }),
  } as ClaimStore & ListsOpenClaims;
}

describe.each(Object.entries(wrappers))('%s', (name, [wrap, lacking = [], own = []]) => {
  it.each(features.filter((feature) => !lacking.includes(feature)))(
    'passes %s on, with all that it is given, and its answer',
    async (feature) => {
      const [args, answer] = calls[feature];
      const store = plainStore();
      const wrapped = wrap(store as never);
      const came = await (wrapped[feature] as (...all: unknown[]) => Promise<unknown>)(...args);
      expect(came).toEqual(answer);
      if (!own.includes(feature)) expect(store.asked).toEqual([[feature, args]]);
    },
  );

  it('says what keeps its store from working', () => {
    const store = plainStore();
    expect(wrap(store as never).setupError).toBe(store.setupError);
  });

  it('has the way to AWS of its store: the doors over it need no other', () => {
    expect(wrap(plainStore() as never).aws).toBe(aws);
  });

  it('rejects with what its store rejects with, where it has no answer of its own', async () => {
    for (const feature of features.filter((one) => !lacking.includes(one) && !own.includes(one))) {
      if (name.includes('failOpen') && (feature === 'read' || feature === 'write')) continue;
      const broken = { ...plainStore(), [feature]: () => Promise.reject(new Error('the store is down')) };
      const wrapped = wrap(broken as never);
      const asked = (wrapped[feature] as (...all: unknown[]) => Promise<unknown>)(...calls[feature][0]);
      await expect(asked).rejects.toThrow('the store is down');
    }
  });

  it('has nothing that its store has not: what needs it is refused there with a sentence', () => {
    const { read, write } = plainStore();
    const wrapped = wrap({ read, write } as never);
    const made = features.filter((feature) => typeof wrapped[feature] === 'function');
    expect(made.filter((feature) => !own.includes(feature))).toEqual(['read', 'write']);
  });
});

it('a store of a class keeps its methods in rememberCompleted', async () => {
  const store = wholeStore();
  const wrapped = rememberCompleted<Whole>(store);
  for (const feature of features) {
    expect(await (wrapped[feature] as (...all: unknown[]) => unknown)(...calls[feature][0])).toEqual(calls[feature][1]);
  }
  expect(store.asked.map(([feature]) => feature)).toEqual(features);
});

it('what failOpen does not have is refused where it is needed, before anything runs', async () => {
  const open = failOpen(withoutCommit(plainStore()), () => undefined);
  const options = { operation: 'charge', store: open as never, from: 0, settleMs: 0, statement: () => [] };
  await expect(reconcileStatements(options)).rejects.toThrow('keeps notes');
  expect(() => failOpen(plainStore() as never, () => undefined)).toThrow('a transactionalStore');
  expect(() =>
    once({ operation: 'a', store: open, key: (key: string) => key, onAbandoned: 'park' }, () => 1),
  ).not.toThrow();
});
