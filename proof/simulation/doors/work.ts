import type { Claim } from '../../../lib/pawl/engine/claim.ts';
import { reconcile } from '../../../lib/pawl/engine/reconcile.ts';
import { type StepOptions, step } from '../../../lib/pawl/engine/step.ts';
import { RejectedError, RetryableError } from '../../../lib/pawl/kernel/errors.ts';
import type { Verdict } from '../../../lib/pawl/rules/verdict.ts';
import type { PostgresClient } from '../../../lib/pawl/stores/postgres/sql.ts';
import {
  type AppWrite,
  type CommitRefusedError,
  commit,
  commitStep,
  inPhases,
} from '../../../lib/pawl/transactions/index.ts';
import {
  commit as commitSql,
  commitStep as commitSqlStep,
  inPhases as inSqlPhases,
} from '../../../lib/pawl/transactions/postgres/commit.ts';
import type { Sandbox } from '../lambda/sandbox.ts';
import { named } from '../network.ts';
import type { Job } from '../parts.ts';
import { checkStatement, countStatement } from '../postgres/statement.ts';
import { ProviderError } from '../provider.ts';
import { inTime } from '../provider-patience.ts';
import type { JobRun } from './parts.ts';
import { blockId, counterId, effectsOfJob } from './parts-of-job.ts';
import { createSeams } from './seams-at-work.ts';
import type { DoorsSimulation } from './simulation.ts';

/** How long a provider's look-up may lag behind, with whatever is still on its way to it. */
export function settleMsOf({ scenario: { provider } }: DoorsSimulation): number {
  return provider.travelMs + provider.worksMs + provider.lookUpLagMs + 50;
}

export type DoorsWorker = ReturnType<typeof createDoorsWorker>;

