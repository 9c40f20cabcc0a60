import { serveRehearsals } from '../lib/rehearsal/command/console.ts';
import type { Progress } from '../lib/rehearsal/progress.ts';
import { runTraffic, type TrafficOptions } from './traffic/traffic.ts';
import type { TrafficResult } from './traffic/traffic-result.ts';

/** A run with the console over it. The shop and the console stay up after the run, until a signal ends the process. */
export async function runServed(
  options: TrafficOptions & { readonly progress: Progress },
  print: (result: TrafficResult) => void,
): Promise<never> {
  const { progress, seed } = options;
  const title = 'the shop of npm start';
  const { url, begin, endWith } = await serveRehearsals({ title, firstStack: 'PawlOrders' });
  progress.say(`The console, for one browser: ${url}`);
  try {
    await runTraffic({
      ...options,
      page: begin({ title, seed }),
      async onResult(result) {
        print(result);
        progress.say('The shop and its console are still up. Ctrl-C ends them.');
        await new Promise(() => undefined);
      },
    });
    throw new Error('the shop has ended, and no signal has come');
  } catch (error) {
    await endWith(error instanceof Error ? error.message : String(error));
    throw error;
  }
}
