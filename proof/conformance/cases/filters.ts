import type { Case, CaseApp } from '../case.ts';

const filters = (...patterns: readonly object[]) => ({
  FilterCriteria: { Filters: patterns.map((pattern) => ({ Pattern: JSON.stringify(pattern) })) },
});

const pattern = 'It does not have this operator, and nothing matches.';

const otherKey = 'AWS documents no other key for a queue, nor what becomes of it.';

const cases: readonly Case[] = [
  {
    name: 'BodyEquals',
    about: 'a value in the body',
    sends: [{ id: 'a', says: { kind: 'wanted' } }, { id: 'b', says: { kind: 'other' } }, { id: 'c' }],
    mapping: filters({ body: { kind: ['wanted'] } }),
    documented: 'a: 1',
  },
  {
    name: 'EitherFilter',
    about: 'two filters: one of them is enough',
    sends: ['one', 'two', 'three'].map((kind) => ({ id: kind, says: { kind } })),
    mapping: filters({ body: { kind: ['one'] } }, { body: { kind: ['two'] } }),
    documented: 'one: 1 · two: 1',
  },
  {
    name: 'NoJson',
    about: 'a body that is no JSON, before a filter for JSON',
    sends: [
      { id: 'text', text: 'text' },
      { id: 'a', says: { kind: 'wanted' } },
    ],
    mapping: filters({ body: { kind: ['wanted'] } }),
    documented: 'a: 1',
  },
  {
    name: 'PlainText',
    about: 'a filter for a body that is a text',
    sends: [{ id: 'wanted', text: 'wanted' }, { id: 'other', text: 'other' }, { id: 'a' }],
    mapping: filters({ body: ['wanted'] }),
    documented: 'wanted: 1',
  },
  {
    name: 'Numeric',
    about: 'a range of numbers',
    sends: [5, 10, 15, 20].map((price) => ({ id: `n${price}`, says: { price } })),
    mapping: filters({ body: { price: [{ numeric: ['>', 5, '<=', 15] }] } }),
    documented: 'n10: 1 · n15: 1',
  },
  {
    name: 'Prefix',
    about: 'a prefix',
    sends: [
      { id: 'a', says: { kind: 'order.new' } },
      { id: 'b', says: { kind: 'new.order' } },
    ],
    mapping: filters({ body: { kind: [{ prefix: 'order.' }] } }),
    documented: 'a: 1',
  },
  {
    name: 'AnythingBut',
    about: 'anything but two values',
    sends: ['one', 'two', 'three'].map((kind) => ({ id: kind, says: { kind } })),
    mapping: filters({ body: { kind: [{ 'anything-but': ['one', 'two'] }] } }),
    documented: 'three: 1',
  },
  {
    name: 'Exists',
    about: 'a key that is absent',
    sends: [{ id: 'a' }, { id: 'b', says: { kind: 'any' } }],
    mapping: filters({ body: { kind: [{ exists: false }] } }),
    documented: 'a: 1',
  },
  {
    name: 'IgnoreCase',
    about: 'equal but for capitals',
    sends: [
      { id: 'a', says: { kind: 'WANTED' } },
      { id: 'b', says: { kind: 'other' } },
    ],
    mapping: filters({ body: { kind: [{ 'equals-ignore-case': 'wanted' }] } }),
    documented: 'a: 1',
    emulator: { outcome: 'none', why: pattern },
  },
  {
    name: 'Or',
    about: '$or over two keys',
    sends: [{ id: 'a', says: { left: 1 } }, { id: 'b', says: { right: 1 } }, { id: 'c' }],
    mapping: filters({ body: { $or: [{ left: [1] }, { right: [1] }] } }),
    documented: 'a: 1 · b: 1',
    emulator: { outcome: 'none', why: pattern },
  },
  {
    name: 'Attribute',
    about: 'a message attribute',
    sends: [{ id: 'a', kind: 'wanted' }, { id: 'b', kind: 'other' }, { id: 'c' }],
    mapping: filters({ messageAttributes: { kind: { stringValue: ['wanted'] } } }),
    documented: 'only the key body is supported',
    rehearsal: { outcome: 'a: 1', why: `It filters by another key than body as well, and lists that. ${otherKey}` },
    emulator: { outcome: 'a: 1', why: `It filters by another key than body as well. ${otherKey}` },
  },
  {
    name: 'FilteredIsGone',
    about: 'what a filter drops does not share the failures of its batch',
    sends: [{ id: 'a', says: { kind: 'wanted' }, does: ['throw'] }, { id: 'b' }],
    mapping: filters({ body: { kind: ['wanted'] } }),
    maxReceiveCount: 2,
    documented: 'a: 1, 2 · dead: a',
    emulator: {
      outcome: 'a: 1, 2 · dead: a b',
      why: 'It deletes what a filter drops with the rest of its batch, and therefore not if the function fails.',
    },
  },
];

/** Queues with filters. */
export const filterCases: CaseApp = { name: 'Filters', isFifo: false, cases: cases };
