import { execFile } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { type SeedResult, summaryOf } from './summary.ts';

/*
 * npm run campaign -- kills: the local stack with real processes, seed after seed, until enough processes were killed. A file keeps each seed's result,
 * so that a campaign that was stopped goes on from there. --retry: all consumers under that policy.
 */

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '1000' },
    minutes: { type: 'string', default: '30' },
    from: { type: 'string', default: '1' },
    kill: { type: 'string', default: '0.3' },
    retry: { type: 'boolean', default: false },
    state: { type: 'string', default: fileURLToPath(new URL('../../.pawl/campaign.jsonl', import.meta.url)) },
  },
});
const how = ['--json', ...(values.retry ? ['--retry'] : [])];
const wanted = Number(values.kills);
const until = Date.now() + Number(values.minutes) * 60_000;
const local = fileURLToPath(new URL('../../bin/local.ts', import.meta.url));

function known(): SeedResult[] {
  if (!existsSync(values.state)) return [];
  const lines = readFileSync(values.state, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line));
}

/** One run. If its exit code is not 0, it has found a failure, and its line says which. @returns `undefined` if the machine was too slow to judge */
async function run(seed: number): Promise<SeedResult | undefined> {
  const args = [local, ...how, '--seed', String(seed), '--kill', values.kill];
  const child = promisify(execFile)(process.execPath, args, { timeout: 400_000, maxBuffer: 64 * 1024 * 1024 });
  const { stdout, stderr, code } = await child.then(
    (answer) => ({ ...answer, code: 0 }),
    (error) => ({
      stdout: String(error.stdout ?? ''),
      stderr: String(error.stderr ?? ''),
      code: Number(error.code ?? 1),
    }),
  );
  const line = stdout.trim().split('\n').at(-1);
  const said = stderr.trim().split('\n').slice(-5).join('\n');
  if (code === 2) return void console.error(`seed ${seed} is not judged, and runs again: ${said}`);
  if (!line?.startsWith('{')) {
    throw new Error(
      `seed ${seed} ended with ${code} and without a result; see: npm start -- ${how.join(' ')} --seed ${seed} --kill ${values.kill}\n${said}`,
    );
  }
  return { seed, code, ...JSON.parse(line) };
}

mkdirSync(dirname(values.state), { recursive: true });
let results = known();
for (let seed = Number(values.from); summaryOf(results).killed < wanted && Date.now() < until; ) {
  const isKnown = results.some((one) => one.seed === seed);
  const result = isKnown ? undefined : await run(seed);
  if (isKnown || result !== undefined) seed++;
  if (result === undefined) continue;
  appendFileSync(values.state, `${JSON.stringify(result)}\n`);
  results = [...results, result];
  const { killed, lost, doubled, neverRun, drift, unfinished } = summaryOf(results);
  console.error(
    `seed ${seed}: ${result.killed} killed; in all ${killed} of ${wanted}, ${lost} lost, ${doubled} doubled, ${neverRun} set aside unrun, ${drift} drifted, ${unfinished} unfinished`,
  );
}
const summary = summaryOf(results);
console.log(JSON.stringify(summary));
process.exitCode = summary.failed.length > 0 || summary.killed < wanted ? 1 : 0;
