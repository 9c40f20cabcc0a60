import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { openPage } from '../../../support/console-client.ts';

test('npm start -- --console serves the console over the run, keeps it up afterwards, and ends all of it at Ctrl-C', async () => {
  const args = [
    'bin/local.ts',
    '--console',
    '--orders',
    '12',
    '--payments',
    '2',
    '--repayments',
    '1',
    '--kill',
    '0.3',
    '--seed',
    '5',
  ];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  const said = async (pattern: RegExp) => {
    for (;;) {
      const found = pattern.exec(out);
      if (found !== null) return found;
      await Promise.race([
        once(child.stdout, 'data'),
        ended.then(() => Promise.reject(new Error(`it has ended: ${out}`))),
      ]);
    }
  };
  try {
    const [url = ''] = await said(/http:\/\/127\.0\.0\.1:\d+\/\?token=\S+/);
    const port = Number(new URL(url).port);
    const { get, session } = await openPage({ url, port });
    const ending = new AbortController();
    const live = await fetch(`http://127.0.0.1:${port}/api/live`, { headers: session, signal: ending.signal });
    const reader = live.body?.pipeThrough(new TextDecoderStream()).getReader();
    let events = '';
    const shown = ['"what":"killed"', '"what":"email"', '"counts":"done"'];
    while (!shown.every((one) => events.includes(one))) events += (await reader?.read())?.value;
    await said(/Ctrl-C ends them/);
    const { history, queues } = JSON.parse((await get('/api/overview')).text);
    expect(history.source).toBe('live');
    expect(history.series.done.reduce((sum: number, n: number) => sum + n, 0)).toBeGreaterThan(12);
    expect(queues[0]).toMatchObject({ depth: expect.any(Number) });
    expect(queues[0].error).toBeUndefined();
    ending.abort();
    child.kill('SIGINT');
    expect((await ended)[0]).toBe(130);
    await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow('fetch failed');
  } finally {
    // Not SIGKILL: it would leave DynamoDB Local behind.
    child.kill('SIGTERM');
    await ended;
  }
});
