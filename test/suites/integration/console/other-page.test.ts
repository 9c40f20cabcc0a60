import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningConsole, startConsole } from '../../../../lib/cli/console/server.ts';
import { memoryStore } from '../../../../lib/pawl/index.ts';
import { operator } from '../../../../lib/pawl/operate/index.ts';
import { findBrowser } from '../../../support/browser.ts';
import { record } from '../../../support/records.ts';

/** What only a browser can show: other pages that are open beside the console, script in a text, and a list that is longer than a page may hold. */

const found = await findBrowser();
const store = memoryStore();
let served: RunningConsole;
let browser: Browser;

const script = '<script>hacked = 1</script><img src=x onerror="hacked = 1">';

describe.skipIf('missing' in found)(
  `a browser with the console${'missing' in found ? `: ${found.missing}` : ''}`,
  () => {
    beforeAll(async () => {
      if ('missing' in found) return;
      const parked = { status: 'parked', open: '03', expiresAt: undefined } as const;
      const texts = {
        id: `a-${script}#${script}\u202eevil`,
        error: { name: script, message: script },
        attributes: { [script]: script },
        checkpoints: JSON.stringify([{ name: script, state: 'done', at: 1, fence: 1, result: JSON.stringify(script) }]),
        resolution: { verdict: 'retry', by: script, note: script, at: '2026-11-11T03:00:00.000Z' },
      } as const;
      await store.write({ next: record({ ...parked, ...texts }), seen: undefined });
      for (let n = 0; n < 10_000; n++)
        await store.write({ next: record({ ...parked, id: `mail#${n}` }), seen: undefined });
      const operate = operator({ store, onEvent: () => undefined });
      served = await startConsole({
        desks: new Map([['claims', { operate }]]),
        title: script,
        write: true,
        user: script,
        queues: [],
      });
      browser = await found.launch();
    });
    afterAll(async () => {
      await browser?.close();
      await served?.stop();
    });

    it('shows ten thousand claims in pages, and script in a text as that text', async () => {
      const page = await (await browser.newContext()).newPage();
      const complaints: string[] = [];
      page.on('console', (message) => complaints.push(message.text()));
      await page.goto(served.url);
      await page.getByText('10,000 parked').waitFor();
      await page.keyboard.press('2');
      await page.getByText('10,001 open claims').waitFor();
      expect(await page.locator('[data-row]').count()).toBe(50);
      expect(await page.locator('*').count()).toBeLessThan(2000);
      await page.getByRole('link', { name: 'Next' }).click();
      await page.getByText('Page 2 of 201').waitFor();

      await page.keyboard.press('/');
      await page.keyboard.type('hacked');
      await page.getByText('1 of 10,001 open claims').waitFor();
      const texts = await page.locator('[data-row]').textContent();
      expect(texts).toContain(String.raw`${script}\u202eevil`);
      await page.locator('[data-open]').click();
      await page.getByRole('heading', { name: 'Its story' }).waitFor();
      await page.getByRole('button', { name: 'Show results' }).click();
      await page.locator('pre').waitFor();
      const all = (await page.locator('main').textContent()) ?? '';
      // Nor in the query for CloudWatch, which it would show backwards.
      expect(all).toContain('Logs Insights');
      expect(all).not.toContain('\u202e');
      expect(all.split(script).length).toBeGreaterThan(8);
      await page.keyboard.press('a');
      await page.getByRole('dialog').waitFor();
      expect(await page.evaluate('typeof hacked')).toBe('undefined');
      expect(await page.locator('main img, main script, dialog img, dialog script').count()).toBe(0);
      expect(complaints).toEqual([]);
    });

    it('gives no other page, on this machine or elsewhere, anything to read or to do', async () => {
      const own = await startConsole({
        desks: new Map([['claims', { operate: operator({ store, onEvent: () => undefined }) }]]),
        title: 'claims',
        write: true,
        user: 'maria',
        queues: [],
      });
      const target = `http://127.0.0.1:${own.port}`;
      // Another port of the same host is the same site: the browser sends the cookie along, whatever its SameSite says.
      const other = createServer((_, response) => {
        response.setHeader('content-type', 'text/html');
        response.end(`<iframe src="${target}/"></iframe>
        <form method="post" enctype="text/plain" action="${target}/api/plan"><input name='{"kind":"resolve","verdict":"applied","claims":[{"id":"mail#1","fence":1}],"x":"' value='"}'></form>`);
      }).listen(0, '127.0.0.1');
      try {
        await new Promise((resolve) => other.once('listening', resolve));
        const context = await browser.newContext();
        const operators = await context.newPage();
        await operators.goto(own.url);
        await operators.getByText('10,000 parked').waitFor();
        const statuses: number[] = [];
        context.on('response', (response) => {
          if (response.url().startsWith(target)) statuses.push(response.status());
        });

        const evil = await context.newPage();
        await evil.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`);
        const asked = await evil.evaluate(async (to) => {
          const said: string[] = [];
          const calls: RequestInit[] = [
            { credentials: 'include' },
            { credentials: 'include', mode: 'no-cors' },
            {
              credentials: 'include',
              mode: 'no-cors',
              method: 'POST',
              body: '{"kind":"resolve","verdict":"applied","claims":[{"id":"mail#1","fence":1}]}',
            },
            { credentials: 'include', method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' },
          ];
          for (const init of calls) {
            try {
              said.push(await (await fetch(`${to}/api/claims`, init)).text());
            } catch {
              said.push('');
            }
          }
          return said;
        }, target);
        expect(asked).toEqual(['', '', '', '']);
        const frame = evil.frames().find((one) => one !== evil.mainFrame());
        expect(await frame?.locator('h1').count()).toBe(0);
        await evil.evaluate(() => document.querySelector('form')?.submit());
        await evil.waitForURL(`${target}/api/plan`);
        expect(await evil.textContent('body')).toBe('Only the page of the console may ask.');
        // A link of that page opens the console's page at most, and no data.
        await evil.goto(`${target}/api/claims`);
        expect(await evil.textContent('body')).toContain('open in another browser');

        const stranger = await (await browser.newContext()).newPage();
        await stranger.goto(own.url);
        expect(await stranger.textContent('body')).toContain('was used already');
        expect(statuses.filter((status) => status === 200)).toHaveLength(1);
        expect(store.records().filter(({ status }) => status === 'parked')).toHaveLength(10_001);
      } finally {
        other.close();
        other.closeAllConnections();
        await own.stop();
      }
    });
  },
);
