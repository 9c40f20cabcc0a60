import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';

/**
 * Addresses of this machine, other than 127.0.0.1, at which a server on every interface is reached. Each was tried with such a
 * server, so that a refusal at one of them says something about the server that refuses.
 */
export async function otherAddresses(): Promise<readonly string[]> {
  const known = Object.values(networkInterfaces())
    .flatMap((addresses = []) => addresses)
    .filter(({ address }) => address !== '127.0.0.1' && !address.startsWith('fe80:'))
    .map(({ address }) => address);
  // All of 127.0.0.0/8 belongs to the loopback interface on Linux: an address that every machine has, also one without a network.
  const candidates = [...new Set([...known, '127.0.0.2'])];
  const open = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => open.once('error', reject).listen(0, resolve));
  const address = open.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  try {
    const reached = await Promise.all(candidates.map((host) => isReached(host, port)));
    return candidates.filter((_, index) => reached[index]);
  } finally {
    await new Promise((resolve) => open.close(resolve));
  }
}

/** Whether a connection to this address and port is accepted. */
export async function isReached(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 2_000 });
    const settle = (reached: boolean) => {
      socket.destroy();
      resolve(reached);
    };
    socket.once('connect', () => settle(true));
    socket.once('timeout', () => settle(false));
    socket.once('error', () => settle(false));
  });
}

/** The address of every TCP socket on which this process or a process below it listens. Linux tells, in `/proc`. */
export function listeningAddresses(): readonly string[] {
  const inodes = new Set(processesBelow(process.pid).flatMap(socketsOf));
  return ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) =>
    readFileSync(table, 'utf8')
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state, , , , , , inode = '']) => state === listening && inodes.has(inode))
      .map(([, local = '']) => readAddress(local.split(':')[0] ?? '')),
  );
}

const listening = '0A';

function processesBelow(root: number): readonly number[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => [Number(pid), parentOf(pid)] as const);
  const found = [root];
  for (const parent of found) found.push(...parents.filter(([, of]) => of === parent).map(([pid]) => pid));
  return found;
}

function parentOf(pid: string): number | undefined {
  try {
    // The name in the second field may hold spaces and brackets: the parent is the second field after its end.
    return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[1]);
  } catch {
    return undefined; // It has ended meanwhile.
  }
}

function socketsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => socketInode(`/proc/${pid}/fd/${fd}`));
  } catch {
    return [];
  }
}

function socketInode(path: string): readonly string[] {
  try {
    return /^socket:\[(\d+)\]$/.exec(readlinkSync(path))?.slice(1) ?? [];
  } catch {
    return [];
  }
}

/** `0100007F` is 127.0.0.1: four bytes, the last one first. In IPv6 the last of four such words is the mapped IPv4 address. */
function readAddress(hex: string): string {
  const words = hex.match(/.{8}/g) ?? [];
  const dotted = (word: string) =>
    (word.match(/../g) ?? [])
      .toReversed()
      .map((byte) => Number.parseInt(byte, 16))
      .join('.');
  const [first = '', second, third, last = ''] = words;
  if (second === undefined) return dotted(first);
  return first === '00000000' && second === '00000000' && third === 'FFFF0000' ? dotted(last) : `[${hex}]`;
}
