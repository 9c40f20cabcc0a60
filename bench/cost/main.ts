import { writeFileSync } from 'node:fs';
import { chartOf } from './chart.ts';
import { help, readCommandLine } from './command-line.ts';
import { compare } from './compare.ts';
import { documentOf } from './document.ts';
import { environmentOf } from './environment.ts';
import { type Costs, measure, measureCosts } from './measure.ts';
import { moneyChart } from './money/chart.ts';
import { moneyDocument, moneyTables } from './money/document.ts';
import { full, quickPlan } from './plan.ts';
import { costSummary, summaryOf } from './summary.ts';
import { asText } from './table.ts';
import { tablesOf } from './tables.ts';

async function main(args: readonly string[]): Promise<void> {
  const commandLine = readCommandLine(args);
  if (commandLine === 'help') return console.log(help);
  const { quick, json, write, costs } = commandLine;
  const plan = quick ? quickPlan : full;
  const environment = environmentOf(args, new Date());
  if (costs) {
    const measured = await measureCosts(plan, environment);
    if (write) writeCosts(measured);
    console.log(json ? JSON.stringify(measured) : moneyTables(measured.money).map(asText).join('\n\n'));
    return console.log(JSON.stringify({ costPerMillion: costSummary(measured.money) }));
  }
  const results = await measure(plan, environment);
  if (write) {
    writeCosts(results);
    writeFileSync(new URL('../BENCHMARKS.md', import.meta.url), documentOf(results, plan));
    writeFileSync(new URL('../cost.svg', import.meta.url), chartOf(compare(results)));
  }
  console.log(json ? JSON.stringify(results) : tablesOf(results).map(asText).join('\n\n'));
  console.log(JSON.stringify(summaryOf(results)));
}

function writeCosts({ money, cold, environment }: Costs): void {
  writeFileSync(new URL('../../docs/evidence/cost.md', import.meta.url), moneyDocument(money, cold, environment));
  writeFileSync(new URL('../../docs/evidence/cost.svg', import.meta.url), moneyChart(money));
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof TypeError ? error.message : error);
  process.exitCode = 1;
}
