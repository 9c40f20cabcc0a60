import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';

/** Mistakes that are made on purpose, in what is bundled, so that it is seen whether the campaign finds them. */

interface Mistake {
  /** Below `lib/pawl`. */
  readonly file: string;
  readonly text: string;
  readonly instead: string;
}

const mistakes = {
  /** A run that failed counts as done. */
  believes: { file: 'rules/observe.ts', text: "? 'failed'\n", instead: "? 'done'\n" },
  /** A handler waits until its first write has an answer. */
  waits: {
    file: 'sqs/observe-message.ts',
    text: 'run.returned(await handle(message, run.claim));',
    instead: 'await run.written; run.returned(await handle(message, run.claim));',
  },
  /** An invocation fails because of what was not written. */
  fails: {
    file: 'engine/observe/observer.ts',
    text: 'if (!this.#isWritten) this.#unseen(new NoAnswerError(',
    instead: 'if (!this.#isWritten) throw (new NoAnswerError(',
  },
  /** What was not written is not reported. */
  silent: {
    file: 'engine/observe/observer.ts',
    text: "emit(this.#engine, this.#watched?.identity, { type: 'unseen', error: recordedError(error) });",
    instead: 'void error;',
  },
  /** A duplicate does not run. */
  enforces: {
    file: 'sqs/observe-message.ts',
    text: 'run.returned(await handle(message, run.claim));',
    instead: 'run.returned(message.receiveCount > 1 ? undefined : await handle(message, run.claim));',
  },
} as const satisfies Readonly<Record<string, Mistake>>;

export type MistakeName = keyof typeof mistakes;

/** @throws Error while it bundles, if the text is not there (any more) */
export function planted(name: MistakeName): Plugin {
  const { file, text, instead }: Mistake = mistakes[name];
  return {
    name: 'planted',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        if (!path.endsWith(join('lib/pawl', file))) return undefined;
        const source = await readFile(path, 'utf8');
        if (!source.includes(text)) throw new Error(`${file} has no place for the mistake '${name}'`);
        return { contents: source.replace(text, instead), loader: 'ts' };
      });
    },
  };
}
