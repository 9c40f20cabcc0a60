import type { TapHooks } from './tap.ts';

/**
 * Several sets of hooks as one. At each place they are called in this sequence, and the first that does anything to a call
 * decides: the ones behind it do not see that call there.
 */
export function combineHooks(...all: readonly TapHooks[]): TapHooks {
  return {
    rewrite(call) {
      for (const { rewrite } of all) {
        const rewritten = rewrite?.(call);
        if (rewritten !== undefined) return rewritten;
      }
      return undefined;
    },
    onRequest(call) {
      for (const { onRequest } of all) {
        const verdict = onRequest?.(call) ?? 'pass';
        if (verdict !== 'pass') return verdict;
      }
      return 'pass';
    },
    onResponse(call, answer) {
      for (const { onResponse } of all) {
        const verdict = onResponse?.(call, answer) ?? 'pass';
        if (verdict !== 'pass') return verdict;
      }
      return 'pass';
    },
    onAnswered: (call, answer) =>
      all.some(({ onAnswered }) => onAnswered?.(call, answer) === 'kill') ? 'kill' : 'pass',
  };
}
