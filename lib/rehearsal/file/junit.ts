import { plural } from 'pawl/kernel';
import type { RehearsalResult } from './result.ts';

/** The result as JUnit's XML: a suite for each effect, with a failed case for each intent that came to harm. */
export function junitOf(
  {
    effects,
    harmed,
    empty,
    findings,
    seconds,
    left,
  }: Pick<RehearsalResult, 'effects' | 'harmed' | 'empty' | 'findings' | 'seconds' | 'left'>,
  name: string,
): string {
  const suites = effects.map(({ effect, intents, done }) => {
    const failed = harmed.filter((one) => one.effect === effect);
    const cases = [
      `    <testcase classname="${xml(effect)}" name="${done} of ${intents} once"/>`,
      ...failed.map(
        ({ intent, problem, times, story }) =>
          `    <testcase classname="${xml(effect)}" name="${xml(intent)}"><failure message="${problem}: happened ${times} times">${xml(story.join('\n'))}</failure></testcase>`,
      ),
    ];
    return suite(effect, cases, failed.length);
  });
  const others = [
    ...empty,
    ...findings,
    ...(left > 0 ? [`${plural(left, 'message')} still on a queue when the time was up`] : []),
  ];
  if (others.length > 0) {
    const cases = others.map(
      (finding) =>
        `    <testcase classname="check" name="${xml(finding)}"><failure message="${xml(finding)}"/></testcase>`,
    );
    suites.push(suite('check', cases, others.length));
  }
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="${xml(name)}" time="${seconds.toFixed(1)}">\n${suites.join('\n')}\n</testsuites>\n`;
}

function suite(name: string, cases: readonly string[], failures: number): string {
  return `  <testsuite name="${xml(name)}" tests="${cases.length}" failures="${failures}">\n${cases.join('\n')}\n  </testsuite>`;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function xml(text: string): string {
  // What XML 1.0 cannot hold at all would make the whole file unreadable.
  return text
    .replace(/[&<>"]/g, (found) => entities[found] ?? found)
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd]/g, '\ufffd');
}
