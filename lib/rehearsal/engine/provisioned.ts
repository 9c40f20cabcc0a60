import type { Synthesized } from './app/assembly.ts';
import type { InStack } from './app/constructs.ts';
import type { References } from './app/references.ts';
import type { StubInvoke } from './lambda/stub.ts';
import type { NotRun, Stub } from './not-run.ts';
import type { Part } from './parts.ts';

/** What of an app exists on this machine, as its templates describe it. */

export interface ProvisionedFunction extends InStack {
  readonly name: string;
  readonly arn: string;
  readonly code: FunctionCode;
  /** `file.export`, as Lambda has it. */
  readonly handler: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly memoryMb: number;
  /** 22 of the runtime `nodejs22.x`; `undefined` of one that is not for Node, and of the alias `nodejs`. */
  readonly node: number | undefined;
  /** How many sandboxes the template reserves for it, and therefore allows it; `undefined` if it reserves none. */
  readonly reservedConcurrency: number | undefined;
  /** What becomes of an event that it is given to handle by itself, without a caller that waits. */
  readonly asynchronous: AsynchronousInvocation;
  /** In place of its code. */
  readonly stub?: StubInvoke;
}

/** Where the code of a function is. */
export type FunctionCode =
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'zip'; readonly path: string }
  /** What the template itself says; its file is `index.js`. */
  | { readonly kind: 'inline'; readonly text: string };

export interface AsynchronousInvocation {
  /** How often a failed event is tried again. */
  readonly retries: number;
  /** How long an event may wait for its last try. */
  readonly maximumAgeMs: number;
  /** The ARN of what gets a record of the invocation that failed for good: a queue, a topic or a function. */
  readonly onFailure: string | undefined;
  readonly onSuccess: string | undefined;
  /** The ARN of the queue or the topic that gets the event itself. */
  readonly deadLetterArn: string | undefined;
}

/** A function as something refers to it: by an alias or a version, or without. */
export interface FunctionReference {
  readonly function: ProvisionedFunction;
  readonly qualifier: string | undefined;
}

export interface ProvisionOptions {
  /** What stands for parts of the app that are not run, by their constructs: `{ 'Billing/Machine': { ref: 'arn:…' } }`. */
  readonly stubs?: Readonly<Record<string, Stub>>;
  /** Values of the parameters of templates, in place of their defaults. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  /**
   * Changes what the stacks say before anything is made from them: shorter timeouts, for example.
   *
   * @default nothing is changed
   */
  readonly adjust?: (stacks: readonly Synthesized[], references: References) => readonly Synthesized[];
  /** Starts what serves an API, given what the template calls its address. @default the address stays as it is */
  readonly addressOf?: (host: string) => Promise<string>;
}

/** An app, as far as it exists on this machine. */
export interface Provisioned<P extends Part = Part> {
  /** The stacks, each with all its names. The first is its own. */
  readonly stacks: readonly { readonly name: string; readonly names: readonly string[] }[];
  /** What is there before anything runs. */
  readonly parts: readonly P[];
  readonly notRun: readonly NotRun[];
  /** All functions that run. */
  readonly functions: readonly ProvisionedFunction[];
  /** What stands in templates for the address of an API, and the address. */
  readonly hosts: ReadonlyMap<string, string>;
  /**
   * The function of an ARN, with or without a version or an alias; `undefined` if a rehearsal does not run it, or it is not in the app.
   */
  functionOf(arn: string): FunctionReference | undefined;
  /**
   * The function of a construct.
   *
   * @param stack only of this one
   * @throws Error if there is none, or a rehearsal does not run it
   */
  functionAt(construct: string, stack?: string): ProvisionedFunction;
}
