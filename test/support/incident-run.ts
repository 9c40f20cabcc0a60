import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished, vi } from 'vitest';

/** `npm start -- --incident` in a process of its own, once it waits for its operators. It is ended with the test. */
export async function startRun() {
  const child = spawn(process.execPath, ['bin/local.ts', '--incident'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  onTestFinished(async () => {
    // Not SIGKILL: it would leave DynamoDB Local behind.
    child.kill('SIGTERM');
    await ended;
  });
  const said = async (pattern: RegExp) => {
    for (let found = pattern.exec(out); ; found = pattern.exec(out)) {
      if (found !== null) return found;
      await Promise.race([
        once(child.stdout, 'data'),
        ended.then(() => Promise.reject(new Error(`it has ended: ${out}`))),
      ]);
    }
  };
  const [, exported = ''] = await said(/^ {2}export (.*)\n[\s\S]*Ctrl-C ends it/m);
  for (const pair of exported.split(' ')) {
    const [name = '', value = ''] = pair.split(/=(.*)/);
    vi.stubEnv(name, value);
  }
  return {
    said,
    bank: (path: string, method = 'GET') =>
      fetch(new URL(path, process.env['BANK_URL']), { method, redirect: 'manual' }).then((response) => response.text()),
    /** The link to the console of one person. It opens once. */
    async consoleOf(person: string): Promise<string> {
      const [, url = ''] = await said(new RegExp(`^ {2}${person} +(http\\S+)$`, 'm'));
      return url;
    },
    async end() {
      child.kill('SIGINT');
      const [code] = await ended;
      return { code, last: out.trimEnd().split('\n').at(-1) };
    },
  };
}
