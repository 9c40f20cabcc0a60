import type { Invocation, InvocationWatch } from '../engine/lambda/lambda.ts';
import type { Circumstances, Outcome } from '../engine/lambda/sandbox.ts';
import type { TapHooks } from '../engine/servers/tap.ts';
import { combineHooks } from '../engine/servers/tap-hooks.ts';
import type { RehearsalFaults } from '../rehearsal.ts';
import { endpoints } from '../services/registry.ts';
import type { CarriedOut } from './carry-out.ts';
import { sayShortened } from './cut-short.ts';
import type { Shortened } from './shorten.ts';

/** A function of the app does not work at all: the rest of the rehearsal would show nothing. */
export class BrokenFunctionError extends Error {
  override readonly name = 'BrokenFunctionError';
}

/** After so many failures of a kind, and no success, a function is broken. */
const crashLimit = 2;
const timeoutLimit = 4;
const mostLines = 12;
const kept = 200;

/** The end of what was printed, without what Node says of its own insides: of a syntax error it is most. */
function readable(lines: readonly string[]): string {
  return lines
    .filter((line) => line.trim() !== '' && !/^\s+at .*node:internal/.test(line))
    .slice(-mostLines)
    .join('\n');
}

/** Watches for functions that cannot be loaded, or never respond. */
export interface BrokenWatch {
  readonly watch: InvocationWatch;
  readonly log: (line: string, sandbox: string) => void;
  /** A sandbox has called a service or a provider. */
  readonly called: (sandbox: string | undefined) => void;
  /** The same faults, and sees who calls the services of AWS. */
  readonly at: (faults: RehearsalFaults) => RehearsalFaults;
  /** Rejects if a function is broken. */
  readonly failed: Promise<never>;
}

/**
 * Nothing that the rehearsal or the machine did is held against a function. What has called something or printed a line while it handled an event
 * is at work: what becomes of its events is for the judge.
 */
export function watchForBroken(
  { watch, wasDisturbed }: Pick<CarriedOut, 'watch' | 'wasDisturbed'>,
  shortenedOf: (construct: string) => Shortened | undefined = () => undefined,
): BrokenWatch {
  const seen = new Map<string, { crashes: number; timeouts: number; sandboxes: readonly string[] }>();
  const works = new Set<string>();
  const callers = new Set<string>();
  const printed = new Map<string, string[]>();
  const { promise, reject } = Promise.withResolvers<never>();
  // No failure is the rule.
  promise.catch(() => undefined);
  const onEnd = (invocation: Invocation, outcome: Outcome, circumstances: Circumstances) => {
    watch.onEnd?.(invocation, outcome, circumstances);
    const { construct, sandbox } = invocation;
    const { killed, loaded, unloadable, spoke, machine } = circumstances;
    if (unloadable !== undefined) {
      reject(new BrokenFunctionError(`The function ${construct} cannot run: ${unloadable}`));
    } else if (outcome.kind === 'response' || outcome.kind === 'error' || (loaded && (spoke || callers.has(sandbox)))) {
      works.add(construct);
    } else if (!works.has(construct) && !killed && machine !== 'starved' && !wasDisturbed(sandbox)) {
      count(construct, sandbox, outcome.kind);
      return;
    }
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
    const last = now.sandboxes.map((one) => readable(printed.get(one) ?? [])).findLast((text) => text !== '') ?? '';
    const said = last === '' ? 'It printed nothing.' : `It printed:\n${last}`;
    if (now.crashes >= crashLimit) {
      reject(new BrokenFunctionError(`The function ${construct} ends before it has handled anything. ${said}`));
    } else if (now.timeouts >= timeoutLimit) {
      const short = shortenedOf(construct);
      const what = `The function ${construct} has not responded before its timeout in any of ${timeoutLimit} invocations.`;
      reject(new BrokenFunctionError([what, ...(short ? [sayShortened(short)] : []), said].join(' ')));
    }
  };
  const called = (sandbox: string | undefined) => {
    if (sandbox !== undefined) callers.add(sandbox);
  };
  return {
    watch: { ...(watch.onBegin ? { onBegin: watch.onBegin } : {}), onEnd },
    log(line, sandbox) {
      const lines = printed.get(sandbox) ?? [];
      lines.push(line);
      printed.set(sandbox, lines.slice(-kept));
    },
    called,
    at(faults) {
      const seen: TapHooks = {
        onRequest(call) {
          called(call.sandbox);
          return 'pass';
        },
      };
      const hooks = endpoints.map(({ name }) => [name, combineHooks(seen, faults[name] ?? {})] as const);
      return { ...faults, ...Object.fromEntries(hooks) };
    },
    failed: promise,
  };
}
