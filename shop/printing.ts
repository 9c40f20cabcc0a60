import { styleText } from 'node:util';
import type { Protection, Store } from './protection/changed-bundle.ts';

/** What a report is painted with. */
export type Colour = 'bold' | 'dim' | 'green' | 'red';

/** Writes the parts of a report. */
export interface Printer {
  paint(colour: Colour, text: string): string;
  /** One number of a report, and what it means. A bad number is red, unless it is 0. */
  row(label: string, count: number, meaning: string, isBad?: boolean): string;
}

/** @param colour only when there is a terminal to show it */
export function createPrinter(colour: boolean): Printer {
  const paint = (format: Colour, text: string) => (colour ? styleText(format, text, { validateStream: false }) : text);
  return {
    paint,
    row(label, count, meaning, isBad = false) {
      const number = String(count).padStart(6);
      const shown = isBad && count > 0 ? paint('red', number) : number;
      return `  ${label.padEnd(16)}${shown}   ${paint('dim', meaning)}`;
    },
  };
}

/** The first of them by name, and how many more there are. */
export function some(items: readonly string[]): string {
  const shown = items.slice(0, 5).join(', ');
  return items.length > 5 ? `${shown} and ${items.length - 5} more` : shown;
}

/** The options of `npm start` that ask for a store and a protection, with a space before each. */
export function optionsOf({ store = 'dynamodb', protection }: { store?: Store; protection: Protection }): string {
  return `${storeOption(store)}${optionFor[protection]}`;
}

/** The option that asks for a store, with a space before it. */
export function storeOption(store: Store): string {
  return store === 'dynamodb' ? '' : ` --store ${store}`;
}

const optionFor: Readonly<Record<Protection, string>> = {
  'as-written': '',
  retry: ' --retry',
  split: ' --split-commit',
  none: ' --unprotected',
};
