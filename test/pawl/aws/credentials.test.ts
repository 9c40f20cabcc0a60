import { expect, it } from 'vitest';
import { CredentialsError, credentialsOf, type LeanCredentials } from '../../../lib/pawl/aws/credentials.ts';
import { someDay, virtualHost } from '../../support/virtual-host.ts';

const minutes = 60_000;
const lasting = (ms: number): LeanCredentials => ({
  accessKeyId: 'AKIA',
  secretAccessKey: 'secret',
  expiration: new Date(someDay + ms),
});

/** A source that gives what is next in a list, and fails where the list has an error. */
function sourceOf(...list: (LeanCredentials | Error)[]) {
  const host = virtualHost();
  let asked = 0;
  const provider = async () => {
    const next = list[Math.min(asked++, list.length - 1)];
    if (next === undefined || next instanceof Error) throw next;
    return next;
  };
  return { host, credentials: credentialsOf(provider, { host, env: () => ({}) }), asked: () => asked };
}

it('are got once for all requests, until five minutes before they end', async () => {
  const [first, second] = [lasting(60 * minutes), lasting(120 * minutes)];
  const { host, credentials, asked } = sourceOf(first, second);
  expect(await Promise.all([credentials.current(), credentials.current()])).toEqual([first, first]);
  await host.advance(54 * minutes);
  expect(credentials.current()).toBe(first);
  expect(asked()).toBe(1);
  await host.advance(2 * minutes);
  expect(await credentials.current()).toBe(second);
});

it('that cannot be renewed are used to their end, and the source is asked again every ten seconds', async () => {
  const first = lasting(10 * minutes);
  const { host, credentials, asked } = sourceOf(first, new Error('endpoint down'));
  await credentials.current();
  await host.advance(6 * minutes);
  expect(await credentials.current()).toBe(first);
  expect(credentials.current()).toBe(first);
  expect(asked()).toBe(2);
  await host.advance(11_000);
  expect(await credentials.current()).toBe(first);
  expect(asked()).toBe(3);
  await host.advance(5 * minutes);
  await expect(credentials.current()).rejects.toThrow('endpoint down');
});

it('that DynamoDB refuses are not used again, unless others have come meanwhile', async () => {
  const [first, second] = [lasting(60 * minutes), lasting(120 * minutes)];
  const { credentials, asked } = sourceOf(first, second);
  await credentials.current();
  credentials.forget(first);
  expect(await credentials.current()).toBe(second);
  credentials.forget(first);
  expect(credentials.current()).toBe(second);
  expect(asked()).toBe(2);
});

it('of the environment are its three variables', async () => {
  const env = { AWS_ACCESS_KEY_ID: 'AKIA', AWS_SECRET_ACCESS_KEY: 'secret', AWS_SESSION_TOKEN: 'token' };
  const found = await credentialsOf(undefined, { host: virtualHost(), env: () => env }).current();
  expect(found).toEqual({ accessKeyId: 'AKIA', secretAccessKey: 'secret', sessionToken: 'token' });
});

it('that are nowhere are an error by the SDK’s name, which says how to pass them', async () => {
  const missing = credentialsOf(undefined, { host: virtualHost(), env: () => ({}) }).current();
  await expect(missing).rejects.toBeInstanceOf(CredentialsError);
  await expect(missing).rejects.toMatchObject({ name: 'CredentialsProviderError' });
  await expect(missing).rejects.toThrow('fromNodeProviderChain()');
});

it('are not asked of another host without TLS: the token would be readable on its way', async () => {
  const env = { AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://example.com/creds' };
  const refused = credentialsOf(undefined, { host: virtualHost(), env: () => env }).current();
  await expect(refused).rejects.toThrow('expected a URL of HTTPS, of this machine, or of the container endpoint');
});
