/**
 * What happened to one message, for the time-lines of the guarantee table: who did what, in which order, and when.
 *
 * Owns: the events of a story, and their reduction to what every run has in common. Does not own: how they are drawn (`site/time-lines/`).
 */

/** What a worker did, or what became of it. */
export type Act =
  /** Its request for a claim is on its way. */
  | 'asks'
  /** It has the claim. */
  | 'claims'
  /** It calls the provider for the effect. */
  | 'calls'
  /** The provider applies the effect. */
  | 'applies'
  /** Its request to complete the claim is on its way. */
  | 'records'
  | 'completes'
  | 'releases'
  | 'parks'
  | 'dead-letters'
  /** What the provider said, asked about an effect in doubt. `too early`: it is not believed yet. */
  | 'hears applied'
  | 'hears not applied'
  | 'hears too early'
  /** All is written; Lambda is about to learn it. */
  | 'responds'
  | 'dies';

interface Happening {
  /** Milliseconds since the first of the story. */
  readonly at: number;
  /** From 1, in the order in which they came. */
  readonly worker: number;
  readonly act: Act;
}

export type Story = readonly Happening[];

/** A story as it is kept in a file: a line for each happening, `1593 1 dies`. */
export function lines(story: Story): readonly string[] {
  return story.map(({ at, worker, act }) => `${at} ${worker} ${act}`);
}

/**
 * What every run of a story has in common: who does what, in which order. Left out are times, requests that the SDK repeats, responses that come after
 * the worker's time, and workers that only found that it is too early to believe the provider: how many there are depends on how long a cold start takes.
 */
export function inEveryRun(story: Story): readonly string[] {
  const byWorker = [...Map.groupBy(story, ({ worker }) => worker).values()].map((some) => some.map(({ act }) => act));
  return byWorker
    .filter((acts) => !acts.includes('hears too early'))
    .map((acts) =>
      acts.filter((act, index) => act !== acts[index - 1] && (act !== 'responds' || acts[index + 1] === 'dies')),
    )
    .filter((acts) => acts.length > 0)
    .map((acts) => acts.join(', '));
}

interface Noted {
  readonly at: number;
  readonly sandbox: string;
  readonly act: Act;
}

/** Notes what happens, message by message. */
export interface TimeLines {
  note(subject: string, sandbox: string | undefined, act: Act): void;
  storyOf(subject: string): Story;
}

export function createTimeLines(now: () => number = Date.now): TimeLines {
  const noted = new Map<string, Noted[]>();
  return {
    note(subject, sandbox, act) {
      const story = noted.get(subject) ?? [];
      noted.set(subject, story);
      // The log of a function does not say which sandbox wrote it. It is the one that acted last.
      story.push({ at: now(), sandbox: sandbox ?? story.at(-1)?.sandbox ?? '', act });
    },
    storyOf(subject) {
      const story = noted.get(subject) ?? [];
      const begin = story[0]?.at ?? 0;
      const invocations: string[] = [];
      return story.map(({ at, sandbox, act }) => {
        // A sandbox that asks anew works on another delivery.
        if (act === 'asks' || invocations.at(-1) !== sandbox) invocations.push(sandbox);
        return { at: at - begin, worker: invocations.length, act };
      });
    },
  };
}
