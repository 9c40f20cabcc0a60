import type { Action, Case, CaseApp, SentMessage } from '../case.ts';

/** Makes the messages of a group. Its handler does with each, at the first receive and later, what is named behind the id. */
const inGroup =
  (group: string) =>
  (id: string, ...does: readonly Action[]): SentMessage => ({ id, group, ...(does.length > 0 && { does }) });

const x = inGroup('x');
const y = inGroup('y');

const cases: readonly Case[] = [
  {
    name: 'GroupInOrder',
    about: 'one group, and all succeed',
    sends: [x('a'), x('b'), x('c')],
    documented: 'x: a1 b1 c1',
  },
  {
    name: 'GroupThrows',
    about: 'the handler throws once: the group comes back in its order',
    sends: [x('a'), x('b', 'throw', 'succeed'), x('c')],
    documented: 'x: a1 b1 c1 a2 b2 c2',
  },
  {
    name: 'ReportsTheRest',
    about: 'one and what follows it are reported once, as the guide advises',
    sends: [x('a'), x('b', 'report', 'succeed'), x('c', 'report', 'succeed')],
    documented: 'x: a1 b1 c1 b2 c2',
  },
  {
    name: 'ReportsOnlyOne',
    about: 'only the failed one is reported: what follows it overtakes it',
    sends: [x('a'), x('b', 'report', 'succeed'), x('c')],
    documented: 'x: a1 b1 c1 b2',
  },
  {
    name: 'GroupWaits',
    about: 'batches of one: a group waits for its failed message, and another group does not',
    sends: [x('a', 'report', 'succeed'), x('b'), y('c'), y('d')],
    mapping: { BatchSize: 1 },
    documented: 'x: a1 a2 b1 · y: c1 d1',
  },
  {
    name: 'NotOvertaken',
    about: 'what is sent later to a group whose message failed comes after it',
    sends: [x('a', 'report', 'succeed'), { ...x('b'), afterMs: 3_000 }],
    documented: 'x: a1 a2 b1',
    looks: 'order',
  },
  {
    name: 'DeadLetterFrees',
    about: 'batches of one: the group goes on when its failed message is a dead letter',
    sends: [x('a', 'report'), x('b')],
    mapping: { BatchSize: 1 },
    maxReceiveCount: 2,
    documented: 'x: a1 a2 b1 · dead: a',
  },
  {
    name: 'DeadInOrder',
    about: 'a group fails for good: its dead letters are in its order',
    sends: [x('a', 'report'), x('b', 'report'), x('c', 'report')],
    maxReceiveCount: 2,
    documented: 'x: a1 b1 c1 a2 b2 c2 · dead: a b c',
  },
  {
    name: 'TwoGroupsOneBatch',
    about: 'two groups in one batch: what is reported of one does not bring the other back',
    sends: [x('a', 'report', 'succeed'), y('b')],
    documented: 'x: a1 a2 · y: b1',
  },
  {
    name: 'GroupTimesOut',
    about: 'the function times out once: the group comes back in its order',
    sends: [x('a'), x('b', 'hang', 'succeed')],
    isSlow: true,
    documented: 'x: a1 b1 a2 b2',
  },
  {
    name: 'SameDeduplicationId',
    about: 'two messages have the same deduplication id: the second one is dropped',
    sends: [
      { ...x('a'), deduplicationId: 'same' },
      { ...x('b'), deduplicationId: 'same' },
    ],
    documented: 'x: a1',
  },
  {
    name: 'SameIdLater',
    about: 'the second one is sent after the first one was handled',
    sends: [
      { ...x('a'), deduplicationId: 'same' },
      { ...x('b'), deduplicationId: 'same', afterMs: 12_000 },
    ],
    documented: 'x: a1',
  },
];

/** A FIFO queue with groups. */
export const groups: CaseApp = {
  name: 'Groups',
  isFifo: true,
  cases: cases.map((one) => ({ looks: 'order', ...one })),
};
