import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { estimatesOf } from '../../bench/cost/money/estimate.ts';
import { prices } from '../../bench/cost/money/prices.ts';
import { measuredIn } from '../../bench/cost/money/written.ts';
import { ordered } from '../../site/nav.ts';
import { addressOf } from '../../site/page.ts';
import { outFolder, root } from '../../site/paths.ts';
import { originOf, serveBuilt } from '../../site/serve.ts';
import { violationsIn } from '../support/axe.ts';
import { findBrowser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';

/*
 * The site of the documentation, built and clicked through in a real browser. `PAWL_SITE_SCREENSHOTS=folder` also takes its pictures.
 */

const pictures = process.env['PAWL_SITE_SCREENSHOTS'];
const found = await findBrowser();
const built = spawnSync(process.execPath, ['site/main.ts', 'build'], { cwd: root, encoding: 'utf8' });

describe('the site', () => {
  it('is built without a warning', () => {
    expect(built.status, built.stderr).toBe(0);
    expect(`${built.stdout}${built.stderr}`).not.toMatch(/warn|\(!\)/i);
    expect(built.stdout).toContain('npm run docs -- serve');
  });

  it('has every page as HTML and as Markdown, and llms.txt names each', () => {
    const list = readFileSync(join(outFolder, 'llms.txt'), 'utf8');
    for (const page of ordered.map(addressOf)) {
      expect(existsSync(join(outFolder, `${page}.html`)), page).toBe(true);
      expect(list).toContain(`(/${page}.md)`);
    }
    for (const [, path = ''] of list.matchAll(/\]\((\/[^)]+)\)/g))
      expect(existsSync(join(outFolder, path)), path).toBe(true);
  });

  it('keeps nothing in its Markdown that is for the checks', () => {
    for (const page of ordered.map(addressOf)) {
      expect(readFileSync(join(outFolder, `${page}.md`), 'utf8'), page).not.toContain('<!-- given');
    }
  });

  it('draws a time-line for each cell of the guarantee table, light and dark', () => {
    const page = readFileSync(join(outFolder, 'explanation/crash-points.html'), 'utf8');
    const drawn = new Set(Array.from(page.matchAll(/\/time-lines\/([a-z-]+)\.svg/g), ([, name]) => name));
    expect(drawn.size).toBe(28 * 2);
  });
});

let server: Server;
let origin: string;
let browser: Browser;
let page: Page;
/** What the pages have reported, and what they have asked other servers for. */
const complaints: string[] = [];

