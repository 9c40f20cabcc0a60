import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { publicEntries } from '../../../checks/packages.ts';
import { WiringError } from '../../../lib/cdk/index.ts';
import { memoryStore, OptionError, once } from '../../../lib/pawl/index.ts';
import { lockOperator, memoryLockStore, resourceLocks } from '../../../lib/pawl/locks/index.ts';
import { operator } from '../../../lib/pawl/operate/index.ts';
import { isError, takenBy, takers, thrownBy, withoutOptions } from './misspelt.ts';

const root = new URL('../../../', import.meta.url);

/** The functions and classes of every entry of the package, by name. */
async function exportedFunctions(): Promise<ReadonlyMap<string, unknown>> {
  const modules: readonly object[] = await Promise.all(
    publicEntries.map(({ source }) => import(new URL(source, root).href)),
  );
  return new Map(
    modules.flatMap((module) => Object.entries(module)).filter(([, value]) => typeof value === 'function'),
  );
}

/** A message leads to the page of its door, and to its own paragraph on the page of errors. */
function expectPages(message: string): void {
  const pages = Array.from(
    message.matchAll(/(?:See|and) node_modules\/pawl\/(docs\/[\w/-]+\.md)(?:#([\w-]+))?/g),
    ([, path = '', anchor]) => ({
      path,
      anchor,
    }),
  );
  expect(pages, message).toMatchObject([{ anchor: undefined }, { path: 'docs/errors.md', anchor: expect.anything() }]);
  for (const { path, anchor } of pages) {
    const page = readFileSync(new URL(path, root), 'utf8');
    if (anchor !== undefined) expect(page, anchor).toContain(`\n### ${anchor}\n`);
  }
}

/** Two letters in the middle exchanged; of a short name, or of two that are equal, one letter too many. */
function misspelling(name: string, known: readonly string[]): string {
  const middle = Math.floor(name.length / 2);
  const exchanged = `${name.slice(0, middle - 1)}${name[middle]}${name[middle - 1]}${name.slice(middle + 1)}`;
  const wrong = name.length < 4 || exchanged === name ? `${name}s` : exchanged;
  return known.includes(wrong) ? `${name}x` : wrong;
}

describe('each misspelt option is refused with the nearest known name', () => {
  const named = takers.map((taker) => ({ ...taker, name: `${taker.door} ${taker.within ?? taker.by ?? ''}` }));

  test.each(named)('$name', async (taker) => {
    const { door, within, by = door.match(/\w+(?=\W*$)/)?.[0], take } = taker;
    const known = await takenBy(taker);
    const shown = (name: string) => `'${within === undefined ? '' : `${within}.`}${name}'`;
    for (const meant of known) {
      const wrong = misspelling(meant, known);
      const error = await thrownBy(() => take({ [wrong]: undefined }));
      expect(
        [OptionError, WiringError].some((type) => error instanceof type),
        String(error),
      ).toBe(true);
      const { message } = error as Error;
      expect(message).toContain(`${by}: there is no option ${shown(wrong)}. Did you mean ${shown(meant)}?`);
      expectPages(message);
    }
  });
});

describe('no public function that takes options is missing above', () => {
  let exported: ReadonlyMap<string, unknown>;
  beforeAll(async () => {
    exported = await exportedFunctions();
  });

  const doors = new Set(takers.map(({ door }) => door.replace(/\(.*$/, '')));

  test('every exported function and class is tried, or takes no options', () => {
    const unknown = [...exported].filter(
      ([name, value]) => !doors.has(name) && !Object.hasOwn(withoutOptions, name) && !isError(value),
    );
    expect(unknown.map(([name]) => name)).toEqual([]);
  });

  test('every name in the tables is exported', () => {
    const names = [...doors, ...Object.keys(withoutOptions)];
    expect(names.filter((name) => !exported.has(name))).toEqual([]);
  });

  test.each([
    ['resourceLocks()', Object.keys(resourceLocks({ store: memoryLockStore() })), ['read']],
    ['lockOperator()', Object.keys(lockOperator({ store: memoryLockStore() })), ['read', 'readOf']],
    ['operator()', Object.keys(operator({ store: memoryStore() })), ['queueDepth', 'sourcesOf']],
  ])('every method of %s is tried, or takes no options', (door, methods, without) => {
    const tried = takers.filter((one) => one.door.startsWith(`${door}.`)).map((one) => one.door.split('.')[1]);
    expect([...new Set([...tried, ...without])].toSorted()).toEqual(methods.toSorted());
  });
});

test('an option that is given as undefined under its own name has its default', () => {
  const options = { operation: 'o', store: memoryStore(), key: () => 'k', onAbandoned: 'retry', leaseMs: undefined };
  const { leaseMs: _, ...known } = options;
  expect(() => once({ ...known, lease: undefined } as never, () => 1)).not.toThrow();
  // Under a name that no door knows, it is a misspelt one whose value is missing as well.
  expect(() => once(options as never, () => 1)).toThrow("there is no option 'leaseMs'. Did you mean 'lease'?");
});
