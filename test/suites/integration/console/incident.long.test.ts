import { mkdir } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import {
  type LiveEvent,
  type LiveFeed,
  type RunningConsole,
  startConsole,
} from '../../../../lib/cli/console/server.ts';
import type { ClaimEvent } from '../../../../lib/pawl/index.ts';
import { operator } from '../../../../lib/pawl/operate/index.ts';
import { findings, reconcileStatements } from '../../../../lib/pawl/statements/index.ts';
import { sdk } from '../../../../lib/pawl/stores/dynamodb/index.ts';
import { violationsIn } from '../../../support/axe.ts';
import { findBrowser } from '../../../support/browser.ts';
import { collect } from '../../../support/collect.ts';
import { mailing, startIncident } from '../../../support/incident.ts';
import { record } from '../../../support/records.ts';

/*
 * An incident, settled in a real browser: 40 parked mails and 10 rejected orders. The tests follow on each other.
 *
 * `npm run docs -- pictures` writes the pictures of the guides.
 */

const found = await findBrowser();
const pictures = process.env['PAWL_SCREENSHOTS'];

const before: LiveEvent[] = [];
let tell = (event: LiveEvent): unknown => before.push(event);

/** What the consumers report, as the program behind a console may hand it on. */
function happened({ type, id = '' }: ClaimEvent): void {
  const counts = ({ completed: 'done', parked: 'parked' } as const)[type as string];
  const tone = type === 'completed' ? 'good' : type === 'granted' ? 'plain' : 'bad';
  tell({ at: Date.now(), tone, what: type, text: id, counts });
}

const feed: LiveFeed = (listener) => {
  for (const event of before) listener(event);
  tell = listener;
  return () => undefined;
};

let incident: Awaited<ReturnType<typeof startIncident>>;
let served: RunningConsole;
let browser: Browser;
let page: Page;
/** What the page has reported about itself: errors of its script, and of its content security policy. */
const complaints: string[] = [];

