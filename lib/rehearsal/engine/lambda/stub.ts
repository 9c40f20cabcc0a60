import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { killGroupWithUs } from '../children.ts';
import type { Stub } from '../not-run.ts';
import type { Outcome } from './sandbox.ts';

/** What an invocation of a stub has. */
export interface StubCall {
  readonly event: unknown;
  /** The environment of the function, with the addresses of the local servers. */
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

/** What stands for the code of a function. */
export type StubInvoke = (call: StubCall) => Promise<Outcome>;

/** Whether a stub stands for a function. */
export function isOfFunction({ handler, command, url }: Stub): boolean {
  return handler !== undefined || command !== undefined || url !== undefined;
}

/** What a stub does when it is invoked; `undefined` if it stands for no function. */
export function stubInvoke({ handler, command, url }: Stub): StubInvoke | undefined {
  if (handler !== undefined) return ({ event }) => settled(async () => handler(event));
  if (command !== undefined) return (call) => run(command, call);
  return url === undefined ? undefined : (call) => post(url, call);
}

async function settled(work: () => Promise<unknown>): Promise<Outcome> {
  try {
    const value = await work();
    return { kind: 'response', value: value === undefined ? null : value };
  } catch (thrown) {
    const { name, message } = thrown instanceof Error ? thrown : new Error(String(thrown));
    return { kind: 'error', error: { name, message } };
  }
}

/** Of what a program prints on its standard error, so much is in the error of the invocation. */
const longestMessage = 1_000;

async function run(
  [program, ...args]: NonNullable<Stub['command']>,
  { event, environment, timeoutMs }: StubCall,
): Promise<Outcome> {
  // The path of this process: a stub is a program of the author's machine, and no code of Lambda.
  const env = { PATH: process.env['PATH'] ?? '', ...environment };
  // A group of its own: a shell that is killed does not end what it has started.
  const child = spawn(program, args, { env, stdio: 'pipe', detached: true });
  const end = killGroupWithUs(child);
  let isLate = false;
  const late = setTimeout(() => {
    isLate = true;
    end();
  }, timeoutMs);
  // It may end before it has read its event.
  child.stdin.on('error', () => undefined);
  child.stdin.end(JSON.stringify(event));
  const code = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const outcome = await settled(async () => {
    const [out, error, ended] = await Promise.all([text(child.stdout), text(child.stderr), code]);
    if (ended !== 0) throw new Error(`${program} ended with ${ended ?? 'a signal'}: ${error.slice(-longestMessage)}`);
    return out.trim() === '' ? null : JSON.parse(out);
  });
  clearTimeout(late);
  return isLate ? { kind: 'timed-out' } : outcome;
}

async function post(url: string, { event, timeoutMs }: StubCall): Promise<Outcome> {
  const signal = AbortSignal.timeout(timeoutMs);
  const outcome = await settled(async () => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(event), signal });
    const body = await response.text();
    if (!response.ok) throw new Error(`${url} responded ${response.status}: ${body.slice(0, longestMessage)}`);
    return body.trim() === '' ? null : JSON.parse(body);
  });
  return signal.aborted ? { kind: 'timed-out' } : outcome;
}