describe.skipIf('missing' in found)(`in a browser, the site${'missing' in found ? `: ${found.missing}` : ''}`, () => {
  beforeAll(async () => {
    if ('missing' in found) return;
    server = await serveBuilt();
    origin = originOf(server);
    browser = await found.launch();
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, colorScheme: 'light' });
    page = await context.newPage();
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => {
      if (!request.url().startsWith(origin) && !request.url().startsWith('data:')) complaints.push(request.url());
    });
    page.on('response', (response) => {
      if (response.status() >= 400) complaints.push(`${response.status()} ${response.url()}`);
    });
  });

  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  it('leads from its first page through the tutorial to a guide', async () => {
    await page.goto(origin);
    await page.getByRole('link', { name: 'Your first consumer, in ten minutes' }).click();
    await page.getByRole('heading', { level: 1, name: 'Your first once-only consumer' }).waitFor();
    await page.getByRole('link', { name: 'Choose a policy' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Choose a policy' }).waitFor();
  });

  it('finds an event by its name, without another server', async () => {
    await page.goto(`${origin}/guides/install.html`);
    await page.getByRole('button', { name: 'Search' }).first().click();
    await page.getByRole('searchbox').fill('event-stale-claim');
    await page.getByRole('option').first().click();
    await page.waitForURL(/reference\/events/);
    await page.getByRole('heading', { name: 'event-stale-claim' }).waitFor();
  });

  it.each([
    ['onAbandoned', 1, /guides\//],
    ['visibility timeout', 1, /guides\//],
    ['jmespath', 1, /guides\//],
    ['jmespath', 4, /guides\/powertools/],
    ['dead letter', 4, /guides\/recover/],
    ['eachMessage', 1, /functions\/eachMessage/],
  ])('finds for %s, among the first %d, what helps', async (words, most, expected) => {
    await page.goto(`${origin}/guides/install.html`);
    await page.getByRole('button', { name: 'Search' }).first().click();
    await page.getByRole('searchbox').fill(words);
    await eventually('it is among the first', async () => {
      const links = await page
        .getByRole('option')
        .locator('a')
        .evaluateAll((all) => all.map((one) => String(one.getAttribute('href'))));
      expect(links.slice(0, most)).toContainEqual(expect.stringMatching(expected));
    });
  });

  it('shows the time-line of the scheme that is chosen', async () => {
    await page.goto(`${origin}/explanation/crash-points.html`);
    const figure = page.locator('details').nth(13);
    await figure.locator('summary').click();
    const [light, dark] = [figure.locator('img.in-light'), figure.locator('img.in-dark')];
    expect([await light.isVisible(), await dark.isVisible()]).toEqual([true, false]);
    expect(await light.evaluate((image) => Number('naturalWidth' in image && image.naturalWidth))).toBeGreaterThan(0);
    await page.getByRole('switch').first().click();
    await eventually('the dark one is shown', async () =>
      expect([await light.isVisible(), await dark.isVisible()]).toEqual([false, true]),
    );
    await page.getByRole('switch').first().click();
  });

  it('calculates costs with the function that makes the table of the benchmark', async () => {
    await page.goto(`${origin}/reference/calculator.html`);
    await page.getByLabel('Messages a month').fill('5000000');
    await page.getByLabel('Messages in a batch').fill('25');
    const measured = measuredIn(readFileSync(join(root, 'docs/evidence/cost.md'), 'utf8'));
    const plan = { messages: 5_000_000, size: 25, handlerMs: 20, memoryMb: 512 };
    for (const { title, cost } of estimatesOf(plan, measured, prices)) {
      const row = page.getByRole('row', { name: title });
      await row.getByRole('cell', { name: `$${cost.total.toFixed(2)}`, exact: true }).waitFor();
    }
  });

  it('leads from an entry to the page of each name', async () => {
    await page.goto(`${origin}/reference/api/pawl/sqs/`);
    await page.locator('.vp-doc').getByRole('link', { name: 'eachMessage' }).first().click();
    await page.getByRole('heading', { level: 1, name: /eachMessage/ }).waitFor();
  });

  it('says its version, and leads to what changed', async () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    await page.getByRole('button', { name: `Version ${version}` }).hover();
    await page.getByRole('link', { name: 'What changed' }).click();
    await page.waitForURL(/changelog/);
  });

  it.each([
    ['home', '/index.html'],
    ['tutorial', '/tutorial/first-consumer.html'],
    ['guide', '/guides/recover.html'],
    ['crash-points', '/explanation/crash-points.html'],
    ['promise', '/explanation/promise.html'],
    ['calculator', '/reference/calculator.html'],
    ['errors', '/errors.html'],
    ['name', '/reference/api/pawl/sqs/functions/eachMessage.html'],
  ])('has no serious finding of axe on %s, light and dark', async (name, path) => {
    for (const scheme of ['light', 'dark'] as const) {
      await page.addInitScript(`localStorage.setItem('vitepress-theme-appearance', '${scheme}')`);
      await page.goto(origin + path);
      await page.locator('.VPNav').waitFor();
      if (name === 'crash-points') await page.locator('details').nth(13).locator('summary').click();
      expect(await violationsIn(page), `${name}, ${scheme}`).toEqual([]);
      if (pictures === undefined) continue;
      mkdirSync(pictures, { recursive: true });
      if (name === 'crash-points') await page.locator('details').nth(13).scrollIntoViewIfNeeded();
      await page.screenshot({ path: `${pictures}/${name}-${scheme}.png` });
    }
  });

  it('has complained of nothing, and asked no other server', () => {
    expect(complaints).toEqual([]);
  });
});
