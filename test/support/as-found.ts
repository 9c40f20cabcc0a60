import { afterAll, vi } from 'vitest';

/*
 * Many test files run in one process, one after the other: each is given the process as the one before it was. What a file
 * has replaced is put back after it, so that no verdict depends on which file came before.
 */

const env = { ...process.env };
const events = ['uncaughtException', 'unhandledRejection', 'exit', 'SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const listeners = new Map(events.map((event) => [event, new Set(process.listeners(event as 'exit'))]));

afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  for (const [name, value] of Object.entries(env)) process.env[name] = value;
  process.exitCode = undefined;
  for (const [event, found] of listeners) {
    for (const listener of process.listeners(event as 'exit')) {
      if (!found.has(listener)) process.removeListener(event, listener);
    }
  }
});