/** The business of the consumer, in each of the shapes that a handler can have. */
export function createDoorsWorker(simulation: DoorsSimulation, sandbox: Sandbox) {
  const { world, scenario, strikes, provider, traffic, lambda, oracle } = simulation;
  const { shape, arrangement, auditFails, throwsFalsy, refusalIsFinal } = scenario;
  const { worksBefore, worksAfter, longestWorkMs, usesSignal, patienceMs } = scenario.handler;
  const { random } = world;
  const { returned } = createSeams(simulation, sandbox);

  /** A request that changes nothing anywhere. */
  function otherWork(): Promise<void> {
    return sandbox.call<void>(({ resolve, reject }) => {
      const fails = strikes('workFails');
      const ms = random.between(1, random.chance(0.7) ? 40 : longestWorkMs);
      world.after(ms, () => sandbox.deliver(() => (fails ? reject(nothingSaid(named('WorkError'))) : resolve())));
    });
  }

  /** Work beside the effect, which may fail for reasons of its own, and say so in words that are not about the effect. */
  async function audit(): Promise<void> {
    await otherWork();
    if (!random.chance(auditFails)) return;
    throw random.pick<() => unknown>([
      () => new RetryableError('the audit is busy'),
      () => new RetryableError('the audit is busy'),
      () => nothingSaid(named('AuditError')),
    ])();
  }

  /** What an error is that says nothing: some code rejects with no error at all. */
  function nothingSaid(error: Error): unknown {
    return throwsFalsy ? random.pick<unknown>([undefined, null, '', 0, false]) : error;
  }

  async function askProvider(job: Job, name: string, effectKey: string, signal?: AbortSignal): Promise<string> {
    try {
      return await inTime(
        sandbox,
        patienceMs,
        provider.apply(sandbox, { effectKey, key: `${job.key}/${name}`, payload: job.payload }),
        usesSignal ? signal : undefined,
      );
    } catch (error) {
      if (!(error instanceof ProviderError)) throw nothingSaid(error as Error);
      if (error.status === 429) throw new RetryableError('the provider is busy');
      if (error.status === 422) throw new RejectedError('the provider refuses');
      throw nothingSaid(error);
    }
  }

  /** Kills the process, as some messages do. */
  async function poisonIf(job: Job): Promise<void> {
    if (!traffic.isPoison(job.key)) return;
    await otherWork().catch(() => undefined);
    lambda.kill(sandbox, `by ${job.key}`);
    await new Promise(() => {});
  }

  async function plainly(job: Job, signal?: AbortSignal): Promise<string> {
    const result = await askProvider(job, 'effect', job.effectKey, signal);
    if (worksAfter) await otherWork();
    return result;
  }

  /** An effect under way while something else is waited for. */
  async function beside(job: Job, claim: Claim, run: JobRun): Promise<string> {
    const sending = run.follow(
      'effect',
      claim.effect(() => askProvider(job, 'effect', claim.effectKey, claim.signal)),
    );
    if (arrangement === 'sequence') {
      const result = await sending;
      await audit();
      return result;
    }
    if (arrangement === 'caught') await audit().catch(() => undefined);
    else await audit();
    if (arrangement === 'unawaited') return 'sent';
    return sending;
  }

  function stepOptions(index: number): StepOptions {
    const policy = scenario.steps[index] ?? 'park';
    if (policy !== 'ask') return { onAbandoned: policy };
    const ask = async ({ effectKey }: { readonly effectKey: string }): Promise<Verdict> => {
      const applied = await provider.lookUp(sandbox, effectKey);
      if (applied === undefined) return { verdict: 'inconclusive' };
      return applied ? { verdict: 'applied', result: `done-${effectKey}` } : { verdict: 'not-applied' };
    };
    return { onAbandoned: reconcile({ ask, settleMs: settleMsOf(simulation) }) };
  }

  async function inSteps(job: Job, claim: Claim, run: JobRun): Promise<string> {
    const { remote } = effectsOfJob(scenario);
    const one = (name: string, index: number) =>
      run.follow(
        name,
        step(
          claim,
          name,
          async (its) => returned(await askProvider(job, name, its.effectKey, its.signal), 95_000),
          stepOptions(index),
        ),
      );
    switch (arrangement) {
      case 'sequence':
        for (const [index, name] of remote.entries()) {
          await one(name, index);
          if (index === 0) await audit();
        }
        break;
      case 'caught':
        for (const [index, name] of remote.entries()) await one(name, index).catch(() => undefined);
        break;
      default: {
        const all = remote.map(one);
        await audit();
        if (arrangement === 'parallel') await Promise.all(all);
      }
    }
    if (worksAfter) await audit();
    return returned('done', 290_000);
  }

  /** A write that can be counted, and one that may refuse. */
  function writesOf({ key, payload }: Job, write: string): AppWrite[] {
    const TableName = 'app';
    const count: AppWrite = {
      Update: {
        TableName,
        Key: { id: counterId(key, payload, write) },
        UpdateExpression: 'ADD #times :one',
        ExpressionAttributeNames: { '#times': 'times' },
        ExpressionAttributeValues: { ':one': 1 },
      },
    };
    const check: AppWrite = {
      ConditionCheck: { TableName, Key: { id: blockId(key) }, ConditionExpression: 'attribute_not_exists(id)' },
    };
    return random.chance(0.5) ? [count, check] : [check, count];
  }

  function refusal(refused: CommitRefusedError): Error {
    return refusalIsFinal ? new RejectedError('the account is closed') : refused;
  }

  /** The same as statements. */
  async function runStatements({ key, payload }: Job, write: string, tx: PostgresClient): Promise<void> {
    const count = () => tx.query(countStatement, [counterId(key, payload, write)]);
    const check = () => tx.query(checkStatement, [key]);
    for (const statement of random.chance(0.5) ? [count, check] : [check, count]) await statement();
  }

  function commitPart(job: Job, claim: Claim, name: string): Promise<void> {
    if (scenario.database !== 'postgres') {
      return commitStep(claim, name, async () => {
        if (worksBefore) await otherWork();
        return writesOf(job, name);
      });
    }
    return commitSqlStep(claim, name, async (tx: PostgresClient) => {
      if (worksBefore) await otherWork();
      await runStatements(job, name, tx);
    });
  }

  function commitRecord(job: Job, claim: Claim): Promise<void> {
    if (scenario.database !== 'postgres') return commit(claim, writesOf(job, 'record'), { result: 'done' });
    return commitSql(claim, (tx: PostgresClient) => runStatements(job, 'record', tx), { result: 'done' });
  }

  async function inCommits(job: Job, claim: Claim, run: JobRun): Promise<string> {
    try {
      const reserving = run.follow('reserve', commitPart(job, claim, 'reserve'));
      if (arrangement === 'sequence' || arrangement === 'caught') await reserving;
      await audit();
      await reserving;
      await run.follow('record', commitRecord(job, claim));
    } catch (error) {
      if ((error as Error | undefined)?.name === 'CommitRefusedError') throw refusal(error as CommitRefusedError);
      throw error;
    }
    if (worksAfter) await otherWork();
    return 'done';
  }

  interface InPhases {
    readonly job: Job;
    readonly run: JobRun;
  }
  const between: Pick<Parameters<typeof inPhases<InPhases, string>>[0], 'execute' | 'onAbandoned' | 'onRefused'> = {
    execute: async ({ job, run }, its) => {
      if (worksBefore) await otherWork();
      return run.follow('execute', askProvider(job, 'execute', its.effectKey, its.signal));
    },
    onAbandoned: stepOptions(0).onAbandoned,
    onRefused: refusal,
  };
  const phased =
    scenario.database === 'postgres'
      ? inSqlPhases<InPhases, string>({
          ...between,
          prepare: ({ job }, tx) => runStatements(job, 'prepare', tx),
          async record({ job }, _, tx) {
            if (worksAfter) await otherWork();
            await runStatements(job, 'record', tx);
          },
        })
      : inPhases<InPhases, string>({
          ...between,
          prepare: ({ job }) => writesOf(job, 'prepare'),
          async record({ job }) {
            if (worksAfter) await otherWork();
            return writesOf(job, 'record');
          },
        });

  function shaped(job: Job, claim: Claim, run: JobRun): Promise<string> {
    switch (shape) {
      case 'steps':
        return inSteps(job, claim, run);
      case 'phases':
        return phased({ job, run }, claim);
      case 'commits':
        return inCommits(job, claim, run);
      case 'beside':
        return beside(job, claim, run);
      default:
        return run.follow('effect', plainly({ ...job, effectKey: claim.effectKey }, claim.signal));
    }
  }

  /** A handler under a claim. */
  async function handle(job: Job, claim: Claim): Promise<string> {
    const run = oracle.jobStarted(sandbox, job);
    let returned = false;
    try {
      await poisonIf(job);
      if (worksBefore) await otherWork();
      const result = await shaped(job, claim, run);
      returned = true;
      return result;
    } finally {
      run.end(returned);
    }
  }

  return { handle, plainly, poisonIf, otherWork, writesOf, runStatements, refusal };
}
