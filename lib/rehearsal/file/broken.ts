import type { Invocation, InvocationWatch } from '../lambda.ts';
import type { Outcome } from '../sandbox.ts';
import type { CarriedOut } from './carry-out.ts';

/** A function of the app does not work at all: the rest of the rehearsal would show nothing. */
export class BrokenFunctionError extends Error {
  override readonly name = 'BrokenFunctionError';
}

/** After so many failures of a kind, and no success, a function is broken. */
const CRASHES = 2;
const TIMEOUTS = 4;
const LINES = 12;
const KEPT = 200;

/** The end of what was printed, without what Node says of its own insides: of a syntax error it is most. */
function readable(lines: readonly string[]): string {
  return lines
    .filter((line) => line.trim() !== '' && !/^\s+at .*node:internal/.test(line))
    .slice(-LINES)
    .join('\n');
}

/** Watches for functions that cannot be loaded, or never respond. An invocation that the rehearsal has disturbed is no sign of that. */
export function watchForBroken({ watch, wasDisturbed }: Pick<CarriedOut, 'watch' | 'wasDisturbed'>): {
  readonly watch: InvocationWatch;
  readonly log: (line: string, sandbox: string) => void;
  readonly failed: Promise<never>;
} {
  const seen = new Map<string, { crashes: number; timeouts: number; sandboxes: readonly string[] }>();
  const works = new Set<string>();
  const printed = new Map<string, string[]>();
  const { promise, reject } = Promise.withResolvers<never>();
  // No failure is the rule.
  promise.catch(() => undefined);
  const onEnd = (invocation: Invocation, outcome: Outcome) => {
    watch.onEnd?.(invocation, outcome);
    const { construct, sandbox } = invocation;
    if (outcome.kind === 'response' || outcome.kind === 'error') works.add(construct);
    else if (!works.has(construct) && !wasDisturbed(sandbox)) return count(construct, sandbox, outcome.kind);
    printed.delete(sandbox);
  };
  const count = (construct: string, sandbox: string, kind: 'crashed' | 'timed-out') => {
    const { crashes, timeouts, sandboxes } = seen.get(construct) ?? { crashes: 0, timeouts: 0, sandboxes: [] };
    const now = {
      sandboxes: [...sandboxes, sandbox],
      crashes: crashes + (kind === 'crashed' ? 1 : 0),
      timeouts: timeouts + (kind === 'timed-out' ? 1 : 0),
    };
    seen.set(construct, now);
    // The last lines of a process may arrive after its end. Those of the sandbox before it are there.
    const last = now.sandboxes.map((one) => readable(printed.get(one) ?? [])).findLast((text) => text !== '') ?? '';
    const said = last === '' ? 'It printed nothing.' : `It printed:\n${last}`;
    if (now.crashes >= CRASHES) {
      reject(new BrokenFunctionError(`The function ${construct} ends before it has handled anything. ${said}`));
    } else if (now.timeouts >= TIMEOUTS) {
      reject(
        new BrokenFunctionError(
          `The function ${construct} has not responded before its timeout in any of ${TIMEOUTS} invocations. ${said}`,
        ),
      );
    }
  };
  return {
    watch: { ...(watch.onBegin ? { onBegin: watch.onBegin } : {}), onEnd },
    log(line, sandbox) {
      const lines = printed.get(sandbox) ?? [];
      lines.push(line);
      printed.set(sandbox, lines.slice(-KEPT));
    },
    failed: promise,
  };
}
