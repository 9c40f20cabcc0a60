import { type RehearseLine, runCommandLine, UsageError } from '@pawl/cli';

await runCommandLine(process.argv.slice(2), {
  async rehearse(line: RehearseLine, io) {
    // Before any module is loaded that such a Node does not understand.
    if (typeof AsyncDisposableStack !== 'function')
      throw new UsageError(`pawl rehearse needs Node 24 or newer; this is ${process.version}.`);
    return (await import('./rehearse.ts')).rehearse(line, io);
  },
});
