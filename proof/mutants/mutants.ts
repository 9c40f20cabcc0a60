import { beside } from './beside.ts';
import { decisions } from './decisions.ts';
import { doors } from './doors.ts';
import { engine } from './engine.ts';
import type { Mutant } from './mutant.ts';
import { remedies } from './remedies.ts';
import { repairs } from './repairs.ts';
import { stores } from './stores.ts';

/** All mutants, in the order of the page. */
export const mutants: readonly Mutant[] = [
  ...decisions,
  ...engine,
  ...doors,
  ...repairs,
  ...remedies,
  ...beside,
  ...stores,
];
