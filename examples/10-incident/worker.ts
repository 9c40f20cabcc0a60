import { drain } from 'local-aws';
import { handler } from './handler.ts';

/* One worker, a process of its own. Lambda would stop it after 3 seconds. */
await drain(handler, { timeoutMs: 3_000 });
