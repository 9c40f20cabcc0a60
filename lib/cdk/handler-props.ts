import type { Duration } from 'aws-cdk-lib';
import type { NamesOf } from 'pawl/deployment';

/** What the options of the handler are, in code that no template shows: the rules compare them with the settings of queue and function. */
export interface ConsumerHandlerProps {
  /**
   * The `operation` of the handler's options. No other function may use the same operation on this table, unless both set
   * `sharedOperation`. Its claims get metrics and alarms. They need `metricEvents()` of `pawl/observe` in the handler's `onEvent`.
   *
   * @default - no metrics and no alarms on claims; the alarms on the queues are made all the same
   */
  readonly operation?: string;

  /**
   * The `namespace` that the handler gives to `metricEvents`.
   *
   * @default 'pawl'
   */
  readonly metricsNamespace?: string;

  /**
   * The longest lease that the handler takes, when it sets one. It must not be longer than the visibility timeout.
   *
   * @default - the invocation's remaining time, as the handler's own default
   */
  readonly lease?: Duration;

  /**
   * The `retentionSeconds` of the handler's options. Claims must outlast every redelivery, so it must not be shorter than the
   * retention of the queue and of the dead-letter queue together.
   *
   * @default Duration.days(30), as the handler's own default
   */
  readonly claimRetention?: Duration;

  /**
   * The `onInFlight` of the handler's options. A consumer that defers duplicates needs a `maxReceiveCount` of 5 or more.
   *
   * @default 'defer', as the handler's own default
   */
  readonly onInFlight?: 'defer' | 'discard';

  /**
   * The `concurrency` of the handler's options: how many messages of a batch it works on at once. With `handlerTimeout` it says how many
   * messages have their turn in one invocation, and so how many receives the remaining messages need.
   *
   * @default 25, as the handler's own default
   */
  readonly concurrency?: number;

  /**
   * The `timeoutMs` of the handler's options: the longest that one message takes. It must be shorter than `timeout` by more than a second.
   *
   * @default - not known; a message is then taken to need the whole invocation where `concurrency` is given, and a batch to fit into one otherwise
   */
  readonly handlerTimeout?: Duration;

  /**
   * The `maxAttempts` of the handler's options: after how many attempts a message that keeps failing is parked. It must
   * cover the times that a message is tried while it waits for locks.
   *
   * @default 20, as the handler's own default
   */
  readonly maxAttempts?: number;

  /**
   * The `leaseMs` of the handler's locks, where it uses `pawl/locks`. Each look at a lock of another request costs a receive, and its lease
   * says how often a message looks.
   *
   * @default - none; 1 minute, as the locks' own default, when the function was given `grantLocks`
   */
  readonly lockLease?: Duration;

  /**
   * How many attempts of other requests over the same resources may be ahead of a message, where the handler locks.
   *
   * @default 1
   */
  readonly lockAttempts?: number;

  /**
   * Whether another `Consumer` has the same `operation` on the same table on purpose, with another function: the same effect by two
   * functions, as while a new one takes over from an old one. A key that one of them has completed is then complete for the other. Set it on both.
   *
   * @default false
   */
  readonly sharedOperation?: boolean;
}

export const handlerPropNames = {
  operation: true,
  metricsNamespace: true,
  lease: true,
  claimRetention: true,
  onInFlight: true,
  concurrency: true,
  handlerTimeout: true,
  maxAttempts: true,
  lockLease: true,
  lockAttempts: true,
  sharedOperation: true,
} as const satisfies NamesOf<ConsumerHandlerProps>;
