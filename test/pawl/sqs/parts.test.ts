import { expect, it } from 'vitest';
import type { Delivery } from '../../../lib/pawl/sqs/delivery.ts';
import {
  acknowledged,
  type Disposition,
  missedItsTurn,
  returned,
  returnedFor,
} from '../../../lib/pawl/sqs/disposition.ts';
import { concludeParts } from '../../../lib/pawl/sqs/parts.ts';
import { sqsRecord } from '../../support/lambda.ts';

const error = { name: 'Error', message: 'no' };
const failed: Disposition = { ...returned, error };
const failedFor: Disposition = { ...failed, atLeastMs: 5000 };
const dead: Disposition = { kind: 'dead-lettered', reason: 'rejected', error };
const suspect: Disposition = { kind: 'returned', delayMs: 0, suspect: 1 };

it.each<readonly [string, readonly (Disposition | undefined)[], Disposition]>([
  ['is done when all of them are', [acknowledged, { ...acknowledged, discarded: true }], acknowledged],
  ['is done when there are none', [], acknowledged],
  ['is dead-lettered when one of them is, and the others are done', [acknowledged, dead], dead],
  ['comes again, and is not dead-lettered, while one of them comes again', [dead, failed], { ...failed, atLeastMs: 0 }],
  [
    'waits as long as the part that waits longest',
    [returnedFor(9000), returnedFor(2000), acknowledged],
    returnedFor(9000),
  ],
  ['comes again at once for a part that may only run alone', [suspect, acknowledged], returnedFor(0)],
  [
    'backs off if a part has failed, and at least as long as the others wait',
    [returnedFor(9000), failedFor],
    { ...failed, atLeastMs: 9000 },
  ],
  ['comes again in its turn if none has had a turn', [missedItsTurn, undefined, acknowledged], missedItsTurn],
])('a message %s', (_, dispositions, expected) => {
  const record = sqsRecord({});
  const whole: Delivery = { record };
  concludeParts(
    whole,
    dispositions.map((disposition): Delivery => ({ record, disposition })),
  );
  expect(whole.disposition).toEqual(expected);
});
