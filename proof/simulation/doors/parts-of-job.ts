import type { DoorsScenario } from './scenario.ts';

/** The effects of one job: at a provider, or writes in the application's table. */
export interface Effects {
  readonly remote: readonly string[];
  readonly committed: readonly string[];
}

/** All that has to have happened once a job is done. */
export function effectsOfJob({ shape, steps, door }: Pick<DoorsScenario, 'shape' | 'steps' | 'door'>): Effects {
  switch (shape) {
    case 'steps':
      return { remote: steps.map((_, index) => `step-${index + 1}`), committed: [] };
    case 'phases':
      return { remote: ['execute'], committed: ['prepare', 'record'] };
    case 'commits':
      return { remote: [], committed: door === 'each-transaction' ? ['record'] : ['reserve', 'record'] };
    default:
      return { remote: ['effect'], committed: [] };
  }
}

/** The item of the application's that counts how often a write of a job was applied. */
export const counterId = (key: string, payload: string, write: string) => `app#${key}#${payload}#${write}`;
/** An item that is there keeps the commits of its key from being applied. */
export const blockId = (key: string) => `block#${key}`;
