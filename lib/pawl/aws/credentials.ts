import { readFile } from 'node:fs/promises';
import { OptionError } from '../kernel/errors.ts';
import type { Host } from '../kernel/host.ts';
import { insist } from '../kernel/retry.ts';
import { propertyOf } from '../kernel/unknown.ts';
import { getJson } from './get-json.ts';

/** What requests are signed with, by the names of the AWS SDK. */
export interface LeanCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
  /** When they end. Without it, they are kept until AWS refuses them. */
  readonly expiration?: Date | undefined;
}

/** A function that gets credentials, as those of `@aws-sdk/credential-providers`. */
export type CredentialProvider = () => Promise<LeanCredentials>;

/** The credentials of a lean transport. */
export interface Credentials {
  /** Those that requests are signed with now: at once where there are any that last. @throws CredentialsError; what the provider throws */
  current(): LeanCredentials | Promise<LeanCredentials>;
  /** AWS has refused these. The next call of `current` gets others, if there are any. */
  forget(refused: LeanCredentials): void;
}

/**
 * There are no credentials. No request was sent.
 *
 * @example
 * await refund(payment).catch((error) => {
 *   if (error.cause instanceof CredentialsError) console.error('no request was sent: set credentials');
 *   throw error;
 * });
 */
export class CredentialsError extends Error {
  /** The AWS SDK's name of it. */
  override readonly name = 'CredentialsProviderError';
}

/** They are renewed so long before they end, in milliseconds, as the SDK does: a request must not be under way at the end. */
const earlyMs = 5 * 60_000;
/** How long after a failed renewal the next one is tried, while the earlier credentials last. */
const pauseMs = 10_000;

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * @param given the author's
 * @default those of the environment: `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`; otherwise those of the container
 *   endpoint, which Lambda has under SnapStart, and containers have
 */
export function credentialsOf(
  given: LeanCredentials | CredentialProvider | undefined,
  { host, env }: { readonly host: Host; readonly env: () => Environment },
): Credentials {
  const provide = given === undefined ? () => ofEnvironment(host, env()) : providerOf(given);
  let known: LeanCredentials | undefined;
  let renewing: Promise<LeanCredentials> | undefined;
  let notBefore = 0;

  const endsWithin = (one: LeanCredentials, ms: number) =>
    one.expiration !== undefined && one.expiration.getTime() - host.now() < ms;

  async function renew(): Promise<LeanCredentials> {
    try {
      known = await provide();
      return known;
    } catch (error) {
      notBefore = host.now() + pauseMs;
      // What still lasts is better than nothing: the endpoint may be back before it ends.
      if (known !== undefined && !endsWithin(known, 0)) return known;
      throw error;
    } finally {
      renewing = undefined;
    }
  }

  return {
    current() {
      if (known !== undefined && !endsWithin(known, earlyMs)) return known;
      if (known !== undefined && !endsWithin(known, 0) && host.now() < notBefore) return known;
      renewing ??= renew();
      return renewing;
    },
    forget(refused) {
      if (known === refused) known = undefined;
    },
  };
}

function providerOf(given: LeanCredentials | CredentialProvider): CredentialProvider {
  return typeof given === 'function' ? given : async () => given;
}

async function ofEnvironment(host: Host, env: Environment): Promise<LeanCredentials> {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN: token } = env;
  if (accessKeyId && secretAccessKey) return { accessKeyId, secretAccessKey, sessionToken: token || undefined };
  const url = containerUrl(env);
  if (url === undefined) {
    throw new CredentialsError(
      'no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or pass `credentials`; fromNodeProviderChain() of ' +
        '@aws-sdk/credential-providers has those of a profile.',
    );
  }
  const policy = { requestMs: 1000, until: host.now() + 5000, tries: 4 };
  return insist(host, () => ofContainer(url, env), policy);
}

async function ofContainer(url: URL, env: Environment): Promise<LeanCredentials> {
  // The file is read each time: the orchestrator replaces the token in it.
  const file = env['AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE'];
  const token = file ? (await readFile(file, 'utf8')).trim() : env['AWS_CONTAINER_AUTHORIZATION_TOKEN'];
  const found = await getJson(url, token ? { Authorization: token } : {});
  const accessKeyId = propertyOf(found, 'AccessKeyId');
  const secretAccessKey = propertyOf(found, 'SecretAccessKey');
  const sessionToken = propertyOf(found, 'Token');
  const expiration = new Date(String(propertyOf(found, 'Expiration')));
  if (typeof accessKeyId !== 'string' || typeof secretAccessKey !== 'string') {
    throw new CredentialsError('the container endpoint returned no credentials');
  }
  return {
    accessKeyId,
    secretAccessKey,
    sessionToken: typeof sessionToken === 'string' ? sessionToken : undefined,
    expiration: Number.isNaN(expiration.getTime()) ? undefined : expiration,
  };
}

/** The hosts of AWS that serve credentials without TLS. To any other one, the token in the request would be readable on its way. */
const plainHosts: readonly string[] = ['169.254.170.2', '169.254.170.23', '[fd00:ec2::23]', '[::1]', 'localhost'];

/** @throws OptionError when the URL is none that a token may be sent to */
function containerUrl(env: Environment): URL | undefined {
  const { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: relative, AWS_CONTAINER_CREDENTIALS_FULL_URI: full } = env;
  if (relative) return new URL(relative, 'http://169.254.170.2');
  if (!full) return undefined;
  const url = URL.canParse(full) ? new URL(full) : undefined;
  const isPlain = url?.protocol === 'http:' && (plainHosts.includes(url.hostname) || url.hostname.startsWith('127.'));
  if (url === undefined || !(isPlain || url.protocol === 'https:')) {
    throw new OptionError(
      'AWS_CONTAINER_CREDENTIALS_FULL_URI: expected a URL of HTTPS, of this machine, or of the container endpoint',
    );
  }
  return url;
}
