import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';

/** Mistakes that are made on purpose, in what is bundled, so that it is seen whether the campaign finds them. */

interface Edit {
  /** Below `lib/pawl`. */
  readonly file: string;
  readonly text: string;
  readonly instead: string;
}

const handled = 'run.returned(await handle(message, run.claim));';

const mistakes = {
  /** A run that failed counts as done. */
  believes: [{ file: 'rules/observe.ts', text: "? 'failed'\n", instead: "? 'done'\n" }],
  /** A handler begins when its first write is written, and fails with it. */
  waits: [
    { file: 'sqs/observe-message.ts', text: handled, instead: `await run.written; ${handled}` },
    {
      file: 'engine/observe/observer.ts',
      text: 'this.#isWritten = true;\n      said?.();\n    } catch (error) {',
      instead: 'this.#isWritten = true;\n      said?.();\n    } catch (error) { throw error;',
    },
  ],
  /** An invocation fails because of what was not written. */
  fails: [
    {
      file: 'engine/observe/observer.ts',
      text: 'if (!this.#isWritten) this.#unseen(new NoAnswerError(',
      instead: 'if (!this.#isWritten) throw (new NoAnswerError(',
    },
  ],
  /** What was not written is not reported. */
  silent: [
    {
      file: 'engine/observe/observer.ts',
      text: "emit(this.#engine, this.#watched?.identity, { type: 'unseen', error: recordedError(error) });",
      instead: 'void error;',
    },
  ],
  /** A duplicate does not run. */
  enforces: [
    {
      file: 'sqs/observe-message.ts',
      text: handled,
      instead: 'run.returned(message.receiveCount > 1 ? undefined : await handle(message, run.claim));',
    },
  ],
} as const satisfies Readonly<Record<string, readonly Edit[]>>;

export type MistakeName = keyof typeof mistakes;

/** @throws Error while it bundles, if a text is not there (any more) */
export function planted(name: MistakeName): Plugin {
  const edits: readonly Edit[] = mistakes[name];
  return {
    name: 'planted',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const edit = edits.find(({ file }) => path.endsWith(join('lib/pawl', file)));
        if (edit === undefined) return undefined;
        const source = await readFile(path, 'utf8');
        if (!source.includes(edit.text)) throw new Error(`${edit.file} has no place for the mistake '${name}'`);
        return { contents: source.replace(edit.text, edit.instead), loader: 'ts' };
      });
    },
  };
}
