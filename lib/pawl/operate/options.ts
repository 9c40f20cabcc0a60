import type { Aws } from '../aws/aws.ts';
import type { Host } from '../kernel/host.ts';
import type { KeyHash } from '../kernel/key-hash.ts';
import type { NamesOf } from '../kernel/unknown-option.ts';
import type { ListsOpenClaims } from '../rules/open-claims.ts';
import type { ClaimStore } from '../rules/store.ts';
import type { OperateEvent } from './events.ts';

/**
 * The options of `operator`.
 *
 * @example
 * const options: OperatorOptions = {
 *   store,
 *   onEvent: (event) => console.log(JSON.stringify(event)),
 * };
 */
export interface OperatorOptions {
  /** The store of the consumers: `dynamoStore({ tableName })`. To list open claims, it must be able to `listOpen`. */
  readonly store: ClaimStore & Partial<ListsOpenClaims>;
  /**
   * The way to AWS, for dead letters and redrives, where that of the store is none or another one is meant: `sdk({ … })` or `lean({ … })`.
   * @default that of the store
   */
  readonly aws?: Aws;
  /**
   * How long a resolution is remembered, in seconds. When it is forgotten, a later message with the key runs. So set no less than the consumers set.
   * @default 'forever': an operator of many consumers does not know what each of them sets
   */
  readonly retentionSeconds?: number | 'forever';
  /**
   * How the keys of the operation are hidden, so that claims are found by the keys as they are: `hashed(secret)`, as the consumers have it.
   * @default they are not: the hash of a hidden key is its name
   */
  readonly hideKeys?: KeyHash;
  /**
   * The audit trail: every act of this operator, after it has happened. What a listener throws is ignored.
   * @default one line of JSON to `console.warn`
   */
  readonly onEvent?: (event: OperateEvent) => void;
  /**
   * Time, chance and identity. Only tests set it.
   * @default those of Node
   */
  readonly host?: Host;
}

/**
 * How an act on many claims or messages is carried out.
 *
 * @example
 * const ending = new AbortController();
 * process.once('SIGINT', () => ending.abort());
 * const acting: ActOptions = { signal: ending.signal };
 * const claims = [{ operation: 'send-email', key: 'order-17' }];
 * const plan = await operate.planResolutions({ claims, verdict: 'retry', by: 'maria', note: 'twice is better than never' });
 * for await (const { id, outcome } of operate.resolveAll(plan, acting)) console.log(id, outcome);
 */
export interface ActOptions {
  /**
   * Ends the act early. Nothing begins after it is aborted. What has begun ends, and has its result; messages that are hidden become visible again; what
   * has not begun has no result.
   * @default the act goes on to its end
   */
  readonly signal?: AbortSignal | undefined;
}

/** The names of `ActOptions`. */
export const knownOfActs = { signal: true } as const satisfies NamesOf<ActOptions>;

/** The operator who acts, and why. */
export interface ActedBy {
  /** The name of the person or the job. */
  readonly by: string;
  /** Why, in at most 2,000 characters. */
  readonly note: string;
}
