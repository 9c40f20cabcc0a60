/**
 * Ends at once on Ctrl-C. Not by stopping one thing after the other: whatever runs in this process ends with it, and the
 * processes that it started are killed as it exits.
 */
export function endOnSignals(before: () => void): void {
  const end = (code: number) => () => {
    before();
    process.exit(code);
  };
  process.once('SIGINT', end(130));
  process.once('SIGTERM', end(143));
  // npm dies of a SIGTERM of its own without handing it on, and would leave us running for nobody.
  const { ppid } = process;
  if (process.env['npm_lifecycle_event'] === undefined) return;
  setInterval(() => {
    if (process.ppid !== ppid) end(143)();
  }, 500).unref();
}
