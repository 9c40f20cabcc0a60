/** Shows where a run is: in a terminal one line that changes, and elsewhere a line now and then. */
export interface Progress {
  /** Shows the text: in a terminal at once, and elsewhere only if nothing was shown for a while. */
  update(text: string): void;
  /** Shows the text now, and keeps it. */
  say(text: string): void;
  /** Leaves the cursor at the start of an empty line. */
  end(): void;
}

/** @param betweenLinesMs how long to wait between two lines, if there is no terminal */
export function createProgress(stream: NodeJS.WriteStream, betweenLinesMs = 2_000): Progress {
  let shownAt = 0;
  let open = false;
  const clear = () => {
    if (open) stream.write('\r\u001b[K');
    open = false;
  };
  return {
    update(text) {
      if (stream.isTTY) {
        // A line that wraps could not be replaced. Some terminals report 0 columns.
        stream.write(`\r\u001b[K${text.slice(0, (stream.columns || 80) - 1)}`);
        open = true;
      } else if (Date.now() - shownAt >= betweenLinesMs) {
        shownAt = Date.now();
        stream.write(`${text}\n`);
      }
    },
    say(text) {
      clear();
      stream.write(`${text}\n`);
    },
    end: clear,
  };
}
