import { graceMs } from './defaults.ts';
import type { Host } from './host.ts';

/** The longest that an invocation of Lambda lasts, in milliseconds. */
const longestInvocationMs = 900_000;

/**
 * Until when a worker that begins now keeps what it holds, where code outlives its invocation. Let go of at the deadline, another worker would begin
 * beside the code that still runs. Kept for ever, a handler that never ends would keep its key for as long as the process lives.
 *
 * @param deadline when the invocation ends, in epoch milliseconds. Where that is not known, it ends within the longest time that Lambda gives one
 * @returns epoch milliseconds; `undefined` where the end of the invocation ends its worker
 */
export function keptUntil(host: Pick<Host, 'now' | 'outlivesInvocations'>, deadline?: number): number | undefined {
  if (!host.outlivesInvocations) return undefined;
  return (deadline ?? host.now() + longestInvocationMs) + graceMs;
}
