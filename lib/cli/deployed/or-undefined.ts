/** The names of AWS's errors contain these where a resource is not there, or the caller may not see it. */
const unseen: readonly string[] = [
  'AccessDenied',
  'NotAuthorized',
  'NonExistent',
  'NotFound',
  'DoesNotExist',
  'NoSuchEntity',
];

/**
 * What is not there, and what the caller may not see, is unknown; that is a finding of its own. Any other error, such as invalid credentials or
 * a network that is down, ends the examination.
 */
export async function orUndefined<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Error && unseen.some((part) => error.name.includes(part))) return undefined;
    throw error;
  }
}
