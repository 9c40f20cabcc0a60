import { describe, expect, it } from 'vitest';
import { payloadOf } from '../../../lib/pawl/payload/payload.ts';
import { type BodySchema, validated } from '../../../lib/pawl/payload/schema.ts';

const refusing = (path: readonly (PropertyKey | { readonly key: PropertyKey })[]): BodySchema<unknown> => ({
  '~standard': { validate: async () => ({ issues: [{ path }] }) },
});

describe('a body that cannot be taken', () => {
  it.each([
    ['a list of names', ['items', 0, 'amount'], 'items.0.amount'],
    ['a list of objects, as the convention allows', [{ key: 'items' }, { key: 0 }], 'items.0'],
    ['nothing', [], 'its root'],
  ])('is refused with the path, given as %s, and without a value', async (_, path, named) => {
    const refused = validated({ secret: 4242 }, refusing(path));
    await expect(refused).rejects.toMatchObject({
      problem: 'invalid-message',
      message: `the body does not match the schema at: ${named}. See node_modules/pawl/docs/errors.md#invalid-message`,
    });
  });

  it('is refused without a word of its text, if that is no JSON', () => {
    expect(() => payloadOf('{"card": 4242')).toThrow(
      /^the body is not JSON\. See node_modules\/pawl\/docs\/errors\.md#invalid-message$/,
    );
  });
});
