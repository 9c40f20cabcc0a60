import type { Progress } from '../../lib/rehearsal/progress.ts';
import { runTraffic, type TrafficOptions } from '../traffic/traffic.ts';
import type { TrafficResult } from '../traffic/traffic-result.ts';
import { serveShop } from './console.ts';
import { createFeed } from './feed.ts';

/** A run with the console over it. The shop and the console stay up after the run, until a signal ends the process. */
export async function runServed(
  options: TrafficOptions & { readonly progress: Progress },
  print: (result: TrafficResult) => void,
): Promise<never> {
  const { progress } = options;
  const { feed, read, watch } = createFeed();
  await runTraffic({
    ...options,
    onLog(line, sandbox) {
      read(line);
      options.onLog?.(line, sandbox);
    },
    async onUp(shop) {
      watch(shop);
      const { url } = await serveShop(shop, feed);
      progress.say(`The console, for one browser: ${url}`);
    },
    async onResult(result) {
      print(result);
      progress.say('The shop and its console are still up. Ctrl-C ends them.');
      await new Promise(() => undefined);
    },
  });
  throw new Error('the shop has ended, and no signal has come');
}
