import { propertyOf } from './unknown.ts';

/**
 * What an error of the AWS SDK says about how a function is set up. Errors are told apart by their names, as AWS documents them: an `instanceof`
 * fails where an application has two copies of the SDK. An error that is not here may pass by itself.
 */
export type AwsSetup =
  /** A policy does not allow the action, if the error names it. */
  | { readonly kind: 'denied'; readonly action: string | undefined }
  | { readonly kind: 'missing' }
  | { readonly kind: 'credentials'; readonly name: string }
  | { readonly kind: 'region' };

/** The errors of statements of PartiQL, and of SQS's query protocol, have the names without `Exception`. */
const denied: readonly unknown[] = ['AccessDeniedException', 'AccessDenied', 'NotAuthorized'];
const missing: readonly unknown[] = [
  'ResourceNotFoundException',
  'ResourceNotFound',
  'QueueDoesNotExist',
  'AWS.SimpleQueueService.NonExistentQueue',
];
const credentials: readonly unknown[] = [
  'ExpiredTokenException',
  'ExpiredToken',
  'UnrecognizedClientException',
  'InvalidClientTokenId',
  'InvalidAccessKeyId',
  'InvalidSignatureException',
  'SignatureDoesNotMatch',
  'MissingAuthenticationToken',
  'MissingAuthenticationTokenException',
  'IncompleteSignature',
  'CredentialsProviderError',
  'TokenProviderError',
];

/** What an error says about the setup; nothing where it says nothing about it. Never throws. */
export function setupOf(error: unknown): AwsSetup | undefined {
  try {
    const name = propertyOf(error, 'name');
    const message = String(propertyOf(error, 'message'));
    if (denied.includes(name)) return { kind: 'denied', action: /perform: ([a-z0-9]+:\w+)/i.exec(message)?.[1] };
    if (missing.includes(name)) return { kind: 'missing' };
    if (credentials.includes(name)) return { kind: 'credentials', name: String(name) };
    return message === 'Region is missing' ? { kind: 'region' } : undefined;
  } catch {
    return undefined;
  }
}

/** What to do where a request had no valid credentials, or no region. */
export function adviceOn(setup: Extract<AwsSetup, { readonly kind: 'credentials' | 'region' }>): string {
  return setup.kind === 'region'
    ? 'the AWS SDK knows no region: set AWS_REGION, or give a client with a region'
    : `AWS refused the credentials (${setup.name}): they have expired, or are not valid. Renew them (\`aws sso login\`, for example), or correct those of the client`;
}
