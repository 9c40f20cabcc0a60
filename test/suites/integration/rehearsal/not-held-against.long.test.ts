import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { serveRehearsals } from '../../../../lib/rehearsal/command/console.ts';
import { createMachine } from '../../../../lib/rehearsal/engine/machine.ts';
import type { OwnFaults } from '../../../../lib/rehearsal/file/own-faults.ts';
import { exitCodeOf } from '../../../../lib/rehearsal/file/result.ts';
import type { Given } from '../../../../lib/rehearsal/index.ts';
import { openPage } from '../../../support/console-client.ts';
import { eventually } from '../../../support/eventually.ts';
import { fileFor, projectWith, rehearsed } from '../../../support/rehearsed.ts';

/** What the rehearsal or the machine did to a function is not held against the app. */

/** Kills the sandbox of each of the first requests to DynamoDB. */
function killsTheFirst(count: number): OwnFaults {
  let left = count;
  return { dynamodb: { onRequest: () => (left-- > 0 ? 'kill' : 'pass') } };
}

describe('a function is not broken', () => {
  test('if a rule of the caller has killed its first sandboxes', async () => {
    const result = await rehearsed({ code: 'once.ts' }, {}, { intents: 6, run: { faults: killsTheFirst(3) } });
    expect(result).toMatchObject({ good: true, effects: [{ doubled: [], lost: [], unfinished: [] }] });
    expect(result.sandboxes.killed).toBe(3);
  });

  test('if it ends itself in mid-work: what becomes of its messages says that', async () => {
    const project = projectWith(
      `export const handler = async () => { await fetch(process.env.MAILER_URL, { method: 'POST', body: '{}' }); process.exit(1); };`,
      fileFor('visibility: 1, maxReceiveCount: 1'),
    );
    const { code, error, out } = await project.run(['--seed', '1']);
    expect(error + out).not.toContain('ends before it has handled anything');
    expect(code).toBe(1);
  });

  test('but one that cannot be loaded is, whatever it printed or called before', async () => {
    const code = `console.log('loads'); await fetch(process.env.MAILER_URL, { method: 'POST', body: '{}' }).catch(() => {}); throw new Error('no config');`;
    const { code: exit, error } = await projectWith(code, fileFor()).run(['--seed', '1']);
    expect(error).toMatch(/Mails\/SendMail ends before it has handled anything\. It printed:[\s\S]*no config/);
    expect(exit).toBe(2);
  });
});

describe('a timeout that the rehearsal has shortened', () => {
  // It works for 3 s, and would in an account.
  const code = `import { setTimeout as sleep } from 'node:timers/promises';
    export const handler = async () => { console.log('renders'); await sleep(3000); await fetch(process.env.MAILER_URL, { method: 'POST', body: '{}' }); };`;

  test('makes no innocent app guilty: there is no verdict, and it is said what to set', async () => {
    const more = 'functionTimeoutSeconds: 1, settleSeconds: 8,';
    const project = projectWith(code, fileFor('timeout: 30, visibility: 180, batchSize: 1, maxReceiveCount: 2', more));
    const { code: exit, out } = await project.run(['--seed', '1']);
    expect(out).toMatch(
      /No verdict\. Mails\/SendMail did not respond before its timeout\. The rehearsal has shortened its timeout from 30 s to 1 s\. .* set functionTimeoutSeconds to 30/,
    );
    expect(exit).toBe(2);
  });
});

