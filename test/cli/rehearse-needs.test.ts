import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { expectPeers } from '../../lib/cli/rehearse-needs.ts';
import { runPawl } from '../support/pawl-command.ts';

/** A Node that lacks what a rehearsal needs, and on which its modules cannot be loaded. */
const olderNode = {
  NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(`
    import { registerHooks } from 'node:module';
    delete globalThis.AsyncDisposableStack;
    registerHooks({
      resolve(specifier, context, next) {
        if (specifier === './rehearse.ts') throw new SyntaxError('The requested module does not provide an export');
        return next(specifier, context);
      },
    });
  `)}`,
};

test('pawl rehearse says which Node it needs, before it loads what an older one cannot load', async () => {
  const { code, error } = await runPawl(['rehearse'], olderNode);
  expect([code, error]).toEqual([2, expect.stringContaining('pawl rehearse needs Node 24 or newer')]);
});

/** The URL of a file beside which one version of a peer is installed. */
function besideFauxqs(version: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-peers-'));
  const installed = join(folder, 'node_modules/fauxqs');
  mkdirSync(installed, { recursive: true });
  writeFileSync(join(installed, 'package.json'), JSON.stringify({ name: 'fauxqs', version, main: 'index.js' }));
  writeFileSync(join(installed, 'index.js'), '');
  return pathToFileURL(join(folder, 'rehearsal.js')).href;
}

test.each(['1.9.2', '2.3.9', '3.0.0'])('fauxqs %s is refused by name, with what to run', (version) => {
  expect(() => expectPeers({ fauxqs: '^2.4.0' }, besideFauxqs(version))).toThrow(
    `pawl rehearse needs fauxqs ^2.4.0, and ${version} is installed. Run: npm install --save-dev 'fauxqs@^2.4.0'`,
  );
});

test.each(['2.4.0', '2.4.1', '2.10.0'])('fauxqs %s fits, and what is not installed is not judged', (version) => {
  expect(() =>
    expectPeers({ fauxqs: '^2.4.0', '@aws-sdk/client-sqs': '^3.521.0' }, besideFauxqs(version)),
  ).not.toThrow();
});
