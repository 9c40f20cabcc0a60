import { writeFileSync } from 'node:fs';
import { chartOf } from './chart.ts';
import { HELP, readCommandLine } from './command-line.ts';
import { compare } from './compare.ts';
import { documentOf } from './document.ts';
import { environmentOf } from './environment.ts';
import { measure } from './measure.ts';
import { FULL, QUICK } from './plan.ts';
import { summaryOf } from './summary.ts';
import { asText, tablesOf } from './tables.ts';

async function main(args: readonly string[]): Promise<void> {
  const commandLine = readCommandLine(args);
  if (commandLine === 'help') return console.log(HELP);
  const { quick, json, write } = commandLine;
  const plan = quick ? QUICK : FULL;
  const results = await measure(plan, environmentOf(args, new Date()));
  if (write) {
    writeFileSync(new URL('../BENCHMARKS.md', import.meta.url), documentOf(results, plan));
    writeFileSync(new URL('../cost.svg', import.meta.url), chartOf(compare(results)));
  }
  console.log(json ? JSON.stringify(results) : tablesOf(results).map(asText).join('\n\n'));
  console.log(JSON.stringify(summaryOf(results)));
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof TypeError ? error.message : error);
  process.exitCode = 1;
}
