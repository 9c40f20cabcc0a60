import { Socket as Datagrams } from 'node:dgram';
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import { isIP, Socket } from 'node:net';
import type { FromSandbox } from './sandbox-messages.ts';

/*
 * Loaded into a sandbox before anything else, and into the workers and the Node processes that it starts: nothing that runs there reaches another
 * machine. A rehearsal must have no effect on the world, and write to no table of an AWS account.
 *
 * Owns: what a sandbox may connect to. Does not own: where its functions find what stands for the outside; `environment` says that.
 */

/** A function has asked for an address that is not of this machine. */
class NotRehearsedError extends Error {
  override readonly name = 'NotRehearsedError';
  readonly code = 'ERR_NOT_REHEARSED';
}

function refusal(host: string, port?: unknown): NotRehearsedError {
  const at = port === undefined ? host : `${host}:${String(port)}`;
  const message: FromSandbox = { kind: 'refused', address: at };
  process.send?.(message);
  const isAws = /(^|\.)amazonaws\.com(\.cn)?$/.test(host);
  const why = isAws
    ? 'It is AWS itself: the client has an endpoint of its own, or does not read AWS_ENDPOINT_URL.'
    : 'Name the environment variable that has the address in `providers`, with what stands for it.';
  return new NotRehearsedError(
    `A rehearsal lets no function reach ${at}. ${why} See node_modules/pawl/docs/guides/rehearsal.md#providers.`,
  );
}

/** Names of this machine, and of no other. */
function isHere(host: string): boolean {
  const name = host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
  if (isIP(name) === 0) return name === '' || name === 'localhost' || name.endsWith('.localhost');
  return /^127\.|^0\.0\.0\.0$|^::1?$|^::ffff:(127\.|7f)/.test(name);
}

/** Where `connect` goes: its arguments are options, or a port and a host, or a path; Node itself hands both on in a list. */
function addressOf(args: readonly unknown[]): { readonly host: string; readonly port: unknown } | undefined {
  const [first, second] = args;
  if (Array.isArray(first)) return addressOf(first);
  if (typeof first === 'object' && first !== null) {
    const { path, host, port } = first as { path?: unknown; host?: unknown; port?: unknown };
    // A socket of this machine. An HTTP request also has a path, and a port besides.
    if (path !== undefined && path !== null && port === undefined) return undefined;
    return { host: String(host ?? 'localhost'), port };
  }
  if (typeof first === 'string' && Number.isNaN(Number(first))) return undefined;
  return { host: typeof second === 'string' ? second : 'localhost', port: first };
}

const connect = Socket.prototype.connect;
Socket.prototype.connect = function (this: Socket, ...args: unknown[]) {
  const to = addressOf(args);
  if (to === undefined || isHere(to.host)) return Reflect.apply(connect, this, args);
  const error = refusal(to.host, to.port);
  // As a connection fails: later, with an event.
  process.nextTick(() => this.destroy(error));
  return this;
} as typeof connect;

const send = Datagrams.prototype.send;
Datagrams.prototype.send = function (this: Datagrams, ...args: unknown[]) {
  const host = args.slice(1).find((one): one is string => typeof one === 'string');
  if (host === undefined || isHere(host)) return Reflect.apply(send, this, args);
  throw refusal(host);
} as typeof send;

const connectDatagrams = Datagrams.prototype.connect;
Datagrams.prototype.connect = function (this: Datagrams, ...args: unknown[]) {
  const [, host] = args;
  if (typeof host !== 'string' || isHere(host)) return Reflect.apply(connectDatagrams, this, args);
  throw refusal(host);
} as typeof connectDatagrams;

const looks = ['lookup', 'lookupService', 'reverse'];

function isLook(name: string): boolean {
  return looks.includes(name) || name.startsWith('resolve');
}

/** Asks no server for a name: the question alone would leave this machine. */
function guardNames(names: object, isPromised: boolean): void {
  for (const [name, ask] of Object.entries(names)) {
    if (typeof ask !== 'function' || !isLook(name)) continue;
    const guarded = function (this: unknown, ...args: unknown[]) {
      const [host] = args;
      if (typeof host !== 'string' || isHere(host)) return Reflect.apply(ask, this, args);
      const error = refusal(host);
      if (isPromised) return Promise.reject(error);
      const callback = args.at(-1);
      if (typeof callback !== 'function') throw error;
      process.nextTick(callback, error);
      return undefined;
    };
    Reflect.set(names, name, guarded);
  }
}

guardNames(dns, false);
guardNames(dns.promises, true);
guardNames(dns.Resolver.prototype, false);
guardNames(dns.promises.Resolver.prototype, true);
syncBuiltinESMExports();
