import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { violationsIn } from '../../../support/axe.ts';
import { findBrowser } from '../../../support/browser.ts';
import { startRun } from '../../../support/incident-run.ts';
import { type Keyboard, keyboardOf } from '../../../support/keyboard.ts';

/*
 * The incident of fifty, settled in a real browser with the keyboard alone, as docs/guides/incident.md says it: two people with a console each, and the page of
 * the bank. No event of a mouse is sent, and each element that is reached by Tab shows its focus.
 */

const found = await findBrowser();
let browser: Browser;

describe.skipIf('missing' in found)(
  `the incident in a browser${'missing' in found ? `: ${found.missing}` : ''}`,
  () => {
    beforeAll(async () => {
      if (!('missing' in found)) browser = await found.launch();
    });
    afterEach(() => {
      vi.unstubAllEnvs();
    });
    afterAll(() => browser?.close());

    test('two people settle all fifty by keyboard alone, and the bank and the ledger agree', {
      timeout: 600_000,
    }, async () => {
      const run = await startRun();
      const open = async (url: string) => keyboardOf(await (await browser.newContext()).newPage(), url);
      const maria = await open(await run.consoleOf('maria'));
      const tom = await open(await run.consoleOf('tom'));
      const bank = await open(process.env['BANK_URL'] ?? '');

      await maria.press('2');
      await maria.sees('Open claims');
      await maria.press('/');
      await maria.type('night-');
      await maria.press('Escape');
      await maria.sees(/^15 of \d+ open claims$/);
      // What the bank has, it has done.
      const list = (await bank.page.locator('tbody').textContent()) ?? '';
      await maria.selectRows((text) => list.includes(`charge#${/night-\d+/.exec(text)?.[0]}`));
      await maria.sees(/^15 of \d+ open claims, 8 selected$/);
      await maria.press('a');
      await maria.choose('applied');
      await maria.confirm('the bank has it', '8 resolved, 0 not');
      await maria.sees(/^7 of \d+ open claims$/);
      await maria.press('X', 'a');
      await maria.choose('not-applied');
      await maria.confirm('the bank does not have it', '7 resolved, 0 not');

      await maria.press('4');
      await maria.look('charges-dlq', '15 messages');
      await maria.press('X', 'a');
      await maria.sees(/^8 will be acknowledged/);
      await maria.sees(/^7 will run/);
      await maria.confirm('resolved', '15 redriven, 0 not');

      await maria.press('3');
      await maria.sees('23 locks');
      expect(await violationsIn(maria.page)).toEqual([]);
      await maria.press('j', 'Enter');
      await maria.sees('What you can do');
      await maria.sees(/^repay: [24] of 6 done$/);
      await maria.sees(/The next attempt has the resources at once, and does what is left: [24] of 6/);
      expect(await violationsIn(maria.page)).toEqual([]);
      await fitsOnAPhone(maria);

      // They go on: all but those that the bank refuses for good.
      await maria.press('4');
      // SQS has moved these messages itself: their consumer says which claims they are of.
      const finder = { operation: 'repay-debts', key: 'body:requestId' };
      await maria.look('repayments-dlq', '23 messages', finder);
      expect(await maria.page.getByText('not known').count()).toBe(0);
      await maria.press('X', 'a');
      await maria.sees(/^15 will run/);
      await maria.sees('8 stay: rejected');
      await maria.confirm('the bank is well again', '15 redriven, 8 not');
      await run.said(/locks 12 of 20, works 3,/);

      await maria.press('3');
      await maria.tabTo('Refresh');
      await maria.press('Enter');
      await maria.sees('8 locks');
      expect(await maria.page.getByText('claim rejected').count()).toBe(8);
      await maria.press('X', 'a');
      await maria.sees('8 will be released: the resources are free for every holder');
      expect(await violationsIn(maria.page)).toEqual([]);
      await maria.confirm('the accounts are closed', '8 released, 0 not');
      await maria.sees('0 locks');
      await maria.press('4');
      await maria.look('repayments-dlq', '8 messages');
      await maria.press('X');
      await maria.tabTo('Discard selected …');
      await maria.press('Enter');
      await maria.sees(/^8 will be deleted for good/);
      await maria.confirm('the accounts are closed', '8 discarded, 0 not');

      await maria.press('5');
      await maria.sees('12 open findings');
      await maria.press('X', 'a');
      await maria.choose('Run its remedy');
      await maria.sees(/^6 will be settled by a remedy/);
      await maria.sees('3 will be asked for: a second person approves the remedy');
      await maria.sees('1 stay: amount-per-run');
      await maria.sees('7,500 in all, in the smallest unit of the currency.');
      expect(await violationsIn(maria.page)).toEqual([]);
      await maria.confirm('the evening', '6 settled, 6 not');
      await maria.sees('6 open findings');
      await fitsOnAPhone(maria);

      // Whoever asked does not approve: the identity counts, and not the name that is typed.
      await approve(maria, '0 approved, 3 not');
      await approve(tom, '3 approved, 0 not');
      await maria.press('1', '5');
      await maria.sees('6 open findings');
      await maria.press('X', 'a');
      await maria.choose('Run its remedy');
      await maria.sees(/^3 will be settled by a remedy/);
      await maria.confirm('the evening', '3 settled, 3 not');
      await maria.sees('3 open findings');

      // The one over the limit is refunded at the bank, by hand.
      await maria.selectRows((text) => text.includes('amountCents 90000'));
      await maria.sees('3 open findings, 1 selected');
      const line = /line (txn_\d+), amountCents 90000/.exec(await maria.text())?.[1];
      await bank.tabTo(`Refund ${line}`);
      await bank.page.keyboard.press('Enter');
      await bank.sees(/refunded by/);
      await maria.press('a');
      await maria.choose('It was settled by hand');
      await maria.confirm('refunded at the bank', '1 settled-by-hand, 0 not');
      await maria.sees('2 open findings');
      await maria.press('X', 'a');
      await maria.choose('Accept it');
      await maria.confirm('the fee of the bank', '2 accepted, 0 not');
      await maria.sees('0 open findings');

      await run.said(/All is settled/);
      for (const person of [maria, tom, bank]) {
        expect(await person.mouse()).toBe(0);
        expect(person.complaints).toEqual([]);
      }
      expect(await run.end()).toEqual({
        code: 0,
        last: 'settled: locks 20, works 3, claims 15, findings 12; provider and ledger agree',
      });
    });
  },
);

async function approve(person: Keyboard, said: string): Promise<void> {
  await person.press('1', '5');
  await person.tabTo('Kind');
  await person.type('missing-here');
  await person.press('Escape');
  await person.sees('3 open findings');
  await person.press('X', 'a');
  await person.choose('Approve its remedy');
  await person.confirm('seen at the bank', said);
}

async function fitsOnAPhone({ page }: Keyboard): Promise<void> {
  const before = page.viewportSize() ?? { width: 1280, height: 720 };
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await page.setViewportSize(before);
}
