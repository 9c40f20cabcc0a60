import { readdirSync, readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Resident memory, in MB; and what of it is in use. */
export interface Memory {
  /** Of the sandbox that has the most: the library, the SDK and the handler. */
  readonly sandboxMb: number;
  /** Of the process that holds the SQS server, the event sources, the providers and the report. */
  readonly stackMb: number;
  /** What that process still refers to, after a garbage collection: what grows here grows for ever. A process that is not short of memory collects late. */
  readonly stackHeapMb: number;
  /** Of DynamoDB Local, which keeps every claim in memory: it grows with them. */
  readonly dynamoDbMb: number;
}

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** Looks at this process and its children. Linux only: elsewhere it sees this process alone. */
export function memoryNow(): Memory {
  const children = processes().filter(({ parent }) => parent === process.pid);
  const most = (part: string) =>
    Math.max(0, ...children.filter(({ command }) => command.includes(part)).map(({ residentMb }) => residentMb));
  collectGarbage();
  const { rss, heapUsed, arrayBuffers } = process.memoryUsage();
  return {
    sandboxMb: most('sandbox-runtime'),
    stackMb: rss / 1024 ** 2,
    stackHeapMb: (heapUsed + arrayBuffers) / 1024 ** 2,
    dynamoDbMb: most('java'),
  };
}

interface Process {
  readonly parent: number;
  readonly command: string;
  readonly residentMb: number;
}

function processes(): readonly Process[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap(processOf);
  } catch {
    return [];
  }
}

function processOf(pid: string): readonly Process[] {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const field = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    return [{ parent: field('PPid'), command, residentMb: field('VmRSS') / 1024 }];
  } catch {
    // It has ended meanwhile.
    return [];
  }
}