describe('a machine that takes the time of functions away', () => {
  const taking = (share: number) =>
    createMachine({ waitedMs: (pid) => (pid === undefined ? 0 : share * performance.now()) });

  test('makes no innocent app guilty: its functions have their time all the same', async () => {
    const context = { code: 'slow.mjs', timeout: 1, batchSize: 1, visibility: 6 };
    const result = await rehearsed(context, {}, { intents: 3, run: { machine: taking(0.85) } });
    expect(result).toMatchObject({ good: true, effects: [{ done: 3, doubled: [] }], sandboxes: { timedOut: 0 } });
  });

  test('makes no guilty app innocent', async () => {
    const given = { intents: 4, run: { machine: taking(0.3) } };
    const result = await rehearsed({ code: 'plain.mjs' }, { redeliver: 1 }, given);
    expect(result.effects[0]?.doubled).toHaveLength(4);
    expect(exitCodeOf(result)).toBe(1);
  });

  test('so much that a function has not had its time leaves no verdict, and says what to do', async () => {
    const context = { code: 'hangs.mjs', timeout: 1, batchSize: 1, visibility: 1, deadLetters: false };
    const given = { intents: 1, settleSeconds: 8, run: { machine: taking(1) } };
    const starved = await rehearsed(context, {}, given);
    expect(starved.effects).toMatchObject([{ unjudged: ['order-1'], unfinished: [] }]);
    expect(starved.noVerdict).toMatch(/too slow to judge 1 effect: .* End what else is running/);
    expect(exitCodeOf(starved)).toBe(2);
  });

  test('from the rehearsal itself ends it', async () => {
    const machine = createMachine({ aWhileMs: 500, waitedMs: () => performance.now() });
    const run = rehearsed({ code: 'slow.mjs' }, {}, { intents: 200, run: { machine } });
    await expect(run).rejects.toThrow(/This machine is too slow to judge an app: of the last/);
  });

  /** A machine that stops running the rehearsal when all is quiet, for ever. */
  const stoppingAtQuiet = () => {
    let since = Infinity;
    const machine = createMachine({
      aWhileMs: 500,
      waitedMs: (pid) => (pid === undefined ? Math.max(0, performance.now() - since) : 0),
    });
    const stop = () => {
      since = performance.now();
      return new Promise(() => undefined);
    };
    return { intents: 4, run: { machine }, afterwards: [stop] };
  };

  test('from the rehearsal itself does not hide what an app has doubled by then', async () => {
    const given: Given[] = [];
    const check = (_: unknown, one: Given) => {
      given.push(one);
      throw new Error('something is missing');
    };
    const result = await rehearsed({ code: 'plain.mjs' }, { redeliver: 1 }, { ...stoppingAtQuiet(), check });
    expect(given).toMatchObject([{ isCutOff: true }]);
    expect(result.effects).toMatchObject([{ doubled: { length: 4 }, lost: [], unfinished: [], unjudged: [] }]);
    expect(result).toMatchObject({
      findings: [],
      empty: [],
      untested: [expect.stringMatching(/^What had not happened by then\. This machine is too slow/)],
    });
    expect(exitCodeOf(result)).toBe(1);
  });

  test('from the rehearsal itself leaves no verdict on an app that has doubled nothing', async () => {
    const run = rehearsed({ code: 'plain.mjs' }, {}, stoppingAtQuiet());
    await expect(run).rejects.toThrow(/This machine is too slow to judge an app: of the last/);
  });
});

describe('a rehearsal that fails', () => {
  const FAILS = `RUN
export default rehearsal({
  context: { code: import.meta.dirname + '/consumer.mjs' },
  stubs: { SendMail: { handler: () => new Promise(() => setInterval(() => {}, 1000)) } },
  effects: { email: () => new Map() },
  faults: {},
  traffic: async ({ queue }) => {
    queue('Orders').send({}, { intent: 'a' });
    await new Promise((resolve) => setTimeout(resolve, 2000));
    setInterval(() => {}, 1000);
    console.error('FAILS ' + Date.now());
    throw new Error('no traffic');
  },
});`;
  const project = () => projectWith('export const handler = async () => {};', FAILS);

  test('ends within ten seconds, also if its traffic calls on and a stub never returns', async () => {
    const { code, error } = await project().run(['--seed', '1']);
    const ended = Date.now();
    expect(error).toContain('no traffic');
    expect(code).toBe(2);
    expect(ended - Number(/FAILS (\d+)/.exec(error)?.[1])).toBeLessThan(10_000);
  });

  test('ends within ten seconds while its page is open, and the page has said why', async () => {
    const { folder, temporary } = project();
    const main = fileURLToPath(new URL('../../../../bin/pawl.ts', import.meta.url));
    const child = spawn(process.execPath, [main, 'rehearse', join(folder, 'rehearsal.mjs'), '--console'], {
      env: { ...process.env, TMPDIR: temporary },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text));
    let ended: number | undefined;
    child.once('exit', () => {
      ended = Date.now();
    });
    const url = await eventually('it says its address', () => {
      const [found] = /http:\/\/127\.0\.0\.1:\d+\S*/.exec(said) ?? [];
      if (found === undefined) throw new Error(said);
      return found;
    });
    const page = await openPage({ url, port: Number(new URL(url).port) });
    const shown: unknown[] = [];
    while (ended === undefined) {
      // As the page does, which looks every second.
      const { text } = await page.get('/api/rehearsal').catch(() => ({ text: '{}' }));
      shown.push(JSON.parse(text).rehearsal);
      await sleep(500);
    }
    expect(shown).toContainEqual(expect.objectContaining({ state: 'failed', doing: 'no traffic' }));
    expect(child.exitCode).toBe(2);
    expect(ended - Number(/FAILS (\d+)/.exec(said)?.[1])).toBeLessThan(10_000);
  });

  test('is said on its page before that ends', async () => {
    const served = await serveRehearsals({ title: 'test' });
    served.begin({ title: 'app', seed: 1 });
    const page = await openPage({ url: served.url, port: Number(new URL(served.url).port) });
    const look = async () => JSON.parse((await page.get('/api/rehearsal')).text);
    expect(await look()).toMatchObject({ rehearsal: { state: 'starting' } });
    const ending = served.endWith('no Java');
    await sleep(50);
    expect(await look()).toMatchObject({ rehearsal: { state: 'failed', doing: 'no Java' } });
    await ending;
    await expect(look()).rejects.toThrow();
  });
});
