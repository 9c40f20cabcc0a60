import type { InStack } from './app/constructs.ts';

/** A part of the app that a rehearsal does not run. */
export interface NotRun {
  /** The name of the stack; empty for the app as a whole. */
  readonly stack: string;
  /** The path of the construct in the app: `Billing/Invoices/Function`. */
  readonly construct: string;
  /** The type in CloudFormation: `AWS::StepFunctions::StateMachine`. */
  readonly type: string;
  /** The property that a rehearsal does not act on: `ScalingConfig.MinimumPollers`; without it, the whole resource is not run. */
  readonly property?: string;
  /** One sentence: what a rehearsal does instead. */
  readonly why: string;
  /** Whether `stubs` stands for it. */
  readonly stubbed?: true;
}

/** What stands for a part of the app that a rehearsal does not run. */
export interface Stub {
  /** What `Ref` gives, such as an ARN or the name of a host. @default a made-up name */
  readonly ref?: string;
  /** What `Fn::GetAtt` gives, by the attribute's name. */
  readonly attributes?: Readonly<Record<string, string>>;
  /** In place of a function: what an invocation returns. What it throws is the error of the invocation. */
  readonly handler?: (event: unknown) => unknown;
  /**
   * In place of a function: a program that is started for each invocation, and its arguments. It has the environment of the function, the event on its
   * standard input, and its standard output is the response, as JSON. If it ends with another code than 0, the invocation fails.
   */
  readonly command?: readonly [program: string, ...args: string[]];
  /** In place of a function: where each event is posted, as JSON. The body of the response is what the invocation returns; from 400 on, it fails. */
  readonly url?: string;
}

/** Thrown when a rehearsal would run an app in another way than AWS does, and would come to a wrong verdict. */
export class RefusedAppError extends Error {
  override readonly name = 'RefusedAppError';
  readonly refused: readonly NotRun[];

  constructor(refused: readonly NotRun[]) {
    super(`A rehearsal of this app would come to a wrong verdict:\n${refused.map(sentence).join('\n')}`);
    this.refused = refused;
  }
}

function sentence({ construct, type, property, why }: NotRun): string {
  return `  ${construct} (${type})${property === undefined ? '' : `, ${property}`}: ${why}`;
}

/** The parts of an app that are not run, while the app is read. */
export interface Findings {
  readonly listed: NotRun[];
  readonly refused: NotRun[];
}

/** A resource that something is found out about. */
export interface FoundAt extends InStack {
  readonly type: string;
}

export function notRunAt({ stack, construct, type }: FoundAt, why: string, property?: string): NotRun {
  return { stack, construct, type, ...(property === undefined ? {} : { property }), why };
}
