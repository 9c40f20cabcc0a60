import { parseArgs } from 'node:util';
import { configs, smaller } from './config.ts';
import { compared, difference, distinctTrails } from './conformance.ts';
import { search } from './search.ts';
import { modelOf } from './world.ts';

const help = `Searches every state of the protocol within stated bounds, and prints the states and any broken promise.

  --only NAME      only this configuration; repeat the option for more
  --small          the reduced bounds of npm test; also compares each way through the search's worker with the production code
  --most N         gives a configuration up after N states
  --list           prints the names and searches nothing`;

async function main(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', multiple: true },
      small: { type: 'boolean' },
      most: { type: 'string' },
      list: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) {
    console.log(help);
    return;
  }
  if (values.list) {
    console.log(configs.map(({ name }) => name).join('\n'));
    return;
  }
  const unknown = values.only?.find((wanted) => !configs.some(({ name }) => name === wanted));
  if (unknown !== undefined) throw new TypeError(`--only: no configuration is called ${JSON.stringify(unknown)}`);
  const chosen = configs.filter(({ name }) => values.only?.includes(name) ?? true);
  const mostStates = values.most === undefined ? undefined : Number(values.most);

  const began = performance.now();
  const all = { states: 0, transitions: 0, depth: 0, violations: 0, unfinished: 0, compared: 0, differences: 0 };
  console.log(row(['configuration', 'states', 'transitions', 'depth', 'slowest end', 'seconds']));
  for (const config of chosen) {
    const start = performance.now();
    const progress = (states: number, depth: number) => {
      process.stderr.write(`\r${config.name}: ${states} states, depth ${depth}, ${secondsSince(start)} s `);
    };
    const model = modelOf(values.small ? smaller(config) : config);
    const trails = values.small && compared.includes(config.name) ? distinctTrails() : undefined;
    const found = search(model, { progress, mostStates, met: trails?.take });
    process.stderr.write('\r\x1b[K');
    const { exhausted, states, transitions, depth, slowestEnd, violation } = found;
    const end = exhausted ? slowestEnd : violation ? 'BROKEN' : 'given up';
    console.log(row([config.name, states, transitions, depth, end, secondsSince(start)]));
    all.states += states;
    all.transitions += transitions;
    all.depth = Math.max(all.depth, depth);
    if (violation) {
      all.violations++;
      console.log(`\n${violation.promise} is broken. The shortest way there:\n${violation.story}\n`);
      break;
    }
    if (!exhausted) all.unfinished++;
    for (const trail of trails?.ends() ?? []) {
      const different = await difference(model, trail);
      all.compared++;
      if (different === undefined) continue;
      all.differences++;
      console.log(`\nThe search's worker is not what ships: ${different}\n`);
      break;
    }
    if (all.differences > 0) break;
  }
  const { rss } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  const cost = {
    seconds: Number(secondsSince(began)),
    cpuSeconds: Math.round((user + system) / 1e6),
    megabytes: Math.round(rss / 1e6),
  };
  console.log(JSON.stringify({ ...all, ...cost }));
  if (all.violations + all.unfinished + all.differences > 0) process.exitCode = 1;
}

function row(cells: readonly (string | number)[]): string {
  return cells.map((cell, index) => (index === 0 ? String(cell).padEnd(34) : String(cell).padStart(12))).join('');
}

function secondsSince(start: number): string {
  return ((performance.now() - start) / 1000).toFixed(1);
}

// Errors are made by the million here, as what handlers throw. Nobody reads their stacks.
Error.stackTraceLimit = 0;
try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof TypeError ? error.message : error);
  process.exitCode = 1;
}
