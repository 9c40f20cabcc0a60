/**
 * Ends this process at once on Ctrl-C. It stops nothing one by one: what runs in this process ends with it, and the
 * processes that it started are killed as it exits.
 *
 * @param codeOf the exit code. @default that of the signal
 */
export function endOnSignals(before: () => void, codeOf?: () => number): void {
  const end = (code: number) => () => {
    before();
    process.exit(codeOf?.() ?? code);
  };
  process.once('SIGINT', end(130));
  process.once('SIGTERM', end(143));
  // The terminal was closed, or the connection to the machine.
  process.once('SIGHUP', end(129));
  // npm ends at a SIGTERM without handing it on, and would leave this process running.
  const { ppid } = process;
  if (process.env['npm_lifecycle_event'] === undefined) return;
  setInterval(() => {
    if (process.ppid !== ppid) end(143)();
  }, 500).unref();
}
