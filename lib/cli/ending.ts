/**
 * How a command ends before its end: by Ctrl-C, because the system ends it, or because the reader of its output is gone.
 *
 * Owns: the signals, and what is said and returned then. Does not own: what an act does about it, which is to begin nothing new, to finish what is under
 * way, and to give back what it holds.
 *
 * 1. While a command only reads, it ends at once. During an act, the act ends first.
 * 2. What an act has done is said, also where the act failed: on the standard error, because the other one may be closed.
 * 3. A second signal ends at once, and says what is left. A closed output is no second signal: `pawl … | head` closes both.
 */

export type EndReason = 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'closed';

/** As a shell reports a process that a signal has ended: 128 and the number of the signal. That of a closed pipe is 13. */
const exitCodes: Readonly<Record<EndReason, number>> = { SIGHUP: 129, SIGINT: 130, closed: 141, SIGTERM: 143 };

const words: Readonly<Record<EndReason, string>> = {
  SIGINT: 'Ctrl-C was pressed',
  SIGTERM: 'the system ended it',
  SIGHUP: 'the terminal was closed',
  closed: 'the reader of its output is gone',
};

/** The command ends before its end. */
export class Stopped extends Error {
  override readonly name = 'Stopped';
}

/** What an act says of itself, at any moment. */
interface ActWords {
  /** What it has done so far; `undefined` while that is nothing. */
  readonly done?: () => string | undefined;
  /** What it leaves if the process ends at this moment. */
  readonly left?: () => string | undefined;
  /** It serves until a signal, which is its end: no reason to stop what comes next, or for another exit code. */
  readonly serves?: true;
}

export interface Ending {
  /** Aborted when the command is to end. */
  readonly signal: AbortSignal;
  /**
   * Something that must not end in its middle: it changes claims or queues, or holds messages.
   *
   * @param act gets the signal: once it is aborted, the act begins nothing new
   * @throws Stopped after an act whose command is to end; the act's error
   */
  during<T>(said: ActWords, act: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

export interface EndingOptions {
  /** Writes a line for the operator. */
  readonly say: (text: string) => void;
  /** Ends the process at once. */
  readonly exit: (code: number) => void;
}

/** The ending of one command, and how its process drives it. */
export interface DrivenEnding extends Ending {
  end(why: EndReason): void;
  /** The command has failed: says what its acts have done. */
  failed(): void;
  /** The command has returned. @returns the exit code */
  settle(code: number): number;
}

export function createEnding({ say, exit }: EndingOptions): DrivenEnding {
  const controller = new AbortController();
  const underWay = new Set<ActWords>();
  /** What the acts that have ended came to. */
  const done: string[] = [];
  let why: EndReason | undefined;
  let served = false;

  const soFar = () => {
    const all = [...done, ...Array.from(underWay, (act) => act.done?.())].filter((text) => text !== undefined);
    return all.length === 0 ? 'Nothing was changed.' : all.join(' ');
  };

  return {
    signal: controller.signal,
    async during(said, act) {
      controller.signal.throwIfAborted();
      underWay.add(said);
      try {
        return await act(controller.signal);
      } finally {
        underWay.delete(said);
        const text = said.done?.();
        if (text !== undefined) done.push(text);
        if (said.serves) served = true;
        // Also after an act that has ended well: what would come next does not begin.
        else controller.signal.throwIfAborted();
      }
    },
    end(reason) {
      if (why !== undefined) {
        if (reason === 'closed') return;
        const left = Array.from(underWay, (act) => act.left?.()).filter((text) => text !== undefined);
        say(['Ended in the middle.', soFar(), ...left].join(' '));
        exit(exitCodes[reason]);
        return;
      }
      why = reason;
      controller.abort(new Stopped(`Stopped: ${words[reason]}.`));
      if (underWay.size > 0) {
        const again = reason === 'closed' ? '' : ' A second Ctrl-C ends it in the middle.';
        say(`Stopping, because ${words[reason]}. What is under way is finished.${again}`);
        return;
      }
      say(`Stopped: ${words[reason]}. ${soFar()}`);
      exit(exitCodes[reason]);
    },
    failed() {
      if (done.length > 0) say(soFar());
    },
    settle(code) {
      if (why === undefined || (served && why !== 'closed')) return code;
      say(`Stopped: ${words[why]}. ${soFar()}`);
      return exitCodes[why];
    },
  };
}

/** Ends a command by what ends its process. */
export function endOnProcessSignals({ end }: Pick<DrivenEnding, 'end'>): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end(signal));
  // npm ends at a SIGTERM without handing it on, and would leave this process running.
  const { ppid } = process;
  if (process.env['npm_lifecycle_event'] === undefined) return;
  const watch = setInterval(() => {
    if (process.ppid === ppid) return;
    clearInterval(watch);
    end('SIGTERM');
  }, 500).unref();
}
