import { expect, it } from 'vitest';
import {
  approvalRefused,
  isIdentity,
  type RemedyState,
  remedyStep,
  reservationFate,
} from '../../../lib/pawl/rules/remedy.ts';

const [maria, tom] = ['maria', 'tom'].map((who) => `arn:aws:sts::123456789012:assumed-role/Operators/${who}`) as [
  string,
  string,
];
const said = { by: 'b', note: 'n', at: 1 };
const begun = { ...said, operation: 'refund', claimId: 'refund#1', reservation: 'r-1', amount: 500 };
const request = { ...said, id: 'q-1', operation: 'refund', amount: 500, identity: maria };
const approval = { ...said, of: 'q-1', identity: tom };
const wanted = { operation: 'refund', amount: 500, needsApproval: true };

it.each<readonly [RemedyState, string]>([
  [{}, 'ask'],
  [{ request }, 'waits-for-approval'],
  [{ request, approval }, 'begin'],
  [{ request, approval: { ...approval, of: 'another' } }, 'waits-for-approval'],
  [{ request, approval: { ...approval, identity: maria } }, 'waits-for-approval'],
  [{ request: { ...request, amount: 499 }, approval }, 'ask'],
  [{ request: { ...request, operation: 'void' }, approval }, 'ask'],
  [{ remedy: begun }, 'go-on'],
  [{ remedy: { ...begun, operation: 'void' } }, 'other-operation'],
  [{ remedy: { ...begun, amount: 499 } }, 'amount-changed'],
  [{ remedy: { ...begun, failed: { name: 'E', message: '' } } }, 'rejected'],
])('of a finding that says %j, what comes next is: %s', (state, next) => {
  const step = remedyStep(state, true, wanted);
  expect(step.kind === 'stay' ? step.why : step.kind).toBe(next);
  expect(remedyStep(state, false, wanted)).toEqual({ kind: 'stay', why: 'not-open' });
});

it.each<readonly [RemedyState, unknown, string | undefined]>([
  [{ request }, tom, undefined],
  [{ request }, maria, 'own-request'],
  [{ request }, undefined, 'no-identity'],
  [{ request }, 'tom', 'no-identity'],
  [{}, tom, 'not-asked'],
  [{ request, remedy: begun }, tom, 'not-asked'],
  [{ request, approval }, tom, 'approved-before'],
  [{ request, approval: { ...approval, of: 'another' } }, tom, undefined],
])('of %j, %s is refused as %s', (state, identity, refused) => {
  expect(approvalRefused(state, true, identity)).toBe(refused);
  expect(approvalRefused(state, false, identity)).toBe('not-open');
});

it.each([maria, 'arn:aws-cn:iam::123456789012:user/tom'])('takes %s for an identity', (arn) =>
  expect(isIdentity(arn)).toBe(true),
);

const remedied = (how: 'remedy' | 'by-hand') => ({ ...said, how });
it.each<readonly [RemedyState | undefined, boolean, string]>([
  [undefined, false, 'give-back'],
  [{}, true, 'keep'],
  [{}, false, 'give-back'],
  [{ remedy: begun }, true, 'look'],
  [{ remedy: { ...begun, reservation: 'r-2' } }, true, 'give-back'],
  [{ remedy: { ...begun, failed: { name: 'E', message: '' } } }, true, 'give-back'],
  [{ remedy: begun, remedied: remedied('remedy') }, false, 'confirm'],
  [{ remedy: begun, remedied: remedied('by-hand') }, false, 'give-back'],
])('the reservation of a finding that says %j is, open: %s, to %s', (state, isOpen, fate) => {
  expect(reservationFate(state, isOpen, 'r-1')).toBe(fate);
});
