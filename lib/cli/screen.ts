import { visible } from 'pawl/kernel';

/**
 * Where a command writes: the one way to the standard output and to the standard error.
 *
 * 1. No text that others wrote reaches a terminal as it is. `line` writes one line, whatever is in it; `text` is for pawl's own words.
 * 2. A reader that has gone away is no error of the command. Nothing is written from then on, and `onClosed` is called.
 */
export interface Screen {
  readonly isTTY: boolean;
  /** How wide the terminal is; `undefined` for a file or a pipe. */
  readonly columns: number | undefined;
  /** Writes one line. Its keys, errors and notes may hold anything: what a terminal would obey, or hide, is written out. */
  line(text: string): void;
  /** The same for a message of several lines, such as that of an error. What follows the first is set in: it cannot pass for a line of pawl. */
  lines(text: string): void;
  /** Writes pawl's own text as it is. What others wrote goes through `visible` before. */
  text(own: string): void;
  /** Resolves when all of it is written, or the reader is gone. */
  flushed(): Promise<void>;
}

type Stream = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };

/** @param onClosed the reader has closed its end */
export function screenOn(stream: Stream, onClosed: () => void = () => undefined): Screen {
  let isClosed = false;
  const close = () => {
    if (isClosed) return;
    isClosed = true;
    onClosed();
  };
  // Without a listener, a closed pipe ends the process between two requests of an act.
  stream.on('error', close);
  const text = (own: string) => {
    if (!isClosed) stream.write(own);
  };
  return {
    isTTY: stream.isTTY === true,
    get columns() {
      return stream.columns;
    },
    line: (said) => text(`${visible(said)}\n`),
    lines: (said) => text(`${said.trimEnd().split('\n').map(visibleLine).join('\n  ')}\n`),
    text,
    flushed: () =>
      new Promise((resolve) => {
        if (isClosed) resolve();
        else stream.write('', () => resolve());
      }),
  };
}

const visibleLine = (line: string) => visible(line);
