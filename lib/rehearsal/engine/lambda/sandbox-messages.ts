/* What a sandbox and the runtime in its process say to each other. */

/** A call on its way into a sandbox. The event is JSON: by reference, a handler could change the event of a later delivery. */
export interface Call {
  readonly kind: 'call';
  readonly requestId: string;
  readonly event: string;
  /** When the invocation ends, in epoch milliseconds. */
  readonly deadline: number;
  /** The alias or the version by which the function was invoked. */
  readonly qualifier?: string;
}

export type ToSandbox =
  | Call
  /** The invocation ends later than it was told. */
  | { readonly kind: 'extended'; readonly requestId: string; readonly deadline: number };

export type FromSandbox =
  | { readonly kind: 'ready' }
  /** Its code has no handler. */
  | { readonly kind: 'unloadable'; readonly why: string }
  /** It wanted to reach another machine. */
  | { readonly kind: 'refused'; readonly address: string }
  | { readonly kind: 'response'; readonly requestId: string; readonly value: string }
  | { readonly kind: 'error'; readonly requestId: string; readonly name: string; readonly message: string };
