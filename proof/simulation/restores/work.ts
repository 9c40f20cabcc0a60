import type { Claim } from '../../../lib/pawl/engine/claim.ts';
import { once } from '../../../lib/pawl/engine/once.ts';
import { reconcile } from '../../../lib/pawl/engine/reconcile.ts';
import { type StepOptions, step } from '../../../lib/pawl/engine/step.ts';
import type { Verdict } from '../../../lib/pawl/rules/verdict.ts';
import {
  type AppWrite,
  commit,
  commitStep,
  inPhases,
  type TransactionalStore,
} from '../../../lib/pawl/transactions/index.ts';
import type { Sandbox } from '../lambda/sandbox.ts';
import { type Provider, settleMs } from './provider.ts';
import type { RestoreScenario, StepPolicy } from './scenario.ts';

export const operation = 'pay';

/** A part of a handler: what it does elsewhere, and what becomes of it in doubt. */
export interface Part {
  readonly name: string;
  readonly kind: 'remote' | 'committed';
  readonly policy: StepPolicy;
}

export function partsOf({ shape, steps: [first = 'park', ...rest] }: RestoreScenario): readonly Part[] {
  const remote = (name: string, policy: StepPolicy): Part => ({ name, kind: 'remote', policy });
  const committed = (name: string): Part => ({ name, kind: 'committed', policy: 'park' });
  switch (shape) {
    case 'plain':
      return [remote('effect', 'park')];
    case 'commits':
      return [committed('reserve'), committed('record')];
    case 'phases':
      return [committed('prepare'), remote('execute', first), committed('record')];
    default:
      return [first, ...rest].map((policy, index) => remote(`step-${index + 1}`, policy));
  }
}

/** The item that counts how often a commit was applied. No restore takes it back. */
export const counterId = (key: string, name: string) => `app#${key}/${name}`;

/** A consumer over a table, with a handler of the shape that the seed chose. */
export function createConsumer(
  scenario: RestoreScenario,
  provider: Provider,
  sandbox: Sandbox,
  store: TransactionalStore,
) {
  const { shape, policy, inParallel, timeoutMs } = scenario;
  const parts = partsOf(scenario);
  const endsAt = sandbox.clock() + timeoutMs;
  const verdictOf = (part: string): Verdict => ({ verdict: provider.times(part) > 0 ? 'applied' : 'not-applied' });
  const said = (part: string): Promise<Verdict> =>
    sandbox.call(({ resolve }) => {
      const verdict = verdictOf(part);
      sandbox.after(5, () => resolve(verdict));
    });

  const optionsOf = (key: string, part: Part): StepOptions => ({
    onAbandoned: part.policy === 'ask' ? reconcile({ ask: () => said(`${key}/${part.name}`), settleMs }) : part.policy,
  });
  const writesOf = (key: string, name: string): AppWrite[] => [
    {
      Update: {
        TableName: 'app',
        Key: { id: counterId(key, name) },
        UpdateExpression: 'ADD #times :one',
        ExpressionAttributeNames: { '#times': 'times' },
        ExpressionAttributeValues: { ':one': 1 },
      },
    },
  ];

  async function inSteps(key: string, claim: Claim): Promise<void> {
    const run = (part: Part) =>
      step(claim, part.name, () => provider.apply(sandbox, key, part.name), optionsOf(key, part));
    if (inParallel) await Promise.all(parts.map(run));
    else for (const part of parts) await run(part);
  }

  async function handle(key: string, claim: Claim): Promise<unknown> {
    switch (shape) {
      case 'plain':
        return provider.apply(sandbox, key, 'effect');
      case 'commits':
        await commitStep(claim, 'reserve', () => writesOf(key, 'reserve'));
        return commit(claim, writesOf(key, 'record'));
      case 'phases':
        return inPhases<string, string>({
          prepare: () => writesOf(key, 'prepare'),
          execute: () => provider.apply(sandbox, key, 'execute'),
          record: () => writesOf(key, 'record'),
          onAbandoned: optionsOf(key, parts[1] as Part).onAbandoned,
        })(key, claim);
      default:
        return inSteps(key, claim);
    }
  }

  const pay = once(
    {
      operation,
      store,
      host: sandbox.host,
      key: (key: string) => key,
      marginMs: 100,
      onAbandoned: policy === 'reconcile' ? reconcile({ ask: ({ key }) => said(`${key}/effect`), settleMs }) : policy,
      onEvent: () => undefined,
    },
    handle,
  );
  return (key: string) => pay.outcome(key, { remainingMs: () => endsAt - sandbox.clock() });
}
