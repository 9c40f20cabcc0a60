import { fairly } from './fairness.ts';
import { fold } from './fold.ts';
import { movesOf } from './moves.ts';
import { Broken, checkEnd } from './promises.ts';
import { storyOf } from './story.ts';
import { growingList, visitedStates } from './visited.ts';
import { beginning, type Model, type Trail, type World } from './world.ts';

export interface Found {
  /** All states within the bounds were met. */
  readonly exhausted: boolean;
  readonly states: number;
  readonly transitions: number;
  /** Of the shortest paths to the states, the longest. */
  readonly depth: number;
  /** The longest that it takes, once faults have stopped, until everything is done, dead-lettered or parked; in units of time. */
  readonly slowestEnd: number;
  readonly violation?: { readonly promise: string; readonly story: string };
}

export interface Watching {
  /** Hears of every step of a worker that led to a new state. */
  readonly met?: ((trail: Trail) => void) | undefined;
  /** Hears of every layer. */
  readonly progress?: ((states: number, depth: number) => void) | undefined;
  /** Where to give up. */
  readonly mostStates?: number | undefined;
}

/**
 * Meets every state that can come about, nearest first, so that the first broken promise comes with a shortest story.
 */
export function search(model: Model, { met, progress, mostStates = Infinity }: Watching = {}): Found {
  const visited = visitedStates();
  const parents = growingList();
  const choices = growingList();
  const fair = { from: growingList(), to: growingList(), ticks: growingList() };
  const ends = growingList();
  let transitions = 0;
  let depth = 0;

  function violation(state: number, choice: number | undefined, promise: string, what: string): Found {
    const path: number[] = choice === undefined ? [] : [choice];
    for (let at = state; at > 0; at = parents.values()[at] ?? 0) path.unshift(choices.values()[at] ?? 0);
    const story = storyOf(model, path, what);
    return {
      exhausted: false,
      states: visited.count,
      transitions,
      depth,
      slowestEnd: 0,
      violation: { promise, story },
    };
  }

  let layer: { readonly world: World; readonly state: number }[] = [{ world: beginning(model), state: 0 }];
  visited.add(fold(model, beginning(model)));
  parents.push(0);
  choices.push(0);
  while (layer.length > 0) {
    const next: typeof layer = [];
    for (const { world, state } of layer) {
      const moves = movesOf(model, world);
      for (const [choice, { go, fair: isFair }] of moves.entries()) {
        transitions++;
        let after: World;
        try {
          after = go();
        } catch (error) {
          if (error instanceof Broken) return violation(state, choice, error.promise, error.message);
          throw error;
        }
        const { state: reached, isNew } = visited.add(fold(model, after));
        if (isNew) {
          parents.push(state);
          choices.push(choice);
          next.push({ world: after, state: reached });
          if (met) for (const { trail } of after.workers) if (trail && !isKnown(world, trail)) met(trail);
        }
        if (isFair) {
          fair.from.push(state);
          fair.to.push(reached);
          fair.ticks.push(after.now - world.now);
        }
      }
      if (hasEnded(world)) {
        ends.push(state);
        try {
          checkEnd(model, world);
        } catch (error) {
          if (error instanceof Broken) return violation(state, undefined, error.promise, error.message);
          throw error;
        }
      }
    }
    if (next.length > 0) depth++;
    layer = next;
    progress?.(visited.count, depth);
    if (visited.count > mostStates)
      return { exhausted: false, states: visited.count, transitions, depth, slowestEnd: 0 };
  }

  const { stuck, slowest } = fairly(visited.count, fair, ends.values());
  if (stuck !== undefined) {
    return violation(
      stuck,
      undefined,
      'invariant 14',
      'from here not every way leads to an end, although nothing goes wrong',
    );
  }
  return { exhausted: true, states: visited.count, transitions, depth, slowestEnd: slowest };
}

function isKnown({ workers }: World, trail: Trail): boolean {
  return workers.some((worker) => worker.trail === trail);
}

function hasEnded({ messages, workers }: World): boolean {
  return workers.length === 0 && messages.every(({ status }) => status !== 'queued');
}
