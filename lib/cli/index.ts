/** What `@pawl/rehearsal` builds its command with. For pawl's own packages alone, in the same version: nothing here is promised to anybody else. */
export { type Io, UsageError } from './command.ts';
export { runCommandLine } from './command-line.ts';
export type { RehearseLine } from './commands.ts';
export type * from './console/rehearsal-view.ts';
export { type LiveEvent, type LiveFeed, type Shown, startConsole } from './console/server.ts';
export { plural, printJson } from './output.ts';