describe.skipIf('missing' in found)(`the console${'missing' in found ? `: ${found.missing}` : ''}`, () => {
  beforeAll(async () => {
    if ('missing' in found) return;
    [incident, browser] = await Promise.all([
      startIncident({ dynamoEndpoint: inject('dynamoEndpoint'), onEvent: happened }),
      found.launch(),
    ]);
    const queues = [incident.mails, incident.orders].map(({ queue, deadLetters }, index) => ({
      url: deadLetters.url,
      name: index === 0 ? 'mails-dlq' : 'orders-dlq',
      to: queue.url,
    }));
    const { store } = incident;
    const operate = operator({ store, aws: sdk({ sqs: incident.client }), onEvent: () => undefined });
    served = await startConsole({
      ...{
        desks: new Map([['Claims', { operate, findings: findings({ store }) }]]),
        title: 'Shop',
        write: true,
        user: 'maria',
        queues,
        feed,
      },
    });
    page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    // It ends a test that hangs. A machine with other work takes its time.
    page.setDefaultTimeout(120_000);
    page.on('pageerror', ({ message }) => complaints.push(message));
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    await page.goto(served.url);
    if (pictures !== undefined) await mkdir(pictures, { recursive: true });
  });
  afterAll(async () => {
    await browser?.close();
    await served?.stop();
    await incident?.stop();
  });

  /** Presses keys as a person does: the next one when the page shows what came of the last one. */
  const press = async (...keys: readonly string[]) => {
    for (const key of keys) {
      await page.keyboard.press(key);
      await page.evaluate(
        () => new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))),
      );
    }
  };
  const heading = (name: string) => page.getByRole('heading', { name, exact: true }).waitFor();
  const dialog = () => page.getByRole('dialog');

  it('shows what is open and what is dead, and no token in the address bar', async () => {
    await page.getByText('40 parked').waitFor();
    await page.getByText('about 40 messages').waitFor();
    await page.getByText('about 10 messages').waitFor();
    expect(page.url()).toBe(`http://127.0.0.1:${served.port}/`);
    await page.getByRole('heading', { name: 'Live' }).waitFor();
    await page.getByText('rejected').first().waitFor();
    await look(page, 'overview');
  });

  it('resolves one claim with the keyboard alone', async () => {
    await press('2');
    await heading('Open claims');
    await page.getByText('40 open claims').waitFor();
    await press('?');
    await dialog().getByText('select the row, or not').waitFor();
    await press('Escape');
    await dialog().waitFor({ state: 'detached' });
    await press('/');
    await page.keyboard.type('order-17');
    await page.getByText('1 of 40 open claims').waitFor();
    expect(page.url()).toContain('#/claims?q=order-17');
    await press('Escape', 'j', 'Enter');
    await heading(`${mailing}#order-17`);
    await page.getByText('Parked: it waits for an operator').waitFor();
    await look(page, 'claim');
    await press('a');
    await dialog().waitFor();
    await press('Tab', 'Space', 'Enter');
    await dialog().getByText('A written decision has no undo.').waitFor();
    await look(page, 'plan');
    // From the plan over its items and the name, which is there, to the note.
    await press('Tab', 'Tab', 'Tab');
    await page.keyboard.type('it is in the outbox of the mail service');
    await press('Tab', 'Enter');
    await dialog().getByText('1 resolved, 0 not').waitFor();
    await press('Escape');
    await page.getByText('Resolved as applied by maria').waitFor();
    const resolution = { verdict: 'applied', by: 'maria', note: 'it is in the outbox of the mail service' };
    expect(await incident.store.read(`${mailing}#order-17`)).toMatchObject({ status: 'completed', resolution });
  });

  it('groups what is open, and goes back to where it was', async () => {
    await page.goto(`http://127.0.0.1:${served.port}/#/claims?group=1`);
    await page.getByRole('heading', { name: 'By reason and error' }).waitFor();
    await look(page, 'claims');
    await page.getByRole('link', { name: `${mailing} · abandoned` }).click();
    await page.waitForURL(/reason=abandoned/);
    await page.getByRole('link', { name: 'Attempts' }).click();
    await page.waitForURL(/sort=attempts/);
    await page.reload();
    await page.getByText('39 open claims').waitFor();
    expect(await page.getByLabel('Reason').inputValue()).toBe('abandoned');
    await page.goBack();
    await page.waitForURL((url) => !url.href.includes('sort='));
  });

  it('resolves the others by a plan, with a result for each', async () => {
    await page.getByRole('button', { name: 'Resolve all 39 …' }).click();
    await dialog().getByText('It did not happen, and').click();
    await dialog().getByRole('button', { name: 'Show the plan' }).click();
    await dialog().getByText('39 will be resolved').waitFor();
    await dialog()
      .getByText(/^The youngest doubt is \d+ (s|min|h|d) old/)
      .waitFor();
    await dialog().getByLabel('Note').fill('the mail service has no such mail');
    await dialog().getByRole('button', { name: 'Resolve 39 claims as not-applied' }).click();
    await dialog().getByText('39 resolved, 0 not').waitFor();
    expect(await dialog().getByText(`${mailing}#order-`).count()).toBe(39);
    await dialog().getByRole('link', { name: 'dead letters' }).click();
    await heading('Dead letters');
  });

  it('shows dead letters with their claims, and a body only when it is asked for', async () => {
    await page.getByRole('button', { name: 'Look at the messages' }).click();
    await page.getByText('40 messages', { exact: true }).waitFor();
    expect(await page.content()).not.toContain('orderId');
    const row = page.getByRole('row').filter({ hasText: `${mailing}#order-17` });
    expect(await row.textContent()).toContain('completed');
    await row.getByRole('button', { name: 'Body' }).click();
    await page.getByText('{"orderId":"order-17"}').waitFor();
    await look(page, 'dead-letters');
  });

  it('redrives all of them by a plan, and every mail but the one that had been sent is sent once', async () => {
    await page.getByRole('button', { name: 'Redrive all 40 …' }).click();
    await dialog().getByText('39 will run').waitFor();
    await dialog().getByText('1 will be acknowledged').waitFor();
    await dialog().getByLabel('Note').fill('resolved');
    await dialog().getByRole('button', { name: 'Redrive 40 messages' }).click();
    await dialog().getByText('40 redriven, 0 not').waitFor();
    await look(page, 'redriven');
    await press('Escape');
    await page.getByText('0 messages', { exact: true }).waitFor();
    expect(await incident.sqs.depth('mails-dlq')).toMatchObject({ ready: 0 });
    await incident.deliverMails();
    expect(incident.sent.toSorted()).toEqual(incident.mailKeys.filter((key) => key !== 'order-17').toSorted());
  });

  it('opens dead letters on the queue that has some', async () => {
    await page.goto(`http://127.0.0.1:${served.port}/#/overview`);
    await page.getByRole('link', { name: 'Dead letters', exact: true }).click();
    await page
      .getByRole('navigation', { name: 'Queues' })
      .locator('[aria-current=page]', { hasText: 'orders-dlq' })
      .waitFor();
  });

  it('sends no rejected order', async () => {
    await page.getByRole('link', { name: 'orders-dlq' }).click();
    await page.getByRole('button', { name: 'Look at the messages' }).click();
    await page.getByText('10 messages', { exact: true }).waitFor();
    await page.getByLabel('Select this page').check();
    await page.getByRole('button', { name: 'Redrive selected …' }).click();
    await dialog().getByText('10 stay: rejected', { exact: true }).waitFor();
    await dialog().getByText('There is nothing to do.').waitFor();
    await press('Escape');
    await press('1');
    await page.getByText('No claim is open.').waitFor();
    await page.getByRole('img', { name: /^Done: 39 in/ }).waitFor();
    expect(await incident.sqs.depth('orders')).toMatchObject({ ready: 0 });
  });

  it('resolves the steps of a claim one by one, and nothing of a claim that was granted since it was shown', async () => {
    const id = 'pay#order-1';
    const checkpoints = JSON.stringify(
      ['charge', 'mail'].map((name) => ({ name, state: 'started', at: Date.now(), fence: 3 })),
    );
    const parked = record({ id, status: 'parked', fence: 3, open: '03', expiresAt: undefined, checkpoints });
    await incident.store.write({ next: parked, seen: undefined });
    await page.goto(`http://127.0.0.1:${served.port}/#/claim?id=${encodeURIComponent(id)}`);
    const open = () => page.getByRole('button', { name: 'Resolve …' }).click();
    const step = (name: string) => dialog().getByRole('group', { name });
    const confirm = () => dialog().getByRole('button', { name: 'Resolve 2 steps' }).click();
    await open();
    expect(await violationsIn(page)).toEqual([]);
    await step('charge').getByRole('combobox').selectOption('applied');
    await step('charge').getByRole('textbox').fill('ch_1');
    await dialog().getByLabel('Note').fill('the card was charged, the mail was not sent');
    await confirm();
    await dialog().getByText('charge: what it returned is not JSON.').waitFor();
    await step('charge').getByRole('textbox').fill('{"id":"ch_1"}');
    await confirm();
    await dialog().getByText('mail: choose what you know of it.').waitFor();
    await step('mail').getByRole('combobox').selectOption('not-applied');
    await dialog()
      .getByText(/^The youngest doubt is \d+ (s|min|h|d) old/)
      .waitFor();
    await confirm();
    await dialog().getByText('resolved', { exact: true }).waitFor();
    await press('Escape');
    await page.getByText('Resolved as by-step by maria').waitFor();
    const resolved = await incident.store.read(id);
    expect(resolved?.resolution).toMatchObject({ steps: { charge: 'applied', mail: 'not-applied' } });
    expect(resolved?.checkpoints).toContain('ch_1');

    // The page shows one doubt. Meanwhile a worker has the claim, and leaves another.
    const shown = { ...parked, id: 'pay#order-2', checkpoints: undefined };
    await incident.store.write({ next: shown, seen: undefined });
    await page.goto(`http://127.0.0.1:${served.port}/#/claim?id=${encodeURIComponent(shown.id)}`);
    await heading(shown.id);
    await open();
    await incident.store.write({ next: { ...shown, fence: 4, rev: 2 }, seen: shown });
    await dialog().getByText('It did not happen, and').click();
    await dialog().getByRole('button', { name: 'Show the plan' }).click();
    await dialog().getByText('1 stay: another-doubt').waitFor();
    await dialog().getByText('There is nothing to do.').waitFor();
    await press('Escape');
  });

  it('shows what a comparison with a statement has found, and accepts it with the keyboard alone', async () => {
    const at = Date.now() - 60_000;
    const statement = ['order-1', 'order-2', 'order-3'].map((key, index) => ({
      key,
      at: at + index,
      id: `txn_${key}`,
      facts: { amountCents: 1250 },
    }));
    await reconcileStatements({
      operation: 'refund',
      store: incident.store,
      from: at - 1000,
      settleMs: 0,
      statement: () => statement,
      onEvent: () => undefined,
    });
    await page.goto(`http://127.0.0.1:${served.port}/#/overview`);
    await heading('Overview');
    await press('5');
    await heading('Findings');
    await page.getByText('3 open findings').waitFor();
    await page.getByText('refund: 3 lines until').waitFor();
    await page.getByText('line txn_order-1, amountCents 1250').waitFor();
    await look(page, 'findings');
    await page.getByLabel('Kind').selectOption('missing-here');
    await page.waitForURL(/kind=missing-here/);
    await press('/', ...'order-2', 'Escape', 'j', 'x');
    await page.getByText('1 open finding, 1 selected').waitFor();
    await press('a');
    await dialog().getByText('Nothing is due.').waitFor();
    // No remedy was given to the console, so none is offered.
    expect(await dialog().getByRole('radio').count()).toBe(3);
    await press('Tab', 'Space', 'ArrowUp', 'Enter');
    await dialog().getByText('1 will be accepted').waitFor();
    await look(page, 'accept');
    await press('Tab', 'Tab', 'Tab');
    await page.keyboard.type('re_1, refunded');
    await press('Tab', 'Enter');
    await dialog().getByText('1 accepted, 0 not').waitFor();
    await press('Escape');
    await page.getByText('0 open findings').waitFor();
    await page.goto(`http://127.0.0.1:${served.port}/#/findings`);
    await page.getByText('2 open findings').waitFor();
    const left = await collect(findings({ store: incident.store }).list({ operation: 'refund' }));
    expect(left.map(({ claimId }) => claimId).toSorted()).toEqual(['refund#order-1', 'refund#order-3']);
  });

  it('fits on a phone', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    for (const view of ['overview', 'claims', 'locks', 'findings', 'dead-letters']) {
      await page.goto(`http://127.0.0.1:${served.port}/#/${view}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      expect(await page.evaluate(() => document.documentElement.scrollWidth), view).toBeLessThanOrEqual(390);
    }
    await page.getByRole('link', { name: 'orders-dlq' }).click();
    await page.getByText('10 messages', { exact: true }).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await look(page, 'phone');
  });

  it('has complained of nothing', () => {
    expect(complaints).toEqual([]);
  });
});

/** Holds a view to the rules of axe, light and dark, and takes its pictures where they are asked for. */
async function look(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    expect(await violationsIn(page), `${name}, ${colorScheme}`).toEqual([]);
    if (pictures !== undefined) await page.screenshot({ path: `${pictures}/${name}-${colorScheme}.png` });
  }
}
