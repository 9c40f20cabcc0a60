import type { Case, CaseApp } from '../case.ts';

const CASES: readonly Case[] = [
  {
    name: 'GroupInOrder',
    about: 'one group, and all succeed',
    sends: ['a', 'b', 'c'].map((id) => ({ id, group: 'x' })),
    documented: 'x: a1 b1 c1',
  },
  {
    name: 'GroupThrows',
    about: 'the handler throws once: the group comes back in its order',
    sends: [
      { id: 'a', group: 'x' },
      { id: 'b', group: 'x', does: ['throw', 'succeed'] },
      { id: 'c', group: 'x' },
    ],
    documented: 'x: a1 b1 c1 a2 b2 c2',
  },
  {
    name: 'ReportsTheRest',
    about: 'one and what follows it are reported once, as the guide advises',
    sends: [
      { id: 'a', group: 'x' },
      { id: 'b', group: 'x', does: ['report', 'succeed'] },
      { id: 'c', group: 'x', does: ['report', 'succeed'] },
    ],
    documented: 'x: a1 b1 c1 b2 c2',
  },
  {
    name: 'ReportsOnlyOne',
    about: 'only the failed one is reported: what follows it overtakes it',
    sends: [
      { id: 'a', group: 'x' },
      { id: 'b', group: 'x', does: ['report', 'succeed'] },
      { id: 'c', group: 'x' },
    ],
    documented: 'x: a1 b1 c1 b2',
  },
  {
    name: 'GroupWaits',
    about: 'batches of one: a group waits for its failed message, and another group does not',
    sends: [
      { id: 'a', group: 'x', does: ['report', 'succeed'] },
      { id: 'b', group: 'x' },
      { id: 'c', group: 'y' },
      { id: 'd', group: 'y' },
    ],
    mapping: { BatchSize: 1 },
    documented: 'x: a1 a2 b1 · y: c1 d1',
  },
  {
    name: 'NotOvertaken',
    about: 'what is sent later to a group whose message failed comes after it',
    sends: [
      { id: 'a', group: 'x', does: ['report', 'succeed'] },
      { id: 'b', group: 'x', afterMs: 3_000 },
    ],
    documented: 'x: a1 a2 b1',
    looks: 'order',
  },
  {
    name: 'DeadLetterFrees',
    about: 'batches of one: the group goes on when its failed message is a dead letter',
    sends: [
      { id: 'a', group: 'x', does: ['report'] },
      { id: 'b', group: 'x' },
    ],
    mapping: { BatchSize: 1 },
    maxReceiveCount: 2,
    documented: 'x: a1 a2 b1 · dead: a',
  },
  {
    name: 'DeadInOrder',
    about: 'a group fails for good: its dead letters are in its order',
    sends: ['a', 'b', 'c'].map((id) => ({ id, group: 'x', does: ['report'] })),
    maxReceiveCount: 2,
    documented: 'x: a1 b1 c1 a2 b2 c2 · dead: a b c',
  },
  {
    name: 'TwoGroupsOneBatch',
    about: 'two groups in one batch: what is reported of one does not bring the other back',
    sends: [
      { id: 'a', group: 'x', does: ['report', 'succeed'] },
      { id: 'b', group: 'y' },
    ],
    documented: 'x: a1 a2 · y: b1',
  },
  {
    name: 'GroupTimesOut',
    about: 'the function times out once: the group comes back in its order',
    sends: [
      { id: 'a', group: 'x' },
      { id: 'b', group: 'x', does: ['hang', 'succeed'] },
    ],
    isSlow: true,
    documented: 'x: a1 b1 a2 b2',
  },
  {
    name: 'SameDeduplicationId',
    about: 'two messages have the same deduplication id: the second one is dropped',
    sends: [
      { id: 'a', group: 'x', deduplicationId: 'same' },
      { id: 'b', group: 'x', deduplicationId: 'same' },
    ],
    documented: 'x: a1',
  },
  {
    name: 'SameIdLater',
    about: 'the second one is sent after the first one was handled',
    sends: [
      { id: 'a', group: 'x', deduplicationId: 'same' },
      { id: 'b', group: 'x', deduplicationId: 'same', afterMs: 12_000 },
    ],
    documented: 'x: a1',
  },
];

/** A FIFO queue with groups. */
export const GROUPS: CaseApp = {
  name: 'Groups',
  isFifo: true,
  cases: CASES.map((one) => ({ looks: 'order', ...one })),
};
