import { afterAll, vi } from 'vitest';
// pawl loads it at the first call to SQS. That takes real time, for which a test in virtual time would not wait.
import '../../lib/pawl/aws/sdk-sqs.ts';
import { standInForAws } from '../../lib/pawl/stores/dynamodb/stand-in.ts';

/*
 * Many test files run in one process, one after the other: each is given the process as the one before it was. What a file
 * has replaced is put back after it, so that no verdict depends on which file came before.
 */

const live = process.env;
const env = { ...live };
const events = ['uncaughtException', 'unhandledRejection', 'exit', 'SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const listeners = new Map(events.map((event) => [event, new Set(process.listeners(event as 'exit'))]));

afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  // To import the fakes is enough to have them, and a file that tries every entry imports them.
  standInForAws(undefined);
  const isReplaced = process.env !== live;
  process.env = live;
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  for (const [name, value] of Object.entries(env)) process.env[name] = value;
  process.exitCode = undefined;
  for (const [event, found] of listeners) {
    for (const listener of process.listeners(event as 'exit')) {
      if (!found.has(listener)) process.removeListener(event, listener);
    }
  }
  // A plain object in its place is read by JavaScript alone: what Node itself asks for, such as the temporary folder, no longer follows it.
  if (isReplaced) throw new Error('process.env was replaced by another object: set single variables, with vi.stubEnv');
});
