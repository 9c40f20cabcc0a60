import type { Host } from '../kernel/host.ts';
import { executionsOperation, joined } from '../kernel/name.ts';

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

/** The id of the claim that waits for the executions of an intent. Its operation is one that no author gives. */
export function waitingId(operation: string, hash: string): string {
  return joined([waitingOperation(operation), hash]);
}

/** The operation of the claims that wait for the executions of another one. */
export function waitingOperation(operation: string): string {
  return `${executionsOperation}${operation}`;
}

/** One execution of an intent. */
export interface NumberedExecution {
  readonly hash: string;
  readonly number: number;
}

/** What a name says; nothing if pawl did not make it. */
export function executionIn(name: string): NumberedExecution | undefined {
  const [, hash, number] = /^([0-9a-f]{48})-([1-9]\d{0,14})$/.exec(name) ?? [];
  return hash === undefined ? undefined : { hash, number: Number(number) };
}
