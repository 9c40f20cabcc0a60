import { propertyOf } from '../kernel/unknown.ts';

/** Whether it is the error with which Middy's `timeoutEarlyInMillis` gives up on a handler, which is still running then. */
export function isEarlyTimeout(error: unknown): boolean {
  try {
    return propertyOf(error, 'name') === 'TimeoutError' && propertyOf(propertyOf(error, 'cause'), 'package') === middy;
  } catch {
    // An error that cannot even be looked at is not Middy's.
    return false;
  }
}

const middy = '@middy/core';
