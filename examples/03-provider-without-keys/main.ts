import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { drain, send, startAws } from 'local-aws';
import { startProvider } from './provider.ts';

const aws = await startAws({ visibilitySeconds: 5 }); // short, so that you need not wait
const provider = await startProvider(() => worker.kill('SIGKILL'));
await send({ orderId: 'order-17' });

const worker = spawn(process.execPath, ['worker.ts'], { stdio: 'inherit' });
await once(worker, 'exit');
console.log('The worker was killed before it had the response. Its message comes again.');

const { handler } = await import('./handler.ts');
await drain(handler);
console.log(`The queue is empty, and ${provider.sent.length} mail was sent.`);
provider.stop();
await aws.stop();
