import type { Sandbox } from '../lambda/sandbox.ts';
import type { Intent, Job, Oracle } from '../parts.ts';

/** One time that a handler runs. */
export interface JobRun {
  /** Hears what becomes of a part of it, and returns the very same promise. */
  follow<T>(part: string, started: Promise<T>): Promise<T>;
  end(returned: boolean): void;
}

/** What an operator has seen, and is about to say. */
export interface Deciding {
  readonly operator: string;
  /** The fence of the record that it looked at. */
  readonly fence: number;
  /** Whether it says that fence. */
  readonly namesFence: boolean;
  /** The parts of the job that may be applied once more. */
  readonly again: readonly string[];
}

/** Sees everything, and is asked by nobody; but for what an operator can find out. */
export interface DoorsOracle extends Oracle {
  jobStarted(sandbox: Sandbox, job: Job): JobRun;
  /** Its handler has been called, as far as it has one. */
  hasRun(key: string): void;
  /** Whether an attempt may still apply something. */
  mayStillAct(key: string): boolean;
  /** An operator decides about a key: until it is told what came of that. */
  decides(key: string, deciding: Deciding | undefined): void;
  /** The provider is asked about a key without its message. What it says is no more than a look-up, whatever the policy of the consumer. */
  asksAbout(key: string): void;
  /** Whether all effects of an intent have happened. */
  hasHappened(intent: Intent): boolean;
  /** A client was told that its request is done. */
  toldDone(intent: Intent): void;
  /** What the last holder of a key would be blamed for: nothing ever ran, and nothing went wrong. */
  wasSetAside(key: string): boolean;
}
