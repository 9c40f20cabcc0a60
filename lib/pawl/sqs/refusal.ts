/** What the AWS SDK says of a failed request, besides its name. */
interface Refused {
  readonly name?: unknown;
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly $retryable?: object;
}

/** Parts of names of errors that come as 400, and pass: throttling, and clocks that differ. */
const passing: readonly string[] = ['throttl', 'toomanyrequests', 'expired', 'skew'];

/** Statuses of 4xx that say nothing about the message. */
const later: readonly number[] = [408, 429];

/** Whether SQS has looked at a message and refuses it: it would refuse it again. */
export function isRefusal(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { name, $metadata, $retryable }: Refused = error;
  const status = $metadata?.httpStatusCode ?? 500;
  const lowered = String(name).toLowerCase();
  const passes = $retryable !== undefined || passing.some((part) => lowered.includes(part));
  return status >= 400 && status < 500 && !later.includes(status) && !passes;
}
