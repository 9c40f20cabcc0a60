import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest';
import { commands } from '../../../../lib/cli/commands.ts';
import { nodeHost } from '../../../../lib/pawl/host.ts';
import { nothingObserved, observedToken } from '../../../../lib/pawl/rules/observed.ts';
import { findingOf, storeFinding } from '../../../../lib/pawl/statements/finding.ts';
import { withListing } from '../../../../lib/pawl/stores/listing.ts';
import { type SqsLocal, startSqsLocal } from '../../../../lib/rehearsal/engine/servers/sqs-local.ts';
import { rows } from '../../../support/ended/rows.ts';
import { makeWorld, type World } from '../../../support/ended/world.ts';
import { ioOf, runCommand } from '../../../support/in-process.ts';
import { envOf, runPawl } from '../../../support/pawl-command.ts';

/* What others wrote, such as a key, an error or a note, in everything that a command says: on both streams, for people and as JSON. */

/** Clears a screen, turns what follows around, adds a line, and hides. */
const nasty = 'k\u009b2J\u202e\u200b\u00ad1';
const obeyed = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2028\u2029]/u;

let sqs: SqsLocal;
let world: World;
let env: Readonly<Record<string, string>>;
beforeAll(async () => {
  sqs = await startSqsLocal();
  world = await makeWorld(inject('dynamoEndpoint'), sqs);
  env = envOf({ sqs }, inject('dynamoEndpoint'));
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  const error = { name: nasty, message: `${nasty}\u001b[2J\nNothing is open.` };
  const checkpoints = JSON.stringify([{ name: nasty, state: 'done', at: 1, fence: 1, result: JSON.stringify(nasty) }]);
  const attributes = { [nasty]: nasty };
  const resolution = { verdict: 'retry', by: nasty, note: `${nasty}\u001b]0;x\u0007`, at: nasty } as const;
  await world.letter(nasty, { status: 'parked', open: '00', error, checkpoints, attributes, resolution });
  const seen = { deliveries: 3, done: 2, other: 1, differing: [nasty] };
  const observed = JSON.stringify({ ...nothingObserved, ...seen, again: { 'sent-twice': 2 } });
  await world.claim(`${nasty}2`, { status: 'completed', claimId: observedToken, observed });
  const finding = { kind: 'unreadable', operation: 'send-email', foundAt: 1, why: `${nasty}\n${nasty}` } as const;
  const claimId = world.id(nasty);
  await storeFinding(withListing(world.store), findingOf({ ...finding, claimId, attributes }, [nasty], nodeHost));
});
afterAll(async () => {
  vi.unstubAllEnvs();
  world.stop();
  await sqs.stop();
});

/** What `pawl` reports of a command that could not run. */
function reported(error: unknown) {
  const { io, out, error: written } = ioOf();
  io.error.lines(String(error));
  return { out: out(), error: written() };
}

it('reaches no terminal from the process itself: what could not run, and what was typed', async () => {
  for (const args of [['claim', nasty, '--table', world.tableName], [nasty], ['claims', `--${nasty}`]]) {
    const { error } = await runPawl(args, env);
    expect(error).toContain(String.raw`k\u009b2J\u202e`);
    expect(error.split('\n').filter((line) => obeyed.test(line))).toEqual([]);
  }
});

it.each(commands.map(({ name, options }) => [name, options] as const))(
  'reaches no terminal as it is: pawl %s',
  async (name, options) => {
    const own = Object.entries(rows).filter(([row]) => row.split(' ')[0] === name);
    const commands = own.flatMap(([, { showing }]) => showing?.(world, nasty) ?? []);
    expect(commands).not.toEqual([]);
    for (const args of commands.flatMap((one) => ('json' in options ? [one, [...one, '--json']] : [one]))) {
      const all = [...args, ...('table' in options ? ['--table', world.tableName] : [])];
      const ran = await runCommand(all).catch(reported);
      const text = `${ran.out}\n${ran.error}`;
      expect(
        text.split('\n').filter((line) => obeyed.test(line)),
        all.join(' '),
      ).toEqual([]);
      // It is there, written out: nothing was left out instead.
      if (!text.includes('rehearsal')) expect(text.length, all.join(' ')).toBeGreaterThan(1);
    }
  },
);
