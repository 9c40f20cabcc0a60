import type { Host } from '../kernel/host.ts';
import { joined } from '../kernel/name.ts';

/** What one intent is known by to its target. */
export interface ExecutionOf {
  readonly operation: string;
  readonly key: string;
  /** What is started. The same key may start something else as well. */
  readonly target: string;
}

/** Half of SHA-256 and more: a durable execution's name has 64 characters, that of Step Functions 80. */
const hashLength = 48;

/** What the names of all executions of one intent begin with. Only digits and lower-case letters: a target may not tell cases apart. */
export function executionHash({ operation, key, target }: ExecutionOf, host: Pick<Host, 'sha256'>): string {
  return host.sha256(joined([operation, target, key])).slice(0, hashLength);
}

/** The name of one execution of an intent. @param number from 1: one that failed may be started again, under the next name */
export function executionName(hash: string, number: number): string {
  return `${hash}-${number}`;
}
