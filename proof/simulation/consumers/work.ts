import type { Claim } from '../../../lib/pawl/engine/claim.ts';
import { RejectedError, RetryableError } from '../../../lib/pawl/kernel/errors.ts';
import type { Sandbox } from '../lambda/sandbox.ts';
import { named } from '../network.ts';
import type { Ending, Job, Run } from '../parts.ts';
import { ProviderError } from '../provider.ts';
import { inTime } from '../provider-patience.ts';
import type { Simulation } from '../simulation.ts';

/** The business of the consumer: some work, the effect at the provider, some more work. */
export function createWorker(simulation: Simulation, sandbox: Sandbox) {
  const { world, scenario, strikes, provider, traffic, lambda, oracle } = simulation;
  const { effect: style, worksBefore, worksAfter, longestWorkMs, usesSignal, patienceMs } = scenario.handler;
  const { random } = world;

  /** A request that changes nothing anywhere. */
  function otherWork(): Promise<void> {
    return sandbox.call<void>(({ resolve, reject }) => {
      const fails = strikes('workFails');
      const ms = random.between(1, random.chance(0.7) ? 40 : longestWorkMs);
      world.after(ms, () => sandbox.deliver(() => (fails ? reject(named('WorkError')) : resolve())));
    });
  }

  async function askProvider(job: Job, signal: AbortSignal | undefined): Promise<string> {
    try {
      return await inTime(sandbox, patienceMs, provider.apply(sandbox, job), signal);
    } catch (error) {
      if (scenario.classifies || !(error instanceof ProviderError)) throw error;
      if (error.status === 429) throw new RetryableError('the provider is busy');
      if (error.status === 422) throw new RejectedError('the provider refuses');
      throw error;
    }
  }

  /** Kills the process, as some messages do. */
  async function poisonIf(job: Job): Promise<void> {
    if (!traffic.isPoison(job.key)) return;
    await otherWork().catch(() => undefined);
    lambda.kill(sandbox, `by ${job.key}`);
    await new Promise(() => {});
  }

  /** Without a claim to mark the effect with: how it ends is all that it says. */
  async function plainly(job: Job, signal?: AbortSignal): Promise<string> {
    await poisonIf(job);
    if (worksBefore) await otherWork();
    const result = await askProvider(job, signal);
    if (worksAfter) await otherWork();
    return result;
  }

  async function marked(job: Job, claim: Claim, ends: (ending: Ending) => void): Promise<unknown> {
    await poisonIf(job);
    if (worksBefore) await otherWork();
    const effect = claim.effect(() => {
      ends('unknown');
      if (sandbox.alive) oracle.effectStarted(sandbox, job);
      return askProvider(job, usesSignal ? claim.signal : undefined);
    });
    const known = effect.then(
      () => ends('done'),
      (error) => ends(endingOf(error)),
    );
    if (style === 'unawaited') effect.catch(() => {});
    else if (style === 'caught') await effect.catch(() => {});
    else await effect;
    if (worksAfter) await otherWork();
    if (style !== 'unawaited') await known;
    return 'done';
  }

  /** A handler under a claim. */
  async function handle(job: Job, claim: Claim): Promise<unknown> {
    const run = begin(job, claim.fence);
    if (style === 'unmarked') {
      return plainly(job, usesSignal ? claim.signal : undefined).then(
        (result) => {
          run?.end('done');
          return result;
        },
        (error) => {
          run?.end(endingOf(error));
          throw error;
        },
      );
    }
    // Until its effect begins, whatever goes wrong has changed nothing; from then on its effect decides.
    let ending: Ending = 'untouched';
    try {
      return await marked(job, claim, (next) => {
        ending = next;
        run?.end(ending);
      });
    } finally {
      run?.end(ending);
    }
  }

  function begin(job: Job, fence?: number): Run | undefined {
    // What a killed process had begun to do still runs to its next request, and is none of our business.
    return sandbox.alive ? oracle.runStarted(sandbox, job, fence) : undefined;
  }

  /** What an error says about the effect, where its author says so. */
  function endingOf(error: unknown): Ending {
    if (error instanceof RetryableError) return 'retryable';
    if (error instanceof RejectedError) return 'rejected';
    if (!scenario.classifies || !(error instanceof ProviderError)) return 'unknown';
    return error.status === 429 ? 'retryable' : error.status === 422 ? 'rejected' : 'unknown';
  }

  return { handle, plainly, begin, endingOf };
}
