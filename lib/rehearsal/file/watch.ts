import { type FSWatcher, watch } from 'node:fs';
import { extname, sep } from 'node:path';

/** Folders whose changes are no changes of the app: what others install or make. Those that begin with a dot belong to them. */
const notTheApp = new Set(['node_modules', 'cdk.out', 'coverage']);

/** What an app is written in. A report or a log that is written beside it is no change. */
const code = new Set('.ts .mts .cts .tsx .js .mjs .cjs .jsx .json .py .java .go .cs'.split(' '));

/** How long no further file may change: an editor writes several, one after the other. */
const quietMs = 150;

/** Watches the files of an app. */
export interface AppWatch {
  /** Aborts at the next change. */
  next(): AbortSignal;
  stop(): void;
}

/** @throws Error if this system cannot watch a folder with what is below it */
export function watchApp(folder: string): AppWatch {
  let changed = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const watcher: FSWatcher = watch(folder, { recursive: true }, (_, file) => {
    if (file === null || !isOfApp(file)) return;
    clearTimeout(timer);
    timer = setTimeout(() => changed.abort(new ChangedError(file)), quietMs);
  });
  return {
    next() {
      changed = new AbortController();
      return changed.signal;
    },
    stop() {
      clearTimeout(timer);
      watcher.close();
    },
  };
}

/** A file of the app has changed, so that what is being rehearsed is no longer the app. */
class ChangedError extends Error {
  override readonly name = 'ChangedError';

  constructor(file: string) {
    super(`${file} has changed.`);
  }
}

/** @param path of a file, from the folder of the app */
export function isOfApp(path: string): boolean {
  return code.has(extname(path)) && path.split(sep).every((part) => !part.startsWith('.') && !notTheApp.has(part));
}
