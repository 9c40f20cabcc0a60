import type { FunctionPlace, FunctionsOptions } from '../../lib/rehearsal/engine/lambda/functions.ts';
import { functionAt, otherFunctionAt } from '../app/app-functions.ts';
import { bundleChanged, type Protection } from '../protection/changed-bundle.ts';

/** The bundles of the shop's functions over PostgreSQL, by their places in the app. */
export function bundlesOverPostgres(protection: Protection): Required<Pick<FunctionsOptions, 'bundleFor'>> {
  return {
    bundleFor: async (place: FunctionPlace) => {
      const source = functionAt(place) ?? otherFunctionAt(place);
      return source && bundleChanged(source, protection, 'postgres');
    },
  };
}
