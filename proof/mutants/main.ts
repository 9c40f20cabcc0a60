import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { documentOf, type Result } from './document.ts';
import { type Killer, killers } from './killers.ts';
import { type Mutant, nameOf } from './mutant.ts';
import { mutants } from './mutants.ts';

const help = `Breaks the protocol on purpose, one function at a time, and reports which check finds it. No file is changed.

  --only TEXT   only the mutants whose module or description contains this text
  --by NAME     only this check, e.g. search: what else would find a mutant is not asked
  --write       also writes docs/evidence/mutants.md
  --log FILE    appends each result to this file, and skips the mutants that it already has
  --minutes N   starts no mutant after N minutes
  --list        prints the mutants and runs none`;

const repository = join(import.meta.dirname, '../..');

async function main(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', default: '' },
      by: { type: 'string' },
      write: { type: 'boolean' },
      log: { type: 'string' },
      minutes: { type: 'string', default: 'Infinity' },
      list: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) return console.log(help);
  const chosen = mutants.filter((mutant) => nameOf(mutant).includes(values.only));
  if (values.write && chosen.length < mutants.length) throw new TypeError('--write comes without --only');
  if (values.write && values.by) throw new TypeError('--write comes without --by');
  if (values.list) return console.log(chosen.map(nameOf).join('\n'));

  const checks = values.by === undefined ? killers : killers.filter(({ name }) => name === values.by);
  if (checks.length === 0) throw new TypeError(`--by: expected one of ${killers.map(({ name }) => name).join(', ')}`);
  const healthy = healthOf();
  const earlier = values.log ? resultsIn(values.log) : [];
  const results: Result[] = [];
  const until = performance.now() + Number(values.minutes) * 60_000;
  for (const mutant of chosen) {
    const known = earlier.find((one) => one.module === mutant.module && one.what === mutant.what);
    if (known === undefined && performance.now() > until) continue;
    const result = known ?? (await kill(mutant, checks, healthy));
    results.push(result);
    if (known) continue;
    if (values.log) appendFileSync(values.log, `${JSON.stringify(result)}\n`);
    const { by = 'NOTHING', proof = '', seconds } = result;
    console.log(`${nameOf(mutant)}\n    ${by}, ${seconds} s: ${proof}`);
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

/** How often a check may fail without a mutant: one that waits for real processes is asked again, on a machine that is busy with something else. */
const mostFailures = 3;

/** A check that fails without a mutant proves nothing. Each check runs without a mutant before its first mutant. */
function healthOf(): (killer: Killer) => Promise<void> {
  const known = new Set<Killer>();
  return async (killer) => {
    if (known.has(killer)) return;
    for (let failures = 1; ; failures++) {
      const failure = await killer.run(undefined);
      if (failure === undefined) break;
      const said = `${killer.name} fails without any mutant: ${failure}`;
      if (failures === mostFailures) throw new Error(said);
      console.error(`${said}. It runs again`);
    }
    known.add(killer);
  };
}

async function kill(
  mutant: Mutant,
  checks: readonly Killer[],
  healthy: (killer: Killer) => Promise<void>,
): Promise<Result> {
  const { what, module } = mutant;
  let seconds = 0;
  for (const killer of checks.filter(({ sees }) => sees(module))) {
    await healthy(killer);
    const start = performance.now();
    const proof = await killer.run(mutant);
    seconds += Math.round((performance.now() - start) / 1000);
    if (proof !== undefined) return { what, module, by: killer.name, proof, seconds };
  }
  return { what, module, seconds };
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
