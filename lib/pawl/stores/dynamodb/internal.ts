/** What the command line sees of the table. For it alone, in the same version: nothing here is promised to anybody else. */
export { describeTable } from './physical-table.ts';
export { findMark } from './restore-mark.ts';
