import { describe, test } from 'vitest';

/*
 * An empty list of cases makes no test, and no test that is missing fails. So `each` and `for` refuse it.
 */

type Make = (this: unknown, cases: readonly unknown[], ...rest: readonly unknown[]) => unknown;

const patched = Symbol.for('pawl: refuses an empty list of cases');

for (const [what, makers] of Object.entries({ describe, test })) {
  for (const name of ['each', 'for'] as const) {
    const make = makers[name] as Make;
    // Many test files share a process.
    if (patched in make) continue;
    const refusing: Make = function (cases, ...rest) {
      if (cases.length > 0) return make.call(this, cases, ...rest);
      throw new TypeError(`${what}.${name}: expected at least one case, found none. Look at what makes the list.`);
    };
    Object.assign(makers, { [name]: Object.assign(refusing, { [patched]: true }) });
  }
}
