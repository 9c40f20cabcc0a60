import { expect, test } from 'vitest';
import { type ClaimKillPoint, createClaimKills } from '../../shop/faults/claim-kills.ts';

const ok = { status: 200, body: '{}' };
const refused = { status: 400, body: '{}' };

function write(id: string, status: string) {
  const body = JSON.stringify({ Item: { id: { S: id }, status: { S: status } } });
  return { sandbox: 'SANDBOX0001', operation: 'PutItem', body };
}

const claim = write('charge#1', 'in-flight');
const completion = write('charge#1', 'completed');
const killAt = (point: ClaimKillPoint) => createClaimKills(new Map([['charge#1', point]]));

test('the worker of a claim is killed once, and only the worker of that claim', () => {
  const hooks = killAt('claim-written');
  expect(hooks.onResponse?.(write('charge#2', 'in-flight'), ok)).toBe('pass');
  expect(hooks.onResponse?.(claim, ok)).toBe('kill');
  expect(hooks.onResponse?.(claim, ok)).toBe('pass');
});

test.each([
  ['claim-written', 'request of the claim', 'pass'],
  ['claim-written', 'response to the claim', 'kill'],
  ['claim-answered', 'response to the claim', 'pass'],
  ['claim-answered', 'end of the claim', 'kill'],
  ['completion-sent', 'request of the claim', 'pass'],
  ['completion-sent', 'request of the completion', 'kill'],
  ['completion-written', 'request of the completion', 'pass'],
  ['completion-written', 'response to the completion', 'kill'],
] as const)('%s: at the %s: %s', (point, moment, verdict) => {
  const hooks = killAt(point);
  const at = {
    'request of the claim': () => hooks.onRequest?.(claim),
    'response to the claim': () => hooks.onResponse?.(claim, ok),
    'end of the claim': () => hooks.onAnswered?.(claim, ok),
    'request of the completion': () => hooks.onRequest?.(completion),
    'response to the completion': () => hooks.onResponse?.(completion, ok),
  };
  expect(at[moment]()).toBe(verdict);
});

test('a refused claim belongs to another worker, and kills nothing', () => {
  expect(killAt('claim-written').onResponse?.(claim, refused)).toBe('pass');
  expect(killAt('completion-written').onResponse?.(completion, refused)).toBe('pass');
});
