import { readdirSync, readFileSync } from 'node:fs';

/** Resident memory, in MB. */
export interface Memory {
  /** Of the sandbox that has the most: the library, the SDK and the handler. */
  readonly sandboxMb: number;
  /** Of the process that holds the SQS server, the event sources, the providers and the report. */
  readonly stackMb: number;
  /** Of DynamoDB Local, which keeps every claim in memory: it grows with them. */
  readonly dynamoDbMb: number;
}

/** Looks at this process and its children. Linux only: elsewhere it sees this process alone. */
export function memoryNow(): Memory {
  const children = processes().filter(({ parent }) => parent === process.pid);
  const most = (part: string) =>
    Math.max(0, ...children.filter(({ command }) => command.includes(part)).map(({ residentMb }) => residentMb));
  return {
    sandboxMb: most('sandbox-runtime'),
    stackMb: process.memoryUsage.rss() / 1024 ** 2,
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
