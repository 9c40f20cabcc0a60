import { describe, expect, test } from 'vitest';
import { type ClaimStore, memoryStore } from '../../../lib/pawl/index.ts';
import { claimStoreLaws } from '../../../lib/testing/index.ts';
import { brokenLists } from './broken-lists.ts';
import { brokenNotes } from './broken-notes.ts';
import { brokenStores } from './broken-stores.ts';
import { listingStore, rightStore } from './map-store.ts';
import { runLaws } from './run-laws.ts';

const caught = new Map<string, string>();

const lawsOver = (open: () => ClaimStore) => runLaws((test) => claimStoreLaws({ test, open, races: 10, runs: 40 }));

test('a store over a Map passes every law that it can be held to, and each other law is skipped with its reason', async () => {
  const { passed, failed, skipped } = await lawsOver(rightStore);
  expect([...failed]).toEqual([]);
  expect(passed.length).toBeGreaterThan(40);
  for (const name of skipped)
    expect(name).toMatch(/ \(skipped: (openElsewhere|openLosingResponses|listsOpenClaims|keepsNotes) is not given\)$/);
  expect(skipped).toHaveLength(8 + 8 + 5);
});

/** A store whose client has sent each applied write again by itself, and passes on what the second one met: the record that it wrote. */
function meetsItself(): ClaimStore {
  const store = rightStore();
  return {
    read: (id) => store.read(id),
    async write(write) {
      const result = await store.write(write);
      return result.applied ? store.write(write) : result;
    },
  };
}

describe('a store is found out that', () => {
  for (const [name, open] of Object.entries(brokenStores)) {
    test(name, async () => {
      const { failed } = await lawsOver(open);
      for (const [law, message] of failed) caught.set(law, message);
      expect(failed.size).toBeGreaterThan(0);
    });
  }
});

test('each law finds one of them out, and says what is wrong in sentences', async () => {
  const { passed } = await lawsOver(rightStore);
  expect(passed.filter((law) => !caught.has(law))).toEqual([]);
});

describe('a list of open claims', () => {
  const found = new Set<string>();
  const openLawsOver = (open: () => ClaimStore) =>
    runLaws(
      (test) => claimStoreLaws({ test, open, listsOpenClaims: true, listLagMs: 0, races: 1, runs: 1 }),
      isAboutLists,
    );
  const isAboutLists = (name: string) =>
    !name.includes('keepsNotes is not given') && /\blists?\b|\bquery\b|keeps its place/.test(name);

  test('over a Map passes every law about it', async () => {
    const { passed, failed } = await openLawsOver(listingStore);
    expect([...failed]).toEqual([]);
    expect(passed).toHaveLength(8);
  });

  for (const [name, open] of Object.entries(brokenLists)) {
    test(`is found out that ${name}`, async () => {
      const { failed } = await openLawsOver(open);
      for (const [law] of failed) found.add(law);
      expect(failed.size).toBeGreaterThan(0);
    });
  }

  test('each law about it finds one of them out', async () => {
    const { passed } = await openLawsOver(listingStore);
    expect(passed.filter((law) => !found.has(law))).toEqual([]);
  });
});

describe('a store that keeps notes', () => {
  const found = new Set<string>();
  const noteLawsOver = (open: () => ClaimStore) =>
    runLaws(
      (test) => claimStoreLaws({ test, open, keepsNotes: true, listLagMs: 0, races: 1, runs: 1 }),
      (name) => /\bnote\b|\ba place\b|waits for a statement/.test(name),
    );

  test('over a Map passes every law about them', async () => {
    const { passed, failed } = await noteLawsOver(memoryStore);
    expect([...failed]).toEqual([]);
    expect(passed).toHaveLength(5);
  });

  for (const [name, open] of Object.entries(brokenNotes)) {
    test(`is found out that ${name}`, async () => {
      const { failed } = await noteLawsOver(open);
      for (const [law] of failed) found.add(law);
      expect(failed.size).toBeGreaterThan(0);
    });
  }

  test('each law about them finds one of them out', async () => {
    const { passed } = await noteLawsOver(memoryStore);
    expect(passed.filter((law) => !found.has(law))).toEqual([]);
  });
});

test('a store of which every write is refused because of itself is held to all of them, and loses responses in each law that says so', async () => {
  const { passed, failed } = await runLaws((test) =>
    claimStoreLaws({ test, open: meetsItself, mayMeetItself: true, races: 10, runs: 40 }),
  );
  expect([...failed]).toEqual([]);
  const right = await lawsOver(rightStore);
  expect(passed).toEqual(right.passed);
});

test('a law in which no response was lost fails: it would pass with any store', async () => {
  const openLosingResponses = (store: ClaimStore) => ({ store, lost: () => 0 });
  const { failed } = await runLaws((test) =>
    claimStoreLaws({ test, open: rightStore, openLosingResponses, races: 1, runs: 1 }),
  );
  expect([...failed.keys()].filter((law) => !law.startsWith('responses lost, sent again by its client'))).toEqual([]);
  expect(failed.size).toBeGreaterThan(3);
  for (const message of failed.values()) expect(message).toMatch(/^0 responses were lost, expected \d/);
});

test('a failure says what the store did, what was expected, and why that matters', async () => {
  const { failed } = await lawsOver(brokenStores['keeps maps one level deep'] ?? rightStore);
  expect(failed.get('keeps every field of a record, maps inside of it included')).toBe(
    'The record that was read is not the one that was written: resolution.steps is absent, ' +
      'expected {"charge":"applied","print the card":"not-applied"}. pawl decides by these fields and shows them to operators: ' +
      'a value that changes in the store decides otherwise.',
  );
});

test('a store that throws fails the law with its own error', async () => {
  const { failed } = await lawsOver(() => ({
    ...rightStore(),
    write: async () => {
      throw new Error('relation "claims" does not exist');
    },
  }));
  const messages = [...failed.values()].filter((message) => !message.includes('does not exist'));
  expect(messages).toEqual([]);
});
