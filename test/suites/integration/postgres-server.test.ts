import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { postgresPrograms } from '../../../shop/postgres/server.ts';

const module = new URL('../../../shop/postgres/server.ts', import.meta.url).href;

/** Starts a server, and says where it listens. */
const starts = `
  const { startPostgres, postgresPrograms } = await import('${module}');
  const { url } = await startPostgres(postgresPrograms());
  process.stdout.write(url);
`;

async function listens(url: string): Promise<boolean> {
  const { Client } = await import('pg');
  const client = new Client({ connectionString: url });
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}

it.skipIf(postgresPrograms() === undefined).each(['SIGKILL', 'SIGINT'] as const)(
  'a PostgreSQL server does not outlive a process that %s ends',
  async (signal) => {
    const child = spawn(process.execPath, ['--input-type=module', '--eval', starts], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [url] = await once(child.stdout, 'data');
    expect(await listens(String(url))).toBe(true);
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
    while (await listens(String(url))) await new Promise((resolve) => setTimeout(resolve, 50));
  },
);
