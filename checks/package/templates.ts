import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commands } from '../../lib/cli/commands.ts';
import { formats } from '../../lib/pawl/deployment/template/print.ts';
import { codeWith } from './laws.ts';
import { type Project, peers, root } from './project.ts';

const pawl = 'node_modules/.bin/pawl';

/** The command without the package that it runs: it names what to install. With it, each helps, and templates are printed. */
export function commandsProject(): Project {
  const own = commands.filter((row) => row.package === undefined);
  return {
    name: 'commands',
    has: [],
    runs: ['@pawl/cli'],
    absent: ['@middy/core', 'aws-cdk-lib'],
    files: {},
    steps: [
      { args: [pawl, '--help'] },
      ...own.map(({ name }) => ({ args: [pawl, name, '--help'] })),
      ...formats.map((tool) => ({ args: [pawl, 'template', tool] })),
      { args: [pawl, 'rehearse'], failsWith: 'npm install --save-dev @pawl/rehearsal' },
    ],
  };
}

/** The handler of docs/guides/templates.md, bundled by the command of that page. */
export function bundledHandlerProject(): Project {
  const page = readFileSync(join(root, 'docs/guides/templates.md'), 'utf8');
  const [command] = /npx esbuild src\/index\.ts[\s\S]*?(?=\n```)/.exec(page) ?? [];
  if (command === undefined) throw new Error('docs/guides/templates.md has no command that bundles src/index.ts.');
  const given = 'const sendEmail = async (order: { orderId: string }) => console.log(order.orderId);\n';
  return {
    name: 'bundled handler of docs/guides/templates.md',
    has: ['esbuild', ...peers('highest', '@aws-sdk/client-dynamodb', '@aws-sdk/client-sqs')],
    absent: ['aws-cdk-lib', '@middy/core', 'typescript'],
    files: { 'src/index.ts': given + codeWith(page, 'eachMessage<') },
    steps: [
      { args: ['-e', `require('node:child_process').execSync(${JSON.stringify(command)}, { stdio: 'inherit' })`] },
      {
        args: ['-e', "import('./dist/index.mjs').then(({ handler }) => console.log(typeof handler))"],
        prints: 'function',
      },
    ],
  };
}
