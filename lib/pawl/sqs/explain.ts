import { adviceOn, setupOf } from '../kernel/aws-error.ts';
import { SetupError } from '../kernel/errors.ts';

/** What pawl asks of SQS, and the grant of CDK that allows it. */
const grants = {
  'sqs:SendMessage': 'grantSendMessages',
  'sqs:ChangeMessageVisibility': 'grantConsumeMessages',
  'sqs:GetQueueAttributes': 'grantConsumeMessages',
} as const;

/**
 * The error of a call to SQS. If the queue or the permission to use it is not as pawl needs it, the error says what to do.
 *
 * @param queue its URL, or whose it is
 * @returns a SetupError, or the error as it is, which may pass by itself
 */
export function explainedCall(error: unknown, action: keyof typeof grants, queue: string): unknown {
  const setup = setupOf(error);
  const options = { cause: error };
  switch (setup?.kind) {
    case undefined:
      return error;
    case 'missing':
      return new SetupError(
        `the queue ${queue} does not exist for this function. Correct its URL, or the region of the SQS client`,
        'missing-queue',
        options,
      );
    case 'denied': {
      const denied = setup.action ?? action;
      return new SetupError(
        `the role may not perform ${denied} on the queue ${queue}. Grant it: queue.${grants[action]}(fn), or allow ${denied} in its policy`,
        'access-denied',
        options,
      );
    }
    case 'credentials':
    case 'region':
      return new SetupError(`the queue ${queue} was not reached: ${adviceOn(setup)}`, setup.kind, options);
  }
}
