import { writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { endOnSignals } from '../rehearsal/end-on-signals.ts';
import { findApp, findFile, loadRehearsal } from '../rehearsal/file/load.ts';
import { jsonOf, junitOf } from '../rehearsal/file/machine.ts';
import { report } from '../rehearsal/file/report.ts';
import { type Look, runRehearsal } from '../rehearsal/file/run.ts';
import { createProgress, type Progress } from '../rehearsal/progress.ts';
import { type Io, type Line, UsageError } from './command.ts';
import { printJson } from './output.ts';

/** `pawl rehearse`. @returns 0 if all is good, 1 if an effect was lost or doubled, 2 if it could not run */
export async function rehearse(line: Line, io: Io): Promise<number> {
  const files = line.positionals.length > 0 ? line.positionals : [undefined];
  const seed = seedOf(line);
  let worst = 0;
  for (const file of files) {
    worst = Math.max(worst, await rehearseFile(line, io, file, seed));
    if (worst > 0 && !line.flag('keep-going')) return worst;
  }
  return worst;
}

function seedOf(line: Line): number {
  const text = line.text('seed');
  if (text === undefined) return Math.floor(Math.random() * 1_000_000);
  if (/^\d{1,10}$/.test(text) && Number(text) <= 4_294_967_295) return Number(text);
  throw new UsageError(`--seed: expected a whole number from 0 to 4294967295; got '${text}'.`);
}

async function rehearseFile(line: Line, io: Io, named: string | undefined, seed: number): Promise<number> {
  const path = findFile(named, process.cwd());
  const rehearsal = await loadRehearsal(path);
  const app = await findApp(rehearsal.options.app, path);
  const isForPrograms = line.flag('json');
  // If a program reads the standard output, everything for people goes to the other stream.
  const people = isForPrograms ? process.stderr : process.stdout;
  const progress = createProgress(people);
  endOnSignals(() => progress.end());
  const filter = line.text('filter');
  progress.say(`Rehearsing ${app.folder}${filter === undefined ? '' : `, only ${filter}`} (seed ${seed})`);
  const result = await runRehearsal(rehearsal, {
    seed,
    app,
    filter,
    story: line.text('story'),
    onStarting: (what) => progress.update(`${what} …`),
    onLook: (look) => show(progress, look),
    ...(line.flag('verbose') ? { onLog: (text, sandbox) => process.stderr.write(`${sandbox} ${text}\n`) } : {}),
  }).finally(() => progress.end());
  const command = [
    'npx pawl rehearse',
    named,
    filter === undefined ? undefined : `--filter ${filter}`,
    `--seed ${seed}`,
  ];
  const again = command.filter((part) => part !== undefined).join(' ');
  people.write(`${report(result, { colour: people.isTTY === true, again })}\n`);
  if (isForPrograms) printJson(io, jsonOf(result));
  const junit = line.text('junit');
  if (junit !== undefined) writeFileSync(junit, junitOf(result, basename(path)));
  return result.good ? 0 : 1;
}

function show(progress: Progress, { seconds, done, killed, left, isWaiting }: Look): void {
  const counts = Array.from(done, ([effect, count]) => `${count} ${effect}`).join('   ');
  const state = isWaiting ? 'waiting to become visible again' : 'to go';
  progress.update(`${seconds.toFixed(0).padStart(3)} s   ${counts}   ${killed} killed   ${left} messages ${state}`);
}
