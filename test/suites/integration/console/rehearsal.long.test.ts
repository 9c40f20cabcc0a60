import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { RehearsalView, ReportView } from '../../../../lib/cli/console/api.ts';
import type { RehearsalResult } from '../../../../lib/rehearsal/file/result.ts';
import { violationsIn } from '../../../support/axe.ts';
import { findBrowser } from '../../../support/browser.ts';
import { openPage } from '../../../support/console-client.ts';
import { eventually } from '../../../support/eventually.ts';
import { fileFor, projectWith, type RehearsedProject } from '../../../support/rehearsed.ts';

/*
 * `pawl rehearse --console` as an operator's shell runs it, with its page in a real browser.
 *
 * `npm run docs -- pictures` writes the pictures of the guides.
 */

const found = await findBrowser();
const pictures = process.env['PAWL_SCREENSHOTS'];
const fixtures = fileURLToPath(new URL('../../../fixtures/rehearsed/', import.meta.url));

/** What no page may show: it is in every message, every record and every response. */
const payload = 'card-4929';

/** Sends an email for each message, and remembers nothing. */
const forgetful = `
export const handler = async ({ Records }) => {
  for (const { body } of Records) await fetch(process.env.MAILER_URL, { method: 'POST', body });
};`;

const consumer = "join(import.meta.dirname, 'consumer.mjs')";

/** @param code what names the file of the consumer */
function fileOf({ code = consumer, orders = 40 } = {}): string {
  return fileFor()
    .replace('faults: {}', 'faults: { kill: 0.3, duplicate: 0.2, provider: 0.2, loseAnswer: 0.2 }')
    .replace(consumer, code)
    .replace('times(12,', `times(${orders},`)
    .replace("{ orderId: 'order-' + n }", `{ card: '${payload}', orderId: 'order-' + n }`);
}

