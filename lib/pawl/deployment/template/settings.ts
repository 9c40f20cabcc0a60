import { consumerDefaults } from '../consumer-defaults.ts';
import { isWorkflow } from '../needs.ts';
import { leastVisibilitySeconds, WiringError, wiringProblems } from '../wiring.ts';
import { handlerDefaults, leastReceives, mostReceives } from '../wiring-receives.ts';

/** What a team chooses about its consumer. Each value without a default follows from the others. */
export interface TemplateOptions {
  /** The name that every resource is named after, such as `send-email`. @default 'orders' */
  readonly name?: string | undefined;
  /** @default false */
  readonly fifo?: boolean | undefined;
  /** @default 30 */
  readonly timeoutSeconds?: number | undefined;
  readonly visibilityTimeoutSeconds?: number | undefined;
  /** @default 10 */
  readonly batchSize?: number | undefined;
  /** @default 0 */
  readonly maxBatchingWindowSeconds?: number | undefined;
  readonly maxConcurrency?: number | undefined;
  /** @default 4 days */
  readonly retentionSeconds?: number | undefined;
  readonly maxReceiveCount?: number | undefined;
  /** The name of a table that exists. @default - the template has a table */
  readonly claimsTable?: string | undefined;
  /** Whether the handler uses `pawl/locks`. @default false */
  readonly locks?: boolean | undefined;
  /** The ARN of what the handler starts: a state machine, or an alias or a version of a durable function. @default - it starts nothing */
  readonly workflow?: string | undefined;
  /** `retentionSeconds` of the handler. @default 30 days */
  readonly claimRetentionSeconds?: number | undefined;
  /** `timeoutMs` of the handler, in seconds. */
  readonly handlerTimeoutSeconds?: number | undefined;
  readonly concurrency?: number | undefined;
  readonly maxAttempts?: number | undefined;
  /** `leaseMs` of the handler's locks, in seconds. @default - with `locks`: 60 */
  readonly lockLeaseSeconds?: number | undefined;
  readonly lockAttempts?: number | undefined;
}

/** Every number that a template prints. */
export interface Settings {
  readonly name: string;
  readonly fifo: boolean;
  readonly timeoutSeconds: number;
  readonly visibilityTimeoutSeconds: number;
  readonly batchSize: number;
  readonly maxBatchingWindowSeconds: number;
  readonly maxConcurrency: number | undefined;
  readonly retentionSeconds: number;
  readonly deadLetterRetentionSeconds: number;
  readonly maxReceiveCount: number;
  /** Undefined: the template has a table of its own. */
  readonly claimsTable: string | undefined;
  readonly locks: boolean;
  readonly workflow: string | undefined;
}

/** Chooses the numbers by the rules that the constructs use. @throws {WiringError} when the options contradict each other */
export function settingsOf(options: TemplateOptions): Settings {
  const handling = {
    timeoutSeconds: options.timeoutSeconds ?? consumerDefaults.timeoutSeconds,
    batchSize: options.batchSize ?? consumerDefaults.batchSize,
    fifo: options.fifo ?? false,
    concurrency: options.concurrency,
    handlerTimeoutSeconds: options.handlerTimeoutSeconds,
    maxAttempts: options.maxAttempts,
    lockLeaseSeconds: options.lockLeaseSeconds ?? (options.locks ? handlerDefaults.lockLeaseSeconds : undefined),
    lockAttempts: options.lockAttempts,
  };
  const maxBatchingWindowSeconds = options.maxBatchingWindowSeconds ?? 0;
  const settings: Settings = {
    name: options.name ?? 'orders',
    fifo: handling.fifo,
    timeoutSeconds: handling.timeoutSeconds,
    batchSize: handling.batchSize,
    maxBatchingWindowSeconds,
    maxConcurrency: options.maxConcurrency,
    visibilityTimeoutSeconds:
      options.visibilityTimeoutSeconds ?? leastVisibilitySeconds(handling.timeoutSeconds, maxBatchingWindowSeconds),
    retentionSeconds: options.retentionSeconds ?? consumerDefaults.retentionSeconds,
    deadLetterRetentionSeconds: consumerDefaults.deadLetterRetentionSeconds,
    maxReceiveCount: options.maxReceiveCount ?? Math.min(mostReceives, leastReceives(handling).all),
    claimsTable: options.claimsTable,
    locks: options.locks === true || options.lockLeaseSeconds !== undefined,
    workflow: options.workflow,
  };
  const problems = wiringProblems({
    ...handling,
    ...settings,
    claimRetentionSeconds: options.claimRetentionSeconds ?? consumerDefaults.claimRetentionSeconds,
  });
  if (options.workflow !== undefined && !isWorkflow(options.workflow)) {
    const expected = 'the ARN of a state machine, or of an alias or a version of a durable function';
    throw new WiringError(`The consumer '${settings.name}'`, [
      `workflow: expected ${expected}; got ${options.workflow}.`,
    ]);
  }
  const refusals = problems.filter(({ level }) => level === 'problem').map(({ text }) => text);
  if (refusals.length > 0) throw new WiringError(`The consumer '${settings.name}'`, refusals);
  return settings;
}
