import { expect, test } from 'vitest';
import { exitCodeOf } from '../../../lib/rehearsal/file/result.ts';

test('a run that cannot be judged has an exit code of its own', () => {
  expect(exitCodeOf({ good: true, noVerdict: undefined })).toBe(0);
  expect(exitCodeOf({ good: false, noVerdict: undefined })).toBe(1);
  expect(exitCodeOf({ good: false, noVerdict: 'This machine was too slow.' })).toBe(2);
});