/** `pawl rehearse --console` in a process of its own. It is ended with the test. */
async function served(project: RehearsedProject, args: readonly string[] = []) {
  const main = fileURLToPath(new URL('../../../../bin/pawl.ts', import.meta.url));
  const child = spawn(
    process.execPath,
    [main, 'rehearse', join(project.folder, 'rehearsal.mjs'), '--console', ...args],
    {
      env: { ...process.env, TMPDIR: project.temporary },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const ended = once(child, 'exit');
  // Not SIGKILL: it would leave DynamoDB Local behind.
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  const said = { out: '', error: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said.error += text;
  });
  const says = (pattern: RegExp): Promise<string> =>
    eventually(`it says ${pattern}`, () => {
      const [match] = pattern.exec(said.out + said.error) ?? [];
      if (match === undefined) throw new Error(`It has not said ${pattern}: ${said.out}${said.error}`);
      return match;
    });
  const url = await says(/http:\/\/127\.0\.0\.1:\d+\/\?token=\S+/);
  return { child, ended, said, says, url, port: Number(new URL(url).port) };
}

const up = /The app and its console are still up/;

describe.skipIf('missing' in found)(`the page of a rehearsal${'missing' in found ? `: ${found.missing}` : ''}`, () => {
  test('shows deliveries against effects and each fault on a time line, and in the end the story of each doubled effect', async () => {
    const project = projectWith(forgetful, fileOf());
    const junit = join(project.folder, 'junit.xml');
    const { url, says, said, child, ended, port } = await served(project, ['--seed', '3', '--json', '--junit', junit]);
    const page = await newPage();
    await page.goto(url);
    await page.getByRole('heading', { name: 'Rehearsal', exact: true }).waitFor();
    await page.getByRole('status').getByText('running').waitFor();
    await page.getByRole('img', { name: /^MAILER_URL over time: [\d,]+ deliveries/ }).waitFor();
    await page.getByRole('img', { name: /^killed: \d+, over time/ }).waitFor();
    await says(up);
    // It was written before the page stays.
    expect(JSON.parse(said.out)).toMatchObject({ seed: 3, good: false });
    expect(readFileSync(junit, 'utf8')).toContain('<testsuite name="MAILER_URL"');
    const { effects }: RehearsalResult = JSON.parse(said.out);
    const [{ doubled, lost } = { doubled: [], lost: [] }] = effects;
    expect(doubled.length).toBeGreaterThan(0);
    await page.getByRole('heading', { name: 'Report' }).waitFor();
    await page.getByText(`${doubled.length} doubled, ${lost.length} lost.`, { exact: true }).waitFor();
    const story = page
      .locator('details')
      .filter({ hasText: `${doubled[0]}:` })
      .first();
    await story.locator('summary').click();
    await story.getByText(/SendMail receives message/).waitFor();
    await story
      .getByText(/doubled$/)
      .last()
      .waitFor();
    await page.getByRole('combobox').selectOption('kill');
    const kill = page
      .getByRole('row')
      .filter({ hasText: /SANDBOX\d/ })
      .first();
    expect(await kill.textContent()).toMatch(/killed.*order-\d+.*SANDBOX\d+/);
    // No table of claims: there is nothing else to see.
    expect(await page.getByRole('navigation', { name: 'Views' }).getByRole('link').allTextContents()).toEqual([
      'Rehearsal',
    ]);
    await page.evaluate('scrollTo(0, 0)');
    await look(page, 'rehearsal');
    expect(await page.content()).not.toContain(payload);
    // It asks again and again, and would complain of a server that ends in the middle of a response.
    await page.close();
    child.kill('SIGINT');
    expect((await ended)[0]).toBe(130);
    await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow('fetch failed');
    expect(project.left()).toEqual([]);
  });

  test('says why a run is not good in which nothing went wrong: it shows nothing', async () => {
    const { url, says } = await served(projectWith(forgetful, fileOf({ orders: 0 })), ['--seed', '3']);
    const page = await newPage();
    await page.goto(url);
    await says(up);
    await page.getByText('0 doubled, 0 lost, but it shows nothing.', { exact: true }).waitFor();
    await page.getByRole('listitem').getByText('The traffic has sent nothing.').waitFor();
    expect(await violationsIn(page)).toEqual([]);
  });

  test('shows the claims of an app with pawl beside it', async () => {
    const project = projectWith(
      forgetful,
      fileOf({ code: JSON.stringify(`${fixtures}once.ts`) }).replace('context: {', 'context: { claims: true,'),
    );
    const { url, says } = await served(project, ['--seed', '3']);
    const page = await newPage();
    await page.goto(url);
    await says(up);
    await page.getByText(/^0 doubled, 0 lost\./).waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('img', { name: /^Done: \d+ in/ }).waitFor();
    await page.keyboard.press('3');
    await page.getByRole('heading', { name: 'Open claims', exact: true }).waitFor();
    expect(await violationsIn(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.getByRole('navigation', { name: 'Views' }).getByRole('link').count()).toBe(6);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  });
});

test('with --watch, the page follows the newest run', async () => {
  const project = projectWith(forgetful, fileOf({ orders: 3 }));
  const { url, port, says } = await served(project, ['--seed', '3', '--watch']);
  const { get } = await openPage({ url, port });
  const view = async (): Promise<RehearsalView> => JSON.parse((await get('/api/rehearsal')).text).rehearsal;
  await says(/until something changes in/);
  expect(await view()).toMatchObject({ run: 1, state: 'ended' });
  writeFileSync(join(project.folder, 'consumer.mjs'), 'export const handler = async (event => {');
  await says(/ends before it has handled anything/);
  expect(await view()).toMatchObject({ run: 2, state: 'failed', doing: expect.stringContaining('SyntaxError') });
  expect(JSON.parse((await get('/api/rehearsal/report')).text)).toEqual({});
  writeFileSync(join(project.folder, 'consumer.mjs'), forgetful);
  await says(/until something changes in[\s\S]*until something changes in/);
  expect(await view()).toMatchObject({ run: 3, state: 'ended' });
  const text = (await get('/api/rehearsal/report')).text;
  const { report }: { report: ReportView } = JSON.parse(text);
  for (const shown of [text, (await get('/api/rehearsal')).text]) expect(shown).not.toContain(payload);
  expect(report).toMatchObject({ run: 3, effects: [{ effect: 'MAILER_URL', intents: 3 }] });
});

/** Made after the server of its test: what is made last ends first, and what a page says of a server that has ended is no complaint. */
async function newPage(): Promise<Page> {
  if ('missing' in found) throw new Error(found.missing);
  const browser = await found.launch();
  onTestFinished(() => browser.close());
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  page.setDefaultTimeout(40_000);
  const complaints: string[] = [];
  page.on('pageerror', ({ message }) => complaints.push(message));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  onTestFinished(() => expect(complaints).toEqual([]));
  return page;
}

async function look(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    expect(await violationsIn(page), `${name}, ${colorScheme}`).toEqual([]);
    if (pictures === undefined) continue;
    await mkdir(pictures, { recursive: true });
    await page.screenshot({ path: `${pictures}/${name}-${colorScheme}.png` });
  }
}
