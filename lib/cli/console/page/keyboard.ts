import { useLayoutEffect } from 'preact/hooks';

export const keyTable = [
  ['1 to 6', 'the views, from the left'],
  ['j, k', 'the next row, the row before'],
  ['Enter', 'open the row'],
  ['x', 'select the row, or not'],
  ['X', 'select the whole page, or not'],
  ['a', 'resolve, redrive, release or settle what is selected; in a claim or a lock, that one'],
  ['/', 'search'],
  ['Esc', 'close; leave the search or a filter'],
  ['?', 'this list'],
] as const;

const off = 'pawl-keys-off';

export function keysAreOn(): boolean {
  return localStorage.getItem(off) === null;
}

/** Speech input can type letters that were not meant as commands, so single keys can be switched off. */
export function switchKeys(on: boolean): void {
  if (on) localStorage.removeItem(off);
  else localStorage.setItem(off, '');
}

/** Runs a command for a key that is pressed outside of fields and dialogs. */
export function useKeys(commands: Readonly<Record<string, () => void>>): void {
  // As soon as what they are about is on the page. A moment later, a key that follows quickly would act on the selection before it.
  useLayoutEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const { target, key, ctrlKey, metaKey, altKey } = event;
      if (ctrlKey || metaKey || altKey || !keysAreOn() || document.querySelector('dialog[open]')) return;
      if (target instanceof Element && target.closest('input:not([type=checkbox]), textarea, select')) return;
      const command = Object.hasOwn(commands, key) ? commands[key] : undefined;
      if (command === undefined) return;
      event.preventDefault();
      command();
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  });
}

const rowLinks = () => [...document.querySelectorAll<HTMLElement>('[data-row] [data-open]')];

/** The focus itself moves, so that a screen reader reads the row. */
export function moveRow(by: 1 | -1): void {
  const links = rowLinks();
  const at = links.findIndex((link) => link.closest('[data-row]')?.contains(document.activeElement));
  const next = at === -1 ? 0 : Math.min(links.length - 1, Math.max(0, at + by));
  links[next]?.focus();
}

export function toggleRow(): void {
  document.activeElement?.closest('[data-row]')?.querySelector<HTMLInputElement>('input[type=checkbox]')?.click();
}

export function focusSearch(): void {
  document.querySelector<HTMLElement>('input[type=search]')?.focus();
}
