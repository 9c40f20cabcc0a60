import { describe, expect, it } from 'vitest';
import { hiddenImports, samples, uncheckedResponses } from '../../checks/docs/samples.ts';
import { notEmpty } from '../../checks/not-empty.ts';

const sample = (code: string, given = '') => ({ place: 'here', given, code });

describe('a sample', () => {
  it('looks at the response of each fetch', () => {
    const all = notEmpty('samples', samples());
    expect(all.filter(({ code }) => code.includes('fetch('))).not.toEqual([]);
    expect(all.flatMap(uncheckedResponses)).toEqual([]);
  });

  it('that does not is found', () => {
    const checked = 'if (!ok) throw new Error();';
    expect(uncheckedResponses(sample(`const { ok } = await fetch(url);\n${checked}`))).toEqual([]);
    expect(uncheckedResponses(sample('const one = await fetch(url);\nif (one.status === 429) return;'))).toEqual([]);
    for (const code of [
      'await fetch(url);',
      'const all = await (await fetch(url)).json();',
      'const one = await fetch(url);\nreturn one.json();',
      'const { ok } = await fetch(url);\nconsole.log(ok);',
      `return fetch(url);\n${checked}`,
    ]) {
      expect(uncheckedResponses(sample(code)), code).toHaveLength(1);
    }
  });

  it('prints the imports that it uses', () => {
    expect(samples().flatMap(hiddenImports)).toEqual([]);
  });

  it('whose imports only hidden lines have is found', () => {
    const given =
      "import middy, { type MiddyfiedHandler } from '@middy/core';\nimport type { SQSEvent as Event } from 'aws-lambda';\n";
    expect(hiddenImports(sample('middy(1); const event: Event', given))).toEqual([
      "here: middy of '@middy/core' is imported where no reader sees it.",
      "here: Event of 'aws-lambda' is imported where no reader sees it.",
    ]);
    expect(hiddenImports(sample('const one = 1;', given))).toEqual([]);
  });
});
