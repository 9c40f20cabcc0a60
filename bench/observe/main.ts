import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { startDynamoDbLocal } from '../../lib/rehearsal/engine/servers/dynamodb-local.ts';
import { createProgress } from '../../lib/rehearsal/progress.ts';
import { claimsTable } from '../../test/support/tables.ts';
import { benchClient } from '../cost/client.ts';
import { environmentOf } from '../cost/environment.ts';
import { benchLean } from '../cost/lean-client.ts';
import { prices } from '../cost/money/prices.ts';
import { asMarkdown } from '../cost/table.ts';
import { measureObserved, observeTable } from './cost.ts';

const usage = `npm run bench -- observe [--quick] [--write]

What it costs to observe a consumer, beside enforcing it: requests, write units, and how long an invocation waits after its last handler.
--quick: a look. --write: writes docs/evidence/observe-cost.md.`;

const flag = { type: 'boolean', default: false } as const;
const { values } = parseArgs({ options: { quick: flag, write: flag, help: flag } });

if (values.help) console.log(usage);
else {
  const progress = createProgress(process.stderr);
  const { date, command, machine, load, versions } = environmentOf(['observe', ...process.argv.slice(2)], new Date());
  await using server = await startDynamoDbLocal();
  const client = benchClient(server.endpoint);
  const way = benchLean(server.endpoint);
  const costs = await measureObserved(way, await claimsTable(client), {
    sizes: [1, 10, 100],
    handlerMs: 20,
    rounds: values.quick ? 5 : 100,
    onRound: (said) => progress.update(said),
  });
  progress.end();
  client.destroy();
  way.destroy();
  const page = `# Evidence: what it costs to observe

\`npm run bench -- observe --write\` writes this page. [What observing is](../guides/observe.md).

${asMarkdown(observeTable(costs, prices.dynamoDb.millionWriteUnits))}

A handler takes 20 ms. What is measured begins when the last handler of a batch has ended, and ends with the response: an observed invocation waits there for its writes, for 25 ms at most (\`observeWaitMs\`). A timer may fire late on a busy machine; the row of a
table that hangs shows by how much. *unseen* are the runs of a batch that are reported as not written.

The prices are those of [what a million messages cost](cost.md). An observed write also changes the index of open claims, which DynamoDB bills as a write of its own. Of a table that hangs or is not there, what is counted are attempts, which are not billed.

In a batch whose handlers all end at once, the last writes begin when the handlers have ended: 100 messages are eight requests, which DynamoDB Local does not serve in 25 ms, so their ends are *unseen* at the response. They are sent all the same while the sandbox runs. Raise \`observeWaitMs\` for large batches.

${date}, \`${command}\`, ${machine}, load ${load.average.toFixed(1)} on ${load.cpus} processors, Node ${versions['node']}.
`;
  console.log(page);
  if (values.write) writeFileSync(new URL('../../docs/evidence/observe-cost.md', import.meta.url), page);
}
