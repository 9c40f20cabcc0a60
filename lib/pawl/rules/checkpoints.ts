import { OptionError } from '../kernel/errors.ts';
import { bytesOf } from '../kernel/text.ts';
import type { ClaimRecord, StepResolution } from './record.ts';
import { completion } from './result.ts';

/**
 * How far the steps of a handler came: a field of its claim's record.
 *
 * Owns: what a checkpoint is, and what a resolution makes of one. Does not own: running a step (`step.ts`).
 *
 * 1. A step is in doubt while its checkpoint is `started`. Nothing but the checkpoint says so: no time is compared.
 * 2. A resolution changes the checkpoint itself, under the revision of the record that its author looked at. So it can only
 *    refer to the doubt that was there, and never to one that comes later.
 */

/** How far a step has come. `result` is JSON text; absent for `undefined`. */
export interface Checkpoint {
  readonly name: string;
  /** `started`: it may have been applied, and is in doubt. `open`: it was started, and is known to have applied nothing. */
  readonly state: 'started' | 'open' | 'done';
  /** When it got there, in epoch milliseconds. */
  readonly at: number;
  /** The fence of the attempt that brought it there; with the name, the identity of the doubt. */
  readonly fence?: number | undefined;
  readonly result?: string | undefined;
  /** Why a result is not there. */
  readonly omitted?: string | undefined;
}

export type Checkpoints = readonly (Checkpoint | null)[];

/** A record holds all checkpoints, an item of DynamoDB 400 KB, and every checkpoint writes them all. */
const mostBytes = 200_000;

export function checkpointsOf({ checkpoints }: Pick<ClaimRecord, 'checkpoints'>): Checkpoints {
  return checkpoints === undefined ? [] : JSON.parse(checkpoints);
}

/** The steps whose effect may or may not have happened, in their order. */
export function stepsInDoubt(record: Pick<ClaimRecord, 'checkpoints'>): readonly Checkpoint[] {
  return checkpointsOf(record).filter((one): one is Checkpoint => one?.state === 'started');
}

/** All checkpoints as the record keeps them, with this one in its place. */
export function withCheckpoint(before: Checkpoints, index: number, checkpoint: Checkpoint): string {
  const checkpoints = [...before];
  while (checkpoints.length < index) checkpoints.push(null);
  checkpoints[index] = checkpoint;
  const text = JSON.stringify(checkpoints);
  if (bytesOf(text) <= mostBytes) return text;
  // That the step is done must be kept, even if what it returned cannot be.
  checkpoints[index] = { ...checkpoint, result: undefined, omitted: 'too-large' };
  return JSON.stringify(checkpoints);
}

/** A step's result as its checkpoint keeps it: its JSON, or why that is not there. */
export function kept(value: unknown, maxBytes: number): Pick<Checkpoint, 'result' | 'omitted'> {
  const { result, resultOmitted } = completion(value, maxBytes, true);
  return { ...(result !== undefined && { result }), ...(resultOmitted && { omitted: resultOmitted }) };
}

/**
 * The checkpoints after an operator, or a step's provider, has decided the steps in doubt that are named.
 *
 * @throws OptionError when a result cannot be kept: an operator's word must not be lost on the way
 */
export function resolvedCheckpoints(
  record: Pick<ClaimRecord, 'checkpoints'>,
  said: ReadonlyMap<string, StepResolution>,
  now: number,
): string | undefined {
  if (said.size === 0) return record.checkpoints;
  const before = checkpointsOf(record);
  const checkpoints = before.map((one) => {
    const decided = one === null || one.state !== 'started' ? undefined : said.get(one.name);
    if (one === null || decided === undefined) return one;
    const { name, fence } = one;
    const verdict = typeof decided === 'string' ? decided : decided.verdict;
    if (verdict !== 'applied') return { name, state: 'open', at: now, fence } as const;
    const result = kept(typeof decided === 'string' ? undefined : decided.result, mostBytes);
    if (result.omitted)
      throw new OptionError(`result of step ${name}: expected JSON that fits; it is ${result.omitted}`);
    return { name, state: 'done', at: now, fence, ...result } as const;
  });
  const text = JSON.stringify(checkpoints);
  const bytes = bytesOf(text);
  if (bytes > mostBytes) {
    throw new OptionError(
      `results of steps: expected at most ${mostBytes} bytes with those that are kept; got ${bytes}`,
    );
  }
  return text;
}
