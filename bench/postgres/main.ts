import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createProgress } from '../../lib/rehearsal/progress.ts';
import { postgresPrograms, startPostgres } from '../../shop/postgres/server.ts';
import { createDatabase } from '../../test/support/postgres-database.ts';
import { environmentOf } from '../cost/environment.ts';
import { asMarkdown } from '../cost/table.ts';
import { costTable, measureCost } from './cost.ts';

const usage = `npm run bench -- postgres [--quick] [--write]

What claims in PostgreSQL cost beside the same statements by hand: statements, round trips, client CPU.
--quick: a look. --write: writes docs/evidence/postgres-cost.md.`;

const flag = { type: 'boolean', default: false } as const;
const { values } = parseArgs({ options: { quick: flag, write: flag, help: flag } });

if (values.help) console.log(usage);
else {
  const programs = postgresPrograms();
  if (programs === undefined) throw new Error('npm has installed no PostgreSQL for this platform');
  const progress = createProgress(process.stderr);
  const { date, command, machine, load, versions } = environmentOf(['postgres', ...process.argv.slice(2)], new Date());
  await using server = await startPostgres(programs);
  await using database = await createDatabase(server.url);
  const costs = await measureCost(database.url, {
    sizes: [1, 10, 100],
    ...(values.quick ? { rounds: 3, messages: 100 } : { rounds: 15, messages: 400 }),
    onRound: (said) => progress.update(said),
  });
  progress.end();
  const page = `# Evidence: what claims in PostgreSQL cost

\`npm run bench -- postgres --write\` writes this page.

${asMarkdown(costTable(costs))}

*By hand* is the least that a consumer of its own needs: a row with a status, an \`INSERT … ON CONFLICT DO NOTHING\` and an \`UPDATE\`. It has no fence, no lease that another worker takes over, and no look
at a response that was lost; a message whose handler fails never runs again. So the ratio is not the price of the same thing.

What the numbers cannot tell: the server is on the same machine, and its work is not counted. On a network, round trips decide, and a handler that takes milliseconds hides the rest. Each ratio is the median of those
of its rounds, which run side by side; on another machine only the ratios mean something.

${date}, \`${command}\`, ${machine}, load ${load.average.toFixed(1)} on ${load.cpus} processors, Node ${versions['node']}.
`;
  console.log(page);
  if (values.write) writeFileSync(new URL('../../docs/evidence/postgres-cost.md', import.meta.url), page);
}
