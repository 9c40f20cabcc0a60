import { parseArgs } from 'node:util';
import { createProgress } from '../../lib/rehearsal/progress.ts';
import { endOnSignals } from '../../shop/end-on-signals.ts';
import { conformanceApps } from './apps.ts';
import type { Case } from './case.ts';
import { startEmulated } from './emulated.ts';
import { startRehearsed } from './rehearsed.ts';
import { type Outcomes, runCases } from './run.ts';
import { type EngineName, report } from './table.ts';

/*
 * npm run e2e -- conformance: the same cases in a rehearsal and in the emulator of `npm run e2e -- deploy`, beside what AWS documents.
 * Exits with 1 if an outcome is neither the documented one nor an explained one.
 *
 *   --engine rehearsal|emulator   only one of them   (both)
 *   --case <name>                 only some cases; may be repeated
 */

const { values } = parseArgs({
  options: { engine: { type: 'string' }, case: { type: 'string', multiple: true } },
});

const engines = { rehearsal: startRehearsed, emulator: startEmulated } as const;

const progress = createProgress(process.stderr);
endOnSignals(() => progress.end());

const wanted = ({ name }: Case) => values.case === undefined || values.case.includes(name);
const apps = conformanceApps
  .map((app) => ({ ...app, cases: app.cases.filter(wanted) }))
  .filter(({ cases }) => cases.length > 0);

async function outcomesOf(engine: EngineName): Promise<Outcomes | undefined> {
  if (values.engine !== undefined && values.engine !== engine) return undefined;
  const began = Date.now();
  const seconds = () => ((Date.now() - began) / 1_000).toFixed(0).padStart(4);
  const outcomes = await runCases(engines[engine], apps, (text) => progress.say(`${seconds()} s  ${engine}: ${text}`));
  progress.say(`${seconds()} s  ${engine}: done`);
  return outcomes;
}

if (values.engine !== undefined && !(values.engine in engines)) throw new Error(`There is no engine ${values.engine}.`);
if (apps.length === 0) throw new Error('There is no such case.');
const { lines, unexplained } = report(apps, {
  rehearsal: await outcomesOf('rehearsal'),
  emulator: await outcomesOf('emulator'),
});
process.stdout.write(`${lines.join('\n')}\n`);
process.exitCode = unexplained === 0 ? 0 : 1;
