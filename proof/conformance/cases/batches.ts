import type { Case, CaseApp } from '../case.ts';

const noIds = 'It leaves an identifier that it does not find out, and deletes the batch. AWS fails the whole batch.';
const deleted = 'a: 1 · b: 1';

/** A response that Lambda does not understand: the whole batch comes back. */
const notUnderstood = (
  name: string,
  about: string,
  action: 'unknown-id' | 'empty-id' | 'null-id' | 'misspelt-key',
): Case => ({
  name,
  about,
  sends: [{ id: 'a' }, { id: 'b', does: [action, 'succeed'] }],
  documented: 'a: 1, 2 · b: 1, 2',
  emulator: { outcome: deleted, why: noIds },
});

/** A response without a failure in it: the batch is deleted. */
const success = (
  name: string,
  about: string,
  action: 'return-nothing' | 'return-null' | 'return-empty' | 'null-failures',
): Case => ({
  name,
  about,
  sends: [{ id: 'a' }, { id: 'b', does: [action] }],
  documented: deleted,
});

const cases: readonly Case[] = [
  { name: 'AllSucceed', about: 'all succeed', sends: [{ id: 'a' }, { id: 'b' }], documented: deleted },
  {
    name: 'ReportedOnce',
    about: 'one of three is reported once',
    sends: [{ id: 'a' }, { id: 'b', does: ['report', 'succeed'] }, { id: 'c' }],
    documented: 'a: 1 · b: 1, 2 · c: 1',
  },
  {
    name: 'AllReported',
    about: 'all are reported once',
    sends: ['a', 'b'].map((id) => ({ id, does: ['report', 'succeed'] })),
    documented: 'a: 1, 2 · b: 1, 2',
  },
  {
    name: 'ReportedAlways',
    about: 'one is reported at each of its three receives',
    sends: [{ id: 'a' }, { id: 'b', does: ['report'] }],
    documented: 'a: 1 · b: 1, 2, 3 · dead: b',
  },
  {
    name: 'ReportedTwiceAtOnce',
    about: 'one response names a message twice',
    sends: [{ id: 'a' }, { id: 'b', does: ['report-twice', 'succeed'] }],
    documented: 'a: 1 · b: 1, 2',
  },
  {
    name: 'ThrowsOnce',
    about: 'the handler throws once: the whole batch comes back',
    sends: [{ id: 'a' }, { id: 'b', does: ['throw', 'succeed'] }],
    documented: 'a: 1, 2 · b: 1, 2',
  },
  {
    name: 'ThrowsAlways',
    about: 'one message always throws, and takes its neighbour with it',
    sends: [{ id: 'a' }, { id: 'b', does: ['throw'] }],
    maxReceiveCount: 2,
    documented: 'a: 1, 2 · b: 1, 2 · dead: a b',
  },
  {
    name: 'TimesOut',
    about: 'the function times out once',
    sends: [{ id: 'a' }, { id: 'b', does: ['hang', 'succeed'] }],
    isSlow: true,
    documented: 'a: 1, 2 · b: 1, 2',
  },
  {
    name: 'ProcessEnds',
    about: 'the process of the function ends once',
    sends: [{ id: 'a' }, { id: 'b', does: ['exit', 'succeed'] }],
    documented: 'a: 1, 2 · b: 1, 2',
  },
  {
    name: 'OneReceive',
    about: 'a redrive policy of one receive',
    sends: [{ id: 'a' }, { id: 'b', does: ['report'] }],
    maxReceiveCount: 1,
    documented: 'a: 1 · b: 1 · dead: b',
  },
  {
    name: 'LastReceive',
    about: 'a message succeeds at the last receive that its redrive policy allows',
    sends: [{ id: 'a', does: ['report', 'report', 'succeed'] }],
    documented: 'a: 1, 2, 3',
  },
  notUnderstood('UnknownId', 'the response names a message that is not in the batch', 'unknown-id'),
  notUnderstood('EmptyId', 'an identifier is an empty text', 'empty-id'),
  notUnderstood('NullId', 'an identifier is null', 'null-id'),
  notUnderstood('MisspeltKey', 'the key of an identifier is misspelt', 'misspelt-key'),
  success('ReturnsNothing', 'the handler returns nothing', 'return-nothing'),
  success('ReturnsNull', 'the handler returns null', 'return-null'),
  success('ReturnsEmpty', 'the handler returns {}', 'return-empty'),
  {
    ...success('NullFailures', 'the list of failures is null', 'null-failures'),
    emulator: {
      outcome: 'a: 1, 2, 3 · b: 1, 2, 3 · dead: a b',
      why: 'It reads null as a list and ends the task with a Python error, so the batch comes back. AWS deletes the batch.',
    },
  },
  {
    name: 'NotAskedFor',
    about: 'one is reported, and the mapping has no ReportBatchItemFailures',
    sends: [{ id: 'a' }, { id: 'b', does: ['report'] }],
    mapping: { FunctionResponseTypes: [] },
    documented: deleted,
  },
  {
    name: 'Visibility',
    about: 'what failed does not come back before its visibility timeout',
    sends: [{ id: 'a', does: ['throw', 'succeed'] }],
    looks: 'visibility',
    documented: 'a: not earlier',
  },
  {
    name: 'BatchSizeOne',
    about: 'batches of one: what throws takes no neighbour with it',
    sends: [{ id: 'a' }, { id: 'b', does: ['throw', 'succeed'] }, { id: 'c' }],
    mapping: { BatchSize: 1 },
    documented: 'a: 1 · b: 1, 2 · c: 1',
  },
  {
    name: 'BatchSizeTwo',
    about: 'four messages, a batch size of two',
    sends: ['a', 'b', 'c', 'd'].map((id) => ({ id })),
    mapping: { BatchSize: 2 },
    looks: 'batches',
    documented: 'batches of 2, 2',
  },
  {
    name: 'MoreThanTen',
    about: 'thirty messages, a batch size of 100 and a window: a batch may have more than one receive gives',
    sends: Array.from({ length: 30 }, (_, index) => ({ id: `m${index}` })),
    mapping: { MaximumBatchingWindowInSeconds: 5, BatchSize: 100 },
    looks: 'largest',
    queue: { VisibilityTimeout: 30 },
    documented: 'a batch of more than ten',
    emulator: { outcome: 'no batch of more than ten', why: 'It ignores the window, and a batch is one receive.' },
  },
  {
    name: 'Window',
    about: 'a batch that is not full waits for its window of ten seconds',
    sends: [{ id: 'a' }],
    mapping: { MaximumBatchingWindowInSeconds: 10 },
    looks: 'window',
    queue: { VisibilityTimeout: 30 },
    documented: 'a: after its window',
    emulator: { outcome: 'a: at once', why: 'It ignores the window.' },
  },
  {
    name: 'WindowFull',
    about: 'a full batch does not wait for its window of thirty seconds',
    sends: [{ id: 'a' }],
    mapping: { MaximumBatchingWindowInSeconds: 30, BatchSize: 1 },
    looks: 'window',
    queue: { VisibilityTimeout: 60 },
    documented: 'a: at once',
  },
];

/** A standard queue with partial batch responses. */
export const batches: CaseApp = { name: 'Batches', isFifo: false, cases: cases };
