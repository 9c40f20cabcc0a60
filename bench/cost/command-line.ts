import { parseArgs } from 'node:util';

export interface CommandLine {
  readonly quick: boolean;
  readonly json: boolean;
  readonly write: boolean;
  /** Only what it costs in money. */
  readonly costs: boolean;
}

export const help = `Measures what pawl costs the client: requests, bytes, CPU, time and memory, beside Powertools for AWS Lambda,
Middy without protection, and the floor, which is raw batch statements. All of it in one run, in turns.

Usage: npm run bench -- [options]

  --quick   a few minutes; leaves out batches of 1,000 and 10,000, and is too noisy to be quoted
  --json    the result as one line of JSON instead of tables
  --write   also writes bench/BENCHMARKS.md and docs/evidence/cost.md, with their charts
  --costs   only what it costs in money, and cold starts; with --write, docs/evidence/cost.md and its chart
  --help    this text

The last line is always the summary, as JSON. Needs Java 17 for DynamoDB Local. Needs no AWS account, and no network.`;

/** @throws TypeError when there is an option that does not exist */
export function readCommandLine(args: readonly string[]): CommandLine | 'help' {
  const { quick, json, write, costs, help } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      costs: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  }).values;
  if (help) return 'help';
  // What is written down is quoted.
  if (quick && write) throw new TypeError('--write should come without --quick: what is written down is quoted.');
  return { quick, json, write, costs };
}
