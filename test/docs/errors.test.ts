import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { deadAddresses } from '../../checks/docs/links.ts';
import { notEmpty } from '../../checks/not-empty.ts';
import type { ClaimEvent } from '../../lib/pawl/index.ts';
import { errorCodes, explained, withoutPage } from '../../lib/pawl/kernel/error-code.ts';
import { type EventType, ordinaryEvents, unusualEvents } from '../../lib/pawl/kernel/event-types.ts';
import { allSources } from '../support/sources.ts';

const root = new URL('../../', import.meta.url);
const errorsPage = readFileSync(new URL('docs/errors.md', root), 'utf8');
const page = `${errorsPage}\n${readFileSync(new URL('docs/reference/events.md', root), 'utf8')}`;
const headings = Array.from(page.matchAll(/^### (.+)$/gm), ([, heading = '']) => heading);
/** What follows a heading, up to the next one. */
const entryOf = (heading: string) => page.split(`\n### ${heading}\n`)[1]?.split(/\n#+ /)[0] ?? '';

const events = [...ordinaryEvents, ...unusualEvents];

/** The sources of what an application runs; neither the laws and the sweep for tests, nor the stand-ins for AWS. */
const sources = allSources
  .filter(({ file }) => !/^lib\/(rehearsal|testing)\//.test(file))
  .map(({ file, source }) => ({
    path: file.replace(/^lib\//, ''),
    text: source,
  }));

describe('the pages of errors and of events', () => {
  it('has each once', () => {
    expect(headings.filter((heading, index) => headings.indexOf(heading) !== index)).toEqual([]);
  });

  it('explains every code and every event, and nothing else', () => {
    expectTypeOf<ClaimEvent['type']>().toEqualTypeOf<EventType>();
    const known = [...errorCodes, ...events.map((type) => `event-${type}`), 'event-not-awaited'];
    expect(headings.toSorted()).toEqual(known.toSorted());
  });

  it('says which events are written without a listener', () => {
    const [first = ''] = /^`onEvent` receives .*$/m.exec(page) ?? [];
    expect(Array.from(first.matchAll(/`([a-z-]+)`/g), ([, name]) => name).toSorted()).toEqual(
      ordinaryEvents.toSorted(),
    );
  });

  it.each(headings)('says of %s what to do', (heading) => {
    const entry = entryOf(heading);
    expect(entry).toMatch(/^- \*\*(Cause|What happened)\.\*\* \S.*\.$/m);
    expect(entry).toMatch(/^- \*\*What to do\.\*\* \S.*\.$/m);
  });

  it.each(errorCodes)('is reached by a message of the code that ends with %s', (code) => {
    // `missing-key` and the other problems of a message are the codes of their errors.
    const used = sources.filter(({ path, text }) => path !== 'kernel/error-code.ts' && text.includes(`'${code}'`));
    expect(used.map(({ path }) => path)).not.toEqual([]);
  });

  it('leads to headings that it has', () => {
    const links = Array.from(errorsPage.matchAll(/\]\(#([^)]+)\)/g), ([, anchor = '']) => anchor);
    const anchors = [...headings, ...Array.from(page.matchAll(/<a name="([^"]+)">/g), ([, name = '']) => name)];
    expect(notEmpty('links inside of the page', links).filter((link) => !anchors.includes(link))).toEqual([]);
  });
});

describe('a message', () => {
  it('ends with the one place that explains it, also where it quotes another message', () => {
    const inner = explained("the table 'claims' does not exist", 'missing-table');
    expect(inner).toBe("the table 'claims' does not exist. See node_modules/pawl/docs/errors.md#missing-table");
    expect(explained(`nothing was run: ${inner}`, 'store-unavailable')).toBe(`nothing was run: ${inner}`);
    expect(explained('Remove it.', 'used-twice')).toBe('Remove it. See node_modules/pawl/docs/errors.md#used-twice');
    expect(withoutPage(inner)).toBe("the table 'claims' does not exist");
  });

  it('of pawl’s is never made without it', () => {
    // Made with a class of JavaScript itself, an error has no place to end with. Internal faults, which no user can cause, are listed.
    const internal = [
      // The reason of a signal, and not an error that a user sees.
      'cli/console/server.ts',
      // A result of each message for other middlewares, in the words of its own error.
      'pawl/sqs/batch-response.ts: whyUnfinished',
      'pawl/locks/acquisition.ts',
      'pawl/locks/memory.ts',
      // What DynamoDB or the network says; the store explains it.
      'pawl/stores/dynamodb/marshall-action.ts',
      'pawl/stores/dynamodb/shared-requests.ts: Message',
      'pawl/outbox/dynamodb/store.ts: error',
      'pawl/locks/dynamodb/store.ts: Message',
      // What EventBridge says of an entry.
      'pawl/outbox/destinations/event-buses.ts: message',
      'pawl/aws/get-json.ts',
      'pawl/aws/http.ts',
      'pawl/aws/verdict.ts',
      'pawl/aws/verdict.ts: typeof',
      'pawl/aws/lean-sqs.ts: said',
      'cli/template-text.ts',
      // It says itself what to do.
      'cli/deployed/read-functions.ts',
      // DynamoDB says what a table is.
      'pawl/stores/dynamodb/physical-table.ts',
    ];
    const bare = sources.flatMap(({ path, text }) =>
      Array.from(text.matchAll(/new (?:Type|Range)?Error\((?!\s*explained\()\s*(\w*)/g), ([, first]) =>
        first ? `${path}: ${first}` : path,
      ),
    );
    // An entry that is no longer needed would hide the next one in its file.
    expect(bare).toEqual(expect.arrayContaining(internal));
    expect(bare.filter((one) => !internal.includes(one))).toEqual([]);
  });
});

describe('the address with which a message ends', () => {
  it('is a page of the installed package', () => {
    expect(explained('Remove it.', 'used-twice')).toContain(' See node_modules/pawl/docs/errors.md#used-twice');
    expect(deadAddresses(fileURLToPath(root))).toEqual([]);
  });

  it('is missed in a package without its pages, or with a page that lacks the entry', () => {
    const installed = mkdtempSync(join(tmpdir(), 'pawl-addresses-'));
    try {
      const dead = deadAddresses(installed);
      for (const code of errorCodes)
        expect(dead).toContain(`A message ends with node_modules/pawl/docs/errors.md#${code}`);
      cpSync(new URL('docs', root), join(installed, 'docs'), { recursive: true });
      writeFileSync(join(installed, 'docs/errors.md'), errorsPage.replace('### used-twice', '### used-once'));
      expect(deadAddresses(installed)).toContain('A message ends with node_modules/pawl/docs/errors.md#used-twice');
    } finally {
      rmSync(installed, { recursive: true });
    }
  });
});
