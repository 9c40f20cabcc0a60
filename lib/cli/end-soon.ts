/** How long what is still going on may keep this process, when its result is known. */
const lastWordsMs = 1_000;

/**
 * Ends this process soon with its exit code, when its result is known and said. The traffic of a rehearsal that failed may go on for minutes: a client
 * that calls an API again and again, or a promise that nothing settles.
 */
export function endSoon(code: number): void {
  process.exitCode = code;
  setTimeout(() => process.exit(), lastWordsMs).unref();
}
