import { describe, expect, it } from 'vitest';
import { type ClaimEvent, type HashOptions, hashedKeys } from '../../../lib/pawl/observe/index.ts';
import { deadLettered, everyKind, granted, takenOver } from './events.ts';

function heard(event: ClaimEvent, options?: HashOptions): ClaimEvent {
  const events: ClaimEvent[] = [];
  hashedKeys((one) => events.push(one), options)(event);
  const [only] = events;
  if (events.length !== 1 || only === undefined) throw new Error('expected one event');
  return only;
}

describe('hashedKeys', () => {
  it('puts a hash in the place of the key, and keeps the operation and all else', () => {
    const { id, ...rest } = heard(granted);
    const { id: _, ...original } = granted;
    expect(id).toMatch(/^issue-gift-card#hash:[0-9a-f]{32}$/);
    expect(rest).toEqual(original);
  });

  it('lets no event through with its key', () => {
    for (const event of everyKind) expect(JSON.stringify(heard(event))).not.toContain('jo@example.com');
  });

  it('is the same for the same key and salt, and another for another key, or another salt', () => {
    const other = { ...granted, id: 'issue-gift-card#jim@example.com' };
    expect(heard(takenOver, { salt: 'a' }).id).toBe(heard(granted, { salt: 'a' }).id);
    const ids = [heard(granted), heard(other), heard(granted, { salt: 'a' }), heard(granted, { salt: 'b' })];
    expect(new Set(ids.map(({ id }) => id)).size).toBe(4);
  });

  it('hashes a key in which there is a # as a whole', () => {
    const { id } = heard({ ...granted, id: 'issue-gift-card#jo@example.com#2' });
    expect(id).toMatch(/^issue-gift-card#hash:[0-9a-f]{32}$/);
    expect(id).not.toBe(heard(granted).id);
  });

  it('leaves the id empty where there is no key', () => {
    expect(heard(deadLettered)).toEqual(deadLettered);
  });

  it('does not change the event itself, which others may hear as well', () => {
    const event = Object.freeze({ ...granted });
    heard(event);
    expect(event).toEqual(granted);
  });
});
