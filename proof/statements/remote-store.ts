import type { KeepsNotes } from '../../lib/pawl/rules/notes.ts';
import type { ClaimStore } from '../../lib/pawl/rules/store.ts';

/** What a store of another process is asked. */
type Call = { readonly [Name in 'read' | 'write' | 'readNote' | 'writeNote' | 'listPlace']: Asked<Name> }[
  | 'read'
  | 'write'
  | 'readNote'
  | 'writeNote'
  | 'listPlace'];
interface Asked<Name extends keyof (ClaimStore & KeepsNotes)> {
  readonly name: Name;
  readonly input: unknown;
}

export interface Asking {
  readonly kind: 'calls';
  readonly number: number;
  readonly calls: readonly Call[];
}

/** A store in the parent process, which outlives this one. What is asked for at the same time shares a message. */
export function remoteStore(): ClaimStore & KeepsNotes {
  const waiting = new Map<number, readonly ((result: unknown) => void)[]>();
  let next: { readonly call: Call; readonly resolve: (result: unknown) => void }[] = [];
  let number = 0;
  process.on('message', ({ number: of, results }: { number: number; results: readonly unknown[] }) => {
    for (const [index, resolve] of (waiting.get(of) ?? []).entries()) resolve(results[index] ?? undefined);
    waiting.delete(of);
  });

  function send(): void {
    const asking: Asking = { kind: 'calls', number: ++number, calls: next.map(({ call }) => call) };
    waiting.set(
      number,
      next.map(({ resolve }) => resolve),
    );
    next = [];
    process.send?.(asking);
  }

  function ask(name: Call['name'], input: unknown): Promise<never> {
    return new Promise((resolve) => {
      if (next.length === 0) setImmediate(send);
      next.push({ call: { name, input } as Call, resolve: resolve as (result: unknown) => void });
    });
  }

  return {
    read: (id) => ask('read', id),
    write: (write) => ask('write', write),
    readNote: (id) => ask('readNote', id),
    writeNote: (write) => ask('writeNote', write),
    listPlace: (query) => ask('listPlace', query),
  };
}
