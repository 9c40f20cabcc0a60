import type { Sandbox } from './lambda/sandbox.ts';
import { named } from './network.ts';

/** Gives up waiting for a provider, at the handler's signal or when its patience is over. What it asked for may happen all the same. */
export function inTime<T>(
  sandbox: Sandbox,
  patienceMs: number | undefined,
  answer: Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  if (patienceMs === undefined && signal === undefined) return answer;
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(named('ProviderTimeout'));
    const cancel = patienceMs === undefined ? undefined : sandbox.after(patienceMs, giveUp);
    signal?.addEventListener('abort', () => reject(signal.reason));
    answer.then(resolve, reject).finally(() => cancel?.());
  });
}
