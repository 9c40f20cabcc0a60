import { describe, expect, test } from 'vitest';
import { javaMajorVersion, MissingJavaError } from '../../lib/rehearsal/engine/servers/java.ts';
import { defaults, readCommandLine, UsageError } from '../../shop/command-line.ts';

describe('the command line', () => {
  test('has a default for everything', () => {
    expect(readCommandLine([])).toEqual({
      ...defaults,
      json: false,
      protection: 'as-written',
      store: 'dynamodb',
      verbose: false,
      fifo: false,
      console: false,
    });
  });

  test('takes what it is given', () => {
    const args = [
      '--orders',
      '20',
      '--payments',
      '9',
      '--repayments',
      '4',
      '--kill=0.5',
      '--seed',
      '7',
      '--json',
      '--unprotected',
      '--store',
      'postgres',
      '--verbose',
    ];
    const expected = {
      orders: 20,
      payments: 9,
      repayments: 4,
      killShare: 0.5,
      seed: 7,
      json: true,
      protection: 'none',
      store: 'postgres',
      verbose: true,
      fifo: false,
      console: false,
    };
    expect(readCommandLine(args)).toEqual(expected);
    expect(readCommandLine(['--retry'])).toMatchObject({ protection: 'retry' });
    expect(readCommandLine(['--fifo'])).toMatchObject({ fifo: true });
    expect(readCommandLine(['--help'])).toBe('help');
    expect(readCommandLine(['--incident'])).toBe('incident');
  });

  test.each([
    [['--ordres', '3'], '--ordres'],
    [['--orders', '0'], '--orders'],
    [['--orders', '1.5'], '--orders'],
    [['--orders', ''], '--orders'],
    [['--kill', '2'], '--kill'],
    [['--kill', 'many'], '--kill'],
    [['--seed', '-1'], '--seed'],
    [['--store', 'mysql'], '--store'],
    [['--store', 'postgres', '--console'], '--store postgres'],
    [['--orders'], '--orders'],
    [['more'], 'more'],
    [['--retry', '--unprotected'], '--unprotected'],
    [['--incident', '--fifo'], '--fifo'],
  ])('refuses %j, and names it', (args, named) => {
    expect(() => readCommandLine(args)).toThrow(UsageError);
    expect(() => readCommandLine(args)).toThrow(named);
  });
});

describe('the version of Java', () => {
  test.each([
    ['openjdk version "17.0.15" 2025-04-15', 17],
    ['java version "1.8.0_402"', 8],
    ['openjdk version "26" 2026-03-17', 26],
    ['The operation could not be completed. Unable to locate a Java Runtime.', undefined],
  ])('of %s', (printed, expected) => {
    expect(javaMajorVersion(printed)).toBe(expected);
  });

  test('that is missing is told apart from one that is too old', () => {
    expect(new MissingJavaError(undefined).message).toContain('not found');
    expect(new MissingJavaError(undefined).message).toContain('apt-get install openjdk-17');
    expect(new MissingJavaError(11).message).toContain('version 11');
  });
});
