import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** A person at a page of the console, who has no mouse. */
export type Keyboard = Awaited<ReturnType<typeof keyboardOf>>;

/** After so many presses of Tab, an element is not within reach. */
const mostTabs = 150;

export async function keyboardOf(page: Page, url: string) {
  page.setDefaultTimeout(30_000);
  /** What the page has reported about itself: errors of its script, and of its content security policy. */
  const complaints: string[] = [];
  page.on('pageerror', ({ message }) => complaints.push(message));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  await page.addInitScript(() => {
    const counted = Number(sessionStorage.getItem('mouse') ?? 0);
    sessionStorage.setItem('mouse', String(counted));
    for (const type of ['mousedown', 'touchstart']) {
      addEventListener(
        type,
        () => sessionStorage.setItem('mouse', String(Number(sessionStorage.getItem('mouse')) + 1)),
        true,
      );
    }
  });
  await page.goto(url);

  /** What has the focus: its name, its row, and whether it can be seen. */
  const focused = () =>
    page.evaluate(() => {
      const at = document.activeElement;
      if (!(at instanceof HTMLElement) || at === document.body) return { name: '', row: '', isSeen: false };
      const labels = 'labels' in at ? [...((at as HTMLInputElement).labels ?? [])] : [];
      const [label] = labels.map((one) => one.firstChild?.textContent ?? one.textContent);
      const { outlineStyle } = getComputedStyle(at);
      const box = at.getBoundingClientRect();
      return {
        name: (at.getAttribute('aria-label') ?? label ?? at.textContent ?? '').trim(),
        row: at.closest('[data-row]')?.textContent ?? '',
        isSeen: outlineStyle !== 'none' && box.bottom > 0 && box.top < innerHeight,
      };
    });

  /** Presses keys as a person does: the next one when the page shows what came of the last one. */
  async function press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      await page.keyboard.press(key);
      await page.evaluate(
        () => new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))),
      );
    }
  }

  async function tabTo(name: string | RegExp): Promise<void> {
    const names: string[] = [];
    for (let tabs = 0; tabs < mostTabs; tabs++) {
      await press('Tab');
      const at = await focused();
      names.push(at.name);
      if (at.name !== '') expect(at.isSeen, `the focus of '${at.name}' can be seen`).toBe(true);
      if (typeof name === 'string' ? at.name === name : name.test(at.name)) return;
    }
    throw new Error(`No Tab leads to ${name}: ${names.join(' | ')}`);
  }

  const text = async () => (await page.locator('body').innerText()).replaceAll(/\n+/g, ' | ');
  const sees = async (what: string | RegExp) => {
    const found = page
      .getByText(what, { exact: typeof what === 'string' })
      .filter({ visible: true })
      .first();
    await found.waitFor().catch(async () => {
      throw new Error(`The page does not show ${what}: ${await text()}`);
    });
  };
  const type = (text: string) => page.keyboard.type(text);

  return {
    page,
    complaints,
    press,
    tabTo,
    sees,
    type,
    text,
    /** Goes down the rows, and selects those that fit. */
    async selectRows(isMeant: (text: string) => boolean): Promise<void> {
      const rows = await page.locator('[data-row]').count();
      for (let row = 0; row < rows; row++) {
        await press('j');
        if (isMeant((await focused()).row)) await press('x');
      }
    },
    /** Chooses one of a dialog's ways, and asks for its plan. */
    async choose(value: string): Promise<void> {
      const chosen = page.getByRole('radio', { name: value }).first();
      await page.getByRole('dialog').waitFor();
      await press('Tab', 'Space');
      while (!(await chosen.isChecked())) await press('ArrowDown');
      await press('Enter');
    },
    /** Gives the note to a plan, carries it out, and closes the dialog. */
    async confirm(note: string, said: string): Promise<void> {
      await sees('The plan');
      await tabTo(/^Note/);
      await type(note);
      await press('Tab', 'Enter');
      await sees(said);
      // What came of an act has the focus: the button that had it is gone.
      await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'status');
      await press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    },
    /** Looks at the messages of a dead-letter queue. */
    async look(
      queue: string,
      said: string,
      finder?: { readonly operation: string; readonly key: string },
    ): Promise<void> {
      await sees('Dead letters');
      await tabTo(queue);
      await press('Enter');
      if (finder !== undefined) {
        await tabTo(/^Find the claims/);
        await press('Enter', 'Tab');
        await type(finder.operation);
        await press('Tab');
        await type(finder.key);
      }
      await tabTo(/^Look (at the messages|again)$/);
      await press('Enter');
      await sees(said);
    },
    /** How often a mouse or a finger was used. */
    mouse: () => page.evaluate(() => Number(sessionStorage.getItem('mouse'))),
  };
}
