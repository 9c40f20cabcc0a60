import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { consumerDefaults } from '../../lib/pawl/deployment/consumer-defaults.ts';
import { claimDefaults, lockDefaults } from '../../lib/pawl/kernel/defaults.ts';
import { claimOptions, type OptionRows, queueOptions } from '../../lib/pawl/kernel/door-options.ts';

const text = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

/** What `@default` of an option says, in any of the files. */
function documented(option: string, ...files: readonly string[]): string | undefined {
  const pattern = new RegExp(`@default ([^\\n]*)\\n(?:\\s+\\*[^/\\n]*\\n)*\\s+\\*/\\s+readonly ${option}\\?:`);
  return files.map((file) => pattern.exec(text(file))?.[1]).find((found) => found !== undefined);
}

const rows: OptionRows = { ...claimOptions, ...queueOptions };
/** The numbers. Of `timeoutMs`, 0 says that there is no limit. */
const ofDoors = Object.entries(rows).flatMap(([name, row]) =>
  row.kind === 'whole' && row.default ? [[name, row.default] as const] : [],
);

describe('a default is what its documentation says:', () => {
  it.each(ofDoors)('%s of a door, in its docstring, which the page of options repeats', (name, value) => {
    const said = documented(name, 'lib/pawl/engine/options.ts', 'lib/pawl/sqs/options.ts');
    expect(said?.split(',')[0]).toBe(String(value));
  });

  it.each(Object.entries(lockDefaults))('%s of locks, in its docstring', (name, value) => {
    expect(documented(name, 'lib/pawl/locks/options.ts')?.split(',')[0]).toBe(String(value));
  });

  it.each([
    ['concurrency', queueOptions.concurrency.default],
    ['maxAttempts', claimDefaults.maxAttempts],
    ['claimRetention', `Duration.days(${claimDefaults.retentionSeconds / 86_400})`],
    ['timeout', `Duration.seconds(${consumerDefaults.timeoutSeconds})`],
    ['memorySize', consumerDefaults.memoryMb],
    ['batchSize', consumerDefaults.batchSize],
    ['retentionPeriod', `Duration.days(${consumerDefaults.retentionSeconds / 86_400})`],
  ])('%s of a Consumer, in its docstring', (name, value) => {
    const files = ['handler', 'function', 'queue', 'event-source'].map((kind) => `lib/cdk/${kind}-props.ts`);
    expect(documented(name, ...files)?.split(', as')[0]).toBe(String(value));
  });
});
