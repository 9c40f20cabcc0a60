import { processWide } from '../kernel/process-wide.ts';
import { warnOnce } from '../kernel/warn-once.ts';

/** What a process sees of one handler: whether it has run. Two that are written alike are one, such as the same handler made twice. */
export interface HandlerUse {
  /** It was granted a claim. */
  hasRun(): void;
  /** A claim was found completed. */
  foundDone(): void;
}

type Uses = Map<string, { ran: boolean }>;

/** By store and operation, and the text of each handler. */
const known = processWide('handlers/1', () => new WeakMap<object, Map<string, Uses>>());

/**
 * Watches for two handlers with one operation and one store, of which one never runs: what the other has done is taken for done. It is said where a
 * handler that has not run finds a claim completed, and another one has run. A handler that is made twice, or in two deployments, is one.
 */
export function useOf(store: object, operation: string, handler: unknown): HandlerUse {
  const operations = known.get(store) ?? new Map<string, Uses>();
  known.set(store, operations);
  const uses: Uses = operations.get(operation) ?? new Map();
  operations.set(operation, uses);
  const text = String(handler);
  const use = uses.get(text) ?? { ran: false };
  uses.set(text, use);

  return {
    hasRun() {
      use.ran = true;
    },
    foundDone() {
      if (use.ran || uses.size < 2) return;
      if ([...uses.values()].some(({ ran }) => ran)) warnOfTwo(operation);
    },
  };
}

function warnOfTwo(operation: string): void {
  const said = `two handlers of this process have the operation '${operation}' and one store: what one has done, the other takes for done`;
  warnOnce(
    'same-operation',
    operation,
    `${said}. Give each effect an operation of its own, unless both apply the same one`,
  );
}
