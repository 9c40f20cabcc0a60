import { deliver } from 'local-aws';
import { handler } from './handler.ts';

/* One worker, a process of its own: it handles one batch. Lambda would stop it after 3 seconds. */
await deliver(handler, { timeoutMs: 3_000 });
