import { someDay } from '../../../test/support/virtual-host.ts';
import { createRandom, type Random } from './random.ts';
import { createTimeline } from './timeline.ts';

/** Time and chance: all that happens in a simulation happens in here, one thing after the other. */
export interface World {
  /** Milliseconds since the simulation began, with fractions. */
  readonly time: number;
  readonly random: Random;
  /** Makes something happen after so many milliseconds. Answers a function that cancels it. */
  after(ms: number, run: () => void): () => void;
  /** Goes on until then, until nothing more is going to happen, or until `isOver` says so after something happened. */
  run(until: number, isOver?: () => boolean): Promise<void>;
  /** Writes something down: into the hash that tells two runs apart, and into the story if there is one. */
  note(who: string, what: string, about?: string): void;
  /** Everything that was noted, in 32 bits. */
  readonly hash: number;
  /** What was noted, for people; only kept when asked for. */
  readonly story: readonly string[] | undefined;
  /** How many things have happened. */
  readonly steps: number;
}

export interface WorldOptions {
  readonly seed: number;
  readonly keepsStory: boolean;
  /**
   * Lets Node's event loop turn once for everything that happens, as it does for real timers and answers, instead of only
   * running what has become ready. It makes no difference to what happens, and takes six times as long; only rejections
   * that nobody handles are seen as early as in production.
   */
  readonly turnsTheLoop: boolean;
}

/** Epoch milliseconds at which a world begins. */
export const worldBegins = someDay;

export function createWorld({ seed, keepsStory, turnsTheLoop }: WorldOptions): World {
  const random = createRandom(seed);
  const timeline = createTimeline();
  const story: string[] | undefined = keepsStory ? [] : undefined;
  let time = 0;
  let steps = 0;
  let hash = 0x811c9dc5;

  function mix(text: string): void {
    for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }

  function run(until: number, isOver?: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      // Asked for from within a microtask, the next tick comes when no microtask is left: everything has run that could.
      const whenQuiet = turnsTheLoop ? () => setImmediate(step) : () => process.nextTick(step);
      function step(): void {
        try {
          const event = isOver?.() ? undefined : timeline.next(until);
          if (event === undefined) {
            resolve();
            return;
          }
          time = event.at;
          steps++;
          event.run();
        } catch (error) {
          reject(error);
          return;
        }
        queueMicrotask(whenQuiet);
      }
      queueMicrotask(whenQuiet);
    });
  }

  return {
    get time() {
      return time;
    },
    get hash() {
      return hash >>> 0;
    },
    get steps() {
      return steps;
    },
    random,
    story,
    after: (ms, act) => timeline.add(time + Math.max(0, ms), act),
    run,
    note(who, what, about = '') {
      hash = Math.imul(hash ^ (time * 1000), 0x01000193);
      mix(who);
      mix(what);
      mix(about);
      story?.push(`${(time / 1000).toFixed(3).padStart(9)} s  ${who.padEnd(12)} ${what}${about && ` ${about}`}`);
    },
  };
}
