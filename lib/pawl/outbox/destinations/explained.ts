import { adviceOn, setupOf } from '../../kernel/aws-error.ts';
import { SetupError } from '../../kernel/errors.ts';
import { propertyOf } from '../../kernel/unknown.ts';

/** Names under which SNS says what the other services say under common ones. */
const likeDenied: readonly unknown[] = ['AuthorizationErrorException', 'AuthorizationError'];
const likeMissing: readonly unknown[] = ['NotFoundException', 'NotFound'];

/**
 * The error of a call to a topic or an event bus. If it or the permission to use it is not as pawl needs it, the error says what to do.
 *
 * @returns a SetupError, or the error as it is, which may pass by itself
 */
export function explainedDestination(error: unknown, action: string, to: string): unknown {
  const name = propertyOf(error, 'name');
  const setup = setupOf(error);
  const options = { cause: error };
  if (setup?.kind === 'denied' || likeDenied.includes(name)) {
    return new SetupError(
      `the role may not perform ${action} on ${to}. Allow it in a policy of the role`,
      'access-denied',
      options,
    );
  }
  if (setup?.kind === 'missing' || likeMissing.includes(name)) {
    return new SetupError(
      `${to} does not exist for this function. Correct it, or the region of the client`,
      'missing-destination',
      options,
    );
  }
  if (setup === undefined) return error;
  return new SetupError(`${to} was not reached: ${adviceOn(setup)}`, setup.kind, options);
}
