import { performance } from 'node:perf_hooks';
import { delivery } from '../scenarios.ts';

/** One cold start, in a process of its own: loads a bundle, and invokes it once with a batch of 10 that nobody has seen. */

const [bundle = '', series = ''] = process.argv.slice(2);
const one = delivery('first', 10, { series, from: 0 });

async function timed<T>(work: () => Promise<T>) {
  const before = process.cpuUsage();
  const start = performance.now();
  const value = await work();
  const ms = performance.now() - start;
  const { user, system } = process.cpuUsage(before);
  return { value, ms, cpuMs: (user + system) / 1000 };
}

const load = await timed(() => import(bundle));
// Whatever a contender has ready before its invocation is not part of it, here as in a warm process.
const invoke: () => Promise<unknown> = load.value.prepare(one);
const first = await timed(invoke);
console.log(JSON.stringify({ importMs: load.ms, importCpuMs: load.cpuMs, firstMs: first.ms, firstCpuMs: first.cpuMs }));
process.exit();
