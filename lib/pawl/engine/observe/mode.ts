import { expect } from '../../kernel/check.ts';
import { letFail } from '../../kernel/unknown.ts';
import { warnOnce } from '../../kernel/warn-once.ts';

/** `enforce`: pawl decides what runs. `observe`: it watches beside the handler, and changes nothing. */
export type Mode = 'enforce' | 'observe';

/** The variable that `mode: 'environment'` reads. */
const modeVariable = 'PAWL_MODE';

const expected = "'enforce', 'observe', or the share of the keys to enforce, from 0 to 1";

/**
 * The share of the keys that is enforced, 0 to 1, as it is at a time; nothing if it is always all of them.
 *
 * @throws OptionError for a mode that is none, also one in the environment, or that the author's function returns
 */
export function enforcedShare(
  operation: string,
  {
    mode,
    enforce,
  }: {
    readonly mode?: Mode | 'environment' | (() => Mode | number) | undefined;
    readonly enforce?: number | undefined;
  },
  environment: NodeJS.ProcessEnv = process.env,
): (() => number) | undefined {
  if (enforce !== undefined) {
    expect(isShare(enforce), 'enforce', 'the share of the keys to enforce, from 0 to 1', enforce, 'wrong-mode');
    const fits = mode === undefined || mode === 'observe';
    expect(fits, 'enforce', "no mode beside it, or mode: 'observe'", mode, 'wrong-mode');
    return () => enforce;
  }
  if (typeof mode === 'function') return asSaidBy(operation, mode);
  const isWord = mode === undefined || mode === 'enforce' || mode === 'observe' || mode === 'environment';
  expect(
    isWord,
    'mode',
    "'enforce', 'observe', 'environment', or a function that returns a mode or a share",
    mode,
    'wrong-mode',
  );
  const share = mode === 'environment' ? shareInEnvironment(environment) : shareOf(mode ?? 'enforce');
  return share === 1 ? undefined : () => share;
}

/** @throws OptionError */
function shareInEnvironment(environment: NodeJS.ProcessEnv): number {
  const said = environment[modeVariable];
  // Not set, the option says no more than that there may be another mode.
  if (said === undefined || said === '') return 1;
  const share =
    said === 'enforce' || said === 'observe'
      ? shareOf(said)
      : /^(0|1|0?\.\d+|[01]\.\d*)$/.test(said)
        ? Number(said)
        : undefined;
  expect(isShare(share), `the variable ${modeVariable}`, expected, said, 'wrong-mode');
  return share as number;
}

/** By the author's function, as it says at each delivery. What it says wrong later changes nothing. */
function asSaidBy(operation: string, mode: () => Mode | number): () => number {
  const first = saidBy(mode);
  expect(isShare(first.share), 'mode', `a function that returns ${expected}`, first.said, 'wrong-mode');
  let last = first.share as number;
  return () => {
    try {
      const { share } = saidBy(mode);
      if (isShare(share)) {
        last = share;
        return last;
      }
    } catch {
      // As a mode that is none.
    }
    warnOnce(
      'wrong-mode',
      operation,
      `the function mode of '${operation}' failed, or returned no mode; expected ${expected}. The last one stays: ${last}`,
    );
    return last;
  };
}

function saidBy(mode: () => Mode | number): { readonly said: unknown; readonly share: number | undefined } {
  const said: unknown = mode();
  letFail(said);
  return {
    said,
    share: said === 'enforce' || said === 'observe' ? shareOf(said) : typeof said === 'number' ? said : undefined,
  };
}

function shareOf(mode: Mode): number {
  return mode === 'enforce' ? 1 : 0;
}

function isShare(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= 1;
}
