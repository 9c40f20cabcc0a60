import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startDynamoDbLocal } from '../../lib/rehearsal/engine/servers/dynamodb-local.ts';
import type { RehearsalResult } from '../../lib/rehearsal/file/result.ts';
import { innocents, type Mistake, mistakes, type PlantedApp } from '../../test/fixtures/planted/planted.ts';
import { clientNames } from '../../test/fixtures/rehearsed/clients.ts';
import { bundlePlanted, layouts, rehearsePlanted } from '../../test/support/planted.ts';

/*
 * npm run campaign -- planted: is the judge right? Apps with one mistake each have to be found guilty within three seeds, whatever client calls the provider and
 * however the app is spread over stacks; apps without one are never accused. A file keeps each result, so that a campaign that was stopped goes on
 * from there. --part 2/9 runs every ninth case, from the second one on; --only looks for a text in the name of a case; --quick runs one case of each app.
 */

const { values } = parseArgs({
  options: {
    part: { type: 'string', default: '1/1' },
    only: { type: 'string', default: '' },
    quick: { type: 'boolean', default: false },
    intents: { type: 'string', default: '12' },
    state: { type: 'string', default: fileURLToPath(new URL('../../.pawl/planted.jsonl', import.meta.url)) },
    again: { type: 'boolean', default: false },
  },
});

type Found = 'found' | 'found without its cause' | 'not testable' | 'missed' | 'innocent' | 'ACCUSED';

interface Case {
  readonly id: string;
  readonly app: PlantedApp | Mistake;
  readonly client: (typeof clientNames)[number];
  readonly layout: (typeof layouts)[number];
}

interface Line {
  readonly id: string;
  readonly found: Found;
  readonly seeds: number;
  readonly hints: readonly string[];
  readonly seconds: number;
}

const clients = clientNames.filter((name) => name !== 'node:net');
const every: readonly Case[] = [...mistakes, ...innocents].flatMap((app, index) => {
  const all = layouts.flatMap((layout) =>
    // What calls no provider is the same with every client.
    (app.countsRows ? clients.slice(0, 1) : clients).map((client) => ({
      id: `${app.name} | ${client} | ${layout}`,
      app,
      client,
      layout,
    })),
  );
  return values.quick ? all.filter((_, at) => at === index % all.length) : all;
});
const [part = 1, parts = 1] = values.part.split('/').map(Number);
const wanted = every.filter(({ id }, index) => id.includes(values.only) && index % parts === part - 1);

if (values.again) rmSync(values.state, { force: true });
mkdirSync(dirname(values.state), { recursive: true });
const lines: Line[] = existsSync(values.state)
  ? readFileSync(values.state, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
  : [];
const notRun: string[] = [];
const bundle = await bundlePlanted();
const dynamoDb = await startDynamoDbLocal();
try {
  for (const [index, one] of wanted.entries()) {
    if (lines.some(({ id }) => id === one.id)) continue;
    // What could not run is no verdict. It is not kept, and runs again the next time.
    const line = await judge(one).catch((error: unknown) => String(error).split('\n', 1)[0] ?? '');
    if (typeof line === 'string') {
      notRun.push(one.id);
      console.error(`${index + 1}/${wanted.length} could not run: ${one.id}: ${line}`);
      continue;
    }
    lines.push(line);
    appendFileSync(values.state, `${JSON.stringify(line)}\n`);
    console.error(
      `${index + 1}/${wanted.length} ${line.seconds.toFixed(0)} s  ${line.found.padEnd(12)} ${line.id}, seeds ${line.seeds}, why: ${line.hints.join(', ') || '-'}`,
    );
  }
} finally {
  await dynamoDb.stop();
  rmSync(bundle, { recursive: true, force: true });
}
const mine = lines.filter(({ id }) => wanted.some((one) => one.id === id));
const count = (found: Found) => mine.filter((line) => line.found === found).length;
const summary = Object.fromEntries(
  (['found', 'found without its cause', 'not testable', 'missed', 'innocent', 'ACCUSED'] as const).map((found) => [
    found,
    count(found),
  ]),
);
console.log(JSON.stringify({ ...summary, 'could not run': notRun.length }));
process.exitCode = count('missed') + count('ACCUSED') > 0 ? 1 : notRun.length > 0 ? 2 : 0;

async function judge({ id, app, client, layout }: Case): Promise<Line> {
  const begun = Date.now();
  const runs: RehearsalResult[] = [];
  const isGuilty = 'shows' in app;
  for (const seed of isGuilty ? [1, 2, 3] : [1]) {
    const run = await rehearsePlanted(app, { client, layout, seed, intents: Number(values.intents), bundle, dynamoDb });
    const isUnjudged = run.effects.some(({ unjudged }) => unjudged.length > 0);
    if (isUnjudged && !(isGuilty && isShown(app, run))) throw new Error(`seed ${seed}: ${run.untested.join(' ')}`);
    runs.push(run);
    if (isGuilty && runs.some((run) => isShown(app, run) && isNamed(app, run))) break;
  }
  const last = runs.at(-1);
  const hints = last?.hints.filter(({ intents }) => intents.length > 0).map(({ name }) => name) ?? [];
  return {
    id,
    found: isGuilty ? guilty(app, runs) : innocent(runs),
    seeds: runs.length,
    hints,
    seconds: (Date.now() - begun) / 1000,
  };
}

function isShown({ shows }: Mistake, { effects }: RehearsalResult): boolean {
  return effects.some((effect) => effect[shows].length > 0);
}

function guilty(app: Mistake, runs: readonly RehearsalResult[]): Found {
  const shown = runs.filter((run) => isShown(app, run));
  if (shown.length === 0)
    return runs.every(({ untested, empty }) => untested.length + empty.length > 0) ? 'not testable' : 'missed';
  return shown.some((run) => isNamed(app, run)) ? 'found' : 'found without its cause';
}

function isNamed({ why }: Mistake, { hints }: RehearsalResult): boolean {
  return why === undefined || hints.some(({ name }) => name === why);
}

function innocent(runs: readonly RehearsalResult[]): Found {
  return runs.every(
    ({ good, harmed, hints }) => good && harmed.length === 0 && hints.every(({ intents }) => intents.length === 0),
  )
    ? 'innocent'
    : 'ACCUSED';
}
