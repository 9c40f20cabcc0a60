import { expect, test } from 'vitest';
import type { App } from '../../../lib/rehearsal/file/app.ts';
import { countEffects } from '../../../lib/rehearsal/file/effects.ts';
import { createIntents } from '../../../lib/rehearsal/file/intents.ts';

test('a counted name that holds an intent counts for it; a name that holds two, or none, stays as it is', async () => {
  const intents = createIntents();
  for (const intent of ['image-1', 'image-2', 'image-3.png']) intents.add(intent);
  const counted = () => ['image-1.jpeg', 'image-1', 'image-3.png', 'image-1 image-2', 'image-10.jpeg', 'other'];
  const counts = await countEffects({ row: counted }, {} as App, () => new Map(), intents);
  expect(Object.fromEntries(counts.get('row') ?? [])).toEqual({
    'image-1': 2,
    'image-3.png': 1,
    'image-1 image-2': 1,
    'image-10.jpeg': 1,
    other: 1,
  });
});
