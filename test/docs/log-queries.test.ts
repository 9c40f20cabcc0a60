import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { unusualEvents } from '../../lib/pawl/kernel/event-types.ts';

/* The queries of docs/guides/operate.md, over lines as `logEvents` writes them: Lambda logs such a line as it is, or as a text within JSON. */

const page = readFileSync('docs/guides/operate.md', 'utf8');
const [ofClaim, ofUnusual] = [...page.matchAll(/^filter @message like \/(.*)\/ \|/gm)].map(
  ([, regex = '']) => new RegExp(regex),
);

const lineOf = (id: string, pawl = 'parked') => JSON.stringify({ pawl, operation: 'send-email', id, at: 1 });
const asLogged = (line: string) => [
  line,
  `2026-11-27T12:00:00.000Z\t1-2-3\tWARN\t${line}`,
  JSON.stringify({ level: 'WARN', message: line }),
];

describe('the queries for CloudWatch Logs Insights', () => {
  it('find every event of one claim, and none of another whose key begins like it', () => {
    for (const line of asLogged(lineOf('send-email#order-17'))) expect(line).toMatch(ofClaim ?? /nothing/);
    for (const line of asLogged(lineOf('send-email#order-170'))) expect(line).not.toMatch(ofClaim ?? /.*/);
  });

  it('find what may need an operator, by names that events have', () => {
    const named = /\(([\w|-]+)\)/.exec(ofUnusual?.source ?? '')?.[1]?.split('|') ?? [];
    expect(unusualEvents).toEqual(expect.arrayContaining(named));
    for (const name of named)
      for (const line of asLogged(lineOf('a#b', name))) expect(line).toMatch(ofUnusual ?? /nothing/);
    for (const line of asLogged(lineOf('parked#b', 'granted'))) expect(line).not.toMatch(ofUnusual ?? /.*/);
  });
});
