import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Measured, measuredIn } from '../../../bench/cost/money/written.ts';
import { root } from '../../paths.ts';

/** Read when the site is built: the page of the calculator has the numbers in it. */
declare const data: readonly Measured[];

export { data };

export default {
  load: (): readonly Measured[] => measuredIn(readFileSync(join(root, 'docs/evidence/cost.md'), 'utf8')),
};
