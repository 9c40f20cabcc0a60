import { readFileSync } from 'node:fs';
import { afterEach, expect, test, vi } from 'vitest';
import { runPawlHere } from '../../../support/in-process.ts';
import { startRun } from '../../../support/incident-run.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

const table = ['--table', 'claims'];

/** What a reader types, in the order of the page. */
function commandsOfPage(): readonly string[] {
  const page = readFileSync('docs/guides/incident.md', 'utf8');
  const blocks = [...page.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block = '']) => block.trimEnd());
  return blocks.flatMap((block) => block.split('\n')).filter((line) => /pawl|refund-by-hand/.test(line));
}

/** The words of a line, as a shell has them. */
function wordsOf(line: string): readonly string[] {
  return [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, one, two, three]) => one ?? two ?? three ?? '');
}

async function listed(...args: readonly string[]): Promise<readonly string[]> {
  const { out } = await runPawlHere(...args, ...table, '--json');
  const lines: readonly Record<string, unknown>[] = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  return lines.flatMap(({ id }) => (id === undefined ? [] : [String(id)]));
}

/** A word of the page as this run has it: the ids of locks and of lines are of each run. */
async function wordsHere(words: readonly string[], findings: readonly string[]): Promise<readonly string[]> {
  const isLock = (word: string) => /^[\da-f]{8}-[\da-f-]{27}$/.test(word);
  const locks = words.some(isLock) ? (await listed('locks')).map((id) => id.replace('#lock#', '')) : [];
  const ofFinding = (word: string) => word.replace(/#id#txn_\d+$/, '');
  const here = words.map((word) => findings.find((id) => ofFinding(id) === ofFinding(word)) ?? word);
  const without = here.filter((word) => !isLock(word));
  const at = here.findIndex(isLock);
  // The page names some of them.
  return at === -1
    ? here
    : [...without.slice(0, at), ...(words[2] === 'unlock' ? locks : locks.slice(0, 1)), ...without.slice(at)];
}

/** The commands that show a plan. */
const plans = /^npx pawl (resolve|redrive|unlock|discard|findings (settle|approve|accept)) /;

test('npm start -- --incident: a reader of the page settles all fifty with its commands alone, and the bank and the ledger agree', {
  timeout: 600_000,
}, async () => {
  const run = await startRun();
  const findings = await listed('findings');
  expect(findings).toHaveLength(12);
  const said: string[] = [];
  for (const line of commandsOfPage()) {
    const typed = line.replace(/^AWS_ACCESS_KEY_ID=tom /, '');
    vi.stubEnv('AWS_ACCESS_KEY_ID', typed === line ? 'maria' : 'tom');
    if (line.startsWith('curl')) {
      const [large = ''] = await listed('findings', '--kind', 'twice');
      await run.bank(`/refund-by-hand?line=${large.split('#').at(-1)}`, 'POST');
      continue;
    }
    // The consumers need a moment for what was sent back.
    if (typed.includes('pawl unlock')) await run.said(/locks 12 of 20, works 3,/);
    const [, , ...words] = await wordsHere(wordsOf(typed), findings);
    const asks = plans.test(typed) && !words.includes('--dry-run');
    const ran = await runPawlHere(...words, ...(asks ? ['--yes'] : []));
    expect(ran.code, `${line}: ${ran.error}`).not.toBe(2);
    if (asks) said.push(ran.out.trimEnd().split('\n').at(-1) ?? '');
  }
  expect(said).toEqual([
    '8 claims resolved as applied, 0 not.',
    '7 claims resolved as not-applied, 0 not.',
    '15 messages redriven, 0 not.',
    '15 messages redriven, 8 not.',
    '8 locks released, 0 not.',
    '8 messages discarded, 0 not.',
    '6 findings settled, 4 not.',
    '3 findings approved, 0 not.',
    '3 findings settled, 1 not.',
    '1 finding settled, 0 not.',
    '2 findings accepted, 0 not.',
  ]);
  await run.said(/All is settled/);
  for (const list of ['claims', 'locks', 'findings'])
    expect(await runPawlHere(list, ...table)).toMatchObject({ code: 0 });
  expect(await run.end()).toEqual({
    code: 0,
    last: 'settled: locks 20, works 3, claims 15, findings 12; provider and ledger agree',
  });
});

test('npm start -- --incident: what is left, and what does not agree, is said at Ctrl-C', {
  timeout: 600_000,
}, async () => {
  const run = await startRun();
  expect(await run.end()).toEqual({
    code: 1,
    last: 'settled: locks 0 of 20, works 0 of 3, claims 0 of 15, findings 0 of 12; provider and ledger do not agree',
  });
});
