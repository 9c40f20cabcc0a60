import { propertyOf } from '../kernel/unknown.ts';

/** Whether a text is what pawl keeps of observed runs. */
export function isObservedText(text: unknown): boolean {
  try {
    const read: unknown = typeof text === 'string' ? JSON.parse(text) : undefined;
    const isCounted = (['deliveries', 'done', 'failed', 'other'] as const).every((name) =>
      Number.isSafeInteger(propertyOf(read, name)),
    );
    return isCounted && Array.isArray(propertyOf(read, 'runs')) && typeof propertyOf(read, 'again') === 'object';
  } catch {
    return false;
  }
}
