import { describe, expect, test } from 'vitest';
import { OptionError } from '../../../lib/pawl/kernel/errors.ts';
import { expectOptions } from '../../../lib/pawl/kernel/take-options.ts';
import { nearestOf } from '../../../lib/pawl/kernel/unknown-option.ts';

const known = { queueUrl: true, timeoutMs: true, marginMs: true, key: true } as const;
const taken = { door: 'sendOnce', known, docs: 'docs/guides/producers.md' };

describe('the nearest name', () => {
  test.each([
    ['queueURL', 'queueUrl'],
    ['queuUrl', 'queueUrl'],
    ['qeueuUrl', 'queueUrl'],
    ['timeout', 'timeoutMs'],
    ['timeoutMillis', 'timeoutMs'],
    ['margnMs', 'marginMs'],
    ['kye', 'key'],
  ])('%s means %s', (name, meant) => expect(nearestOf(name, Object.keys(known))).toBe(meant));

  test.each(['concurrency', 'x', '', 'url', 'q'.repeat(1_000_000)])('%.20s is near to none', (name) =>
    expect(nearestOf(name, Object.keys(known))).toBeUndefined(),
  );
});

describe('the options of a door', () => {
  test('a misspelt name is refused with the nearest one, and a page to read', () => {
    expect(() => expectOptions({ queueURL: 'https://sqs' }, taken)).toThrow(
      new OptionError(
        "sendOnce: there is no option 'queueURL'. Did you mean 'queueUrl'? See node_modules/pawl/docs/guides/producers.md.",
        'unknown-option',
      ),
    );
  });

  test('a name that is near to none is refused with all that are known', () => {
    expect(() => expectOptions({ colour: 1 }, taken)).toThrow(
      "sendOnce: there is no option 'colour'. It takes queueUrl, timeoutMs, marginMs, key. See",
    );
  });

  test('all unknown names are named at once', () => {
    expect(() => expectOptions({ kye: 1, timeout: 2 }, taken)).toThrow(/'kye'.*'timeout'/);
  });

  test('an option of another door is refused with the reason, and is no advice', () => {
    const refused = { marginMs: 'it is an option of consumers' };
    expect(() => expectOptions({ marginMs: 5 }, { ...taken, refused })).toThrow(
      'marginMs: sendOnce does not take it: it is an option of consumers',
    );
    expect(() => expectOptions({ marginMs: undefined }, { ...taken, refused })).not.toThrow();
    expect(() => expectOptions({ marginms: 5 }, { ...taken, refused })).toThrow('It takes queueUrl, timeoutMs, key.');
  });

  test('names of every object are unknown, and not taken for known ones', () => {
    expect(() => expectOptions({ constructor: 1 }, taken)).toThrow("there is no option 'constructor'");
  });

  test.each([[undefined], [null], ['text'], [5]])('%s is no object of options', (options) => {
    expect(() => expectOptions(options as never, taken)).toThrow(
      /^sendOnce: expected options to be an object; got \w+\. See/,
    );
  });

  test('a message quotes no value, and little of a name', () => {
    const payload = 'card 4111'.repeat(1000);
    const message = (options: object) => {
      try {
        expectOptions(options, taken);
      } catch (error) {
        return String(error);
      }
      return '';
    };
    expect(message({ kye: payload })).not.toContain('4111');
    expect(message({ [payload]: 1 }).length).toBeLessThan(280);
  });
});
