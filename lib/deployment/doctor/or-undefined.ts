/**
 * What is not there, and what we may not see, is not known; that is a finding of its own. Anything else, such as credentials that are
 * no good or a network that is down, ends the examination.
 */
export async function orUndefined<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (
      error instanceof Error &&
      /AccessDenied|NotAuthorized|NonExistent|NotFound|DoesNotExist|NoSuchEntity/.test(error.name)
    ) {
      return undefined;
    }
    throw error;
  }
}
