import type { AtConstruct } from './app/constructs.ts';
import type { StubInvoke } from './lambda/stub.ts';

/** What of an app exists on this machine, as its templates describe it. */

/** A part, and the stack that it is in. */
export interface InStack extends AtConstruct {
  readonly stack: string;
}

export interface ProvisionedTable extends InStack {
  readonly name: string;
  /** The ARN of its stream as DynamoDB Local has it; `undefined` if it has no stream. */
  readonly streamArn: string | undefined;
  /** The attributes that are its key. */
  readonly keys: readonly string[];
  /** The attribute that says when an item expires, in epoch seconds; `undefined` if items do not expire. */
  readonly ttlAttribute: string | undefined;
}

export interface ProvisionedQueue extends InStack {
  readonly name: string;
  readonly url: string;
  readonly arn: string;
  /** The ARN of the queue that takes what was received too often. */
  readonly deadLetterArn: string | undefined;
  /** How often it may be received before that. */
  readonly maxReceiveCount: number | undefined;
  readonly visibilitySeconds: number;
  /** For how long it keeps a message. */
  readonly retentionSeconds: number;
}

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

interface ProvisionedMapping extends InStack, FunctionReference {
  readonly enabled: boolean;
  readonly batchSize: number;
  readonly windowMs: number;
  readonly reportsBatchItemFailures: boolean;
  /** Patterns as EventBridge has them. What matches none is not for the function. Empty: everything matches. */
  readonly filters: readonly Readonly<Record<string, unknown>>[];
}

export interface ProvisionedEventSource extends ProvisionedMapping {
  readonly queue: ProvisionedQueue;
  readonly maximumConcurrency: number | undefined;
}

export interface ProvisionedStreamMapping extends ProvisionedMapping {
  readonly table: ProvisionedTable;
  readonly fromStart: boolean;
  readonly bisects: boolean;
  /** `undefined`: until the record is gone from the stream. */
  readonly maximumRetries: number | undefined;
  readonly maximumAgeMs: number | undefined;
  /** The ARN of what is told of records that were given up: a queue or a topic. */
  readonly onFailure: string | undefined;
}

/** One route of an API, and the function behind it; without one, what a request gets is a failure. */
export interface ProvisionedRoute {
  /** As API Gateway has it: `POST /invoices/{id}`, `ANY /files/{proxy+}`, or `$default`. */
  readonly key: string;
  readonly target: FunctionReference | undefined;
  readonly timeoutMs: number;
  readonly payload: '1.0' | '2.0';
}

export interface ProvisionedApi extends InStack {
  readonly kind: 'http' | 'rest' | 'function-url';
  readonly name: string;
  /** What the template calls its address: it is replaced by the address of its server. */
  readonly host: string;
  readonly routes: readonly ProvisionedRoute[];
  /** The stages that may come first in a path. */
  readonly stages: readonly string[];
  /** The media types that a REST API hands over in base64. */
  readonly binary: readonly string[];
}
