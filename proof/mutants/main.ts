import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { adapters } from './adapters.ts';
import { core } from './core.ts';
import { documentOf, type Result } from './document.ts';
import { type Killer, killers } from './killers.ts';
import { broken, type Mutant } from './mutant.ts';
import { createWorkspace, type Workspace } from './workspace.ts';

const help = `Breaks the protocol on purpose, one place at a time, in a copy of the repository, and reports which check finds it.

  --only TEXT   only the mutants whose file or description contains this text
  --write       also writes docs/evidence/mutants.md
  --log FILE    appends each result to this file, and skips the mutants that it already has
  --minutes N   starts no mutant after N minutes
  --list        prints the mutants and runs none`;

const repository = join(import.meta.dirname, '../..');
const mutants = [...core, ...adapters];

async function main(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', default: '' },
      write: { type: 'boolean' },
      log: { type: 'string' },
      minutes: { type: 'string', default: 'Infinity' },
      list: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) return console.log(help);
  const chosen = mutants.filter(({ file, what }) => `${file}: ${what}`.includes(values.only));
  if (values.write && chosen.length < mutants.length) throw new TypeError('--write comes without --only');
  for (const mutant of chosen) broken(readFileSync(join(repository, mutant.file), 'utf8'), mutant);
  if (values.list) return console.log(chosen.map(({ file, what }) => `${file}: ${what}`).join('\n'));

  using workspace = createWorkspace(repository);
  const healthy = healthOf(workspace);
  const earlier = values.log ? resultsIn(values.log) : [];
  const results: Result[] = [];
  const until = performance.now() + Number(values.minutes) * 60_000;
  for (const mutant of chosen) {
    const known = earlier.find((one) => isDeepStrictEqual(one.mutant, mutant));
    if (known === undefined && performance.now() > until) continue;
    const result = known ?? (await kill(workspace, mutant, healthy));
    results.push(result);
    if (known) continue;
    if (values.log) appendFileSync(values.log, `${JSON.stringify(result)}\n`);
    const { by = 'NOTHING', proof = '', seconds } = result;
    console.log(`${mutant.file}: ${mutant.what}\n    ${by}, ${seconds} s: ${proof}`);
  }
  const survivors = results.filter(({ by }) => by === undefined);
  console.log(JSON.stringify({ mutants: chosen.length, met: results.length, survivors: survivors.length }));
  if (survivors.length > 0) process.exitCode = 1;
  if (values.write) {
    const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: repository, encoding: 'utf8' }).trim();
    writeFileSync(
      join(repository, 'docs/evidence/mutants.md'),
      documentOf(results, mutants.length, commit, new Date()),
    );
  }
}

function resultsIn(file: string): readonly Result[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Result);
}

/** A check that fails without a mutant proves nothing. Each check runs once without a mutant, before its first mutant. */
function healthOf({ folder }: Workspace): (killer: Killer) => Promise<void> {
  const known = new Set<Killer>();
  return async (killer) => {
    if (known.has(killer)) return;
    const failure = await killer.run(folder);
    if (failure !== undefined) throw new Error(`${killer.name} fails without any mutant: ${failure}`);
    known.add(killer);
  };
}

async function kill(workspace: Workspace, mutant: Mutant, healthy: (killer: Killer) => Promise<void>): Promise<Result> {
  let seconds = 0;
  for (const killer of killers.filter(({ sees }) => sees(mutant.file))) {
    await healthy(killer);
    using _ = workspace.with(mutant);
    const start = performance.now();
    const proof = await killer.run(workspace.folder);
    seconds += Math.round((performance.now() - start) / 1000);
    if (proof !== undefined) return { mutant, by: killer.name, proof, seconds };
  }
  return { mutant, seconds };
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
