import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { drain, send, startAws } from 'local-aws';

const aws = await startAws({ visibilitySeconds: 5 }); // short, so that you need not wait
const { DEAD_LETTER_QUEUE_URL = '', QUEUE_URL = '' } = process.env;

async function run(command: string, args: readonly string[], env = {}): Promise<void> {
  await once(spawn(command, args, { stdio: 'inherit', env: { ...process.env, ...env } }), 'exit');
}

/** What an operator types. */
async function pawl(command: string, ...args: readonly string[]): Promise<void> {
  console.log(`\n$ npx pawl ${command}`);
  await run('npx', ['pawl', command, '--table', 'claims', ...args]);
}

await send({ orderId: 'order-17' });
console.log('A worker is killed just after its mail:');
await run(process.execPath, ['worker.ts'], { DIES: 'yes' });
const { handler } = await import('./handler.ts');
await drain(handler);
console.log('The next worker cannot know whether the mail went out. It parks the claim.');

await pawl('claims');
await pawl('dlq', '--queue', DEAD_LETTER_QUEUE_URL);
console.log('\nMaria finds the mail in the outbox of the provider.');
const decision = ['applied', '--by', 'maria', '--note', 'it is in the outbox'];
await pawl('resolve', 'send-email#order-17', ...decision, '--yes');
await pawl('redrive', '--queue', DEAD_LETTER_QUEUE_URL, '--to', QUEUE_URL, '--yes');
await drain(handler);
await pawl('claims');
console.log('\nThe message is acknowledged, and no second mail went out.');
await aws.stop();
