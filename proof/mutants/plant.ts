import { nameOf } from './mutant.ts';
import { mutants } from './mutants.ts';
import { variable } from './planted.ts';

/** What stands in place of some functions of the module that the environment's mutant breaks. */
export function plant(original: object): object {
  const name = process.env[variable];
  const mutant = mutants.find((one) => nameOf(one) === name);
  if (mutant === undefined) throw new Error(`no mutant is called ${JSON.stringify(name)}`);
  return mutant.breakage(original);
}
