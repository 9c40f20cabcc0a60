import { PowertoolsFunctions } from '@aws-lambda-powertools/jmespath/functions';
import type { JMESPathParsingOptions } from '@aws-lambda-powertools/jmespath/types';
import { expect, expectFunction } from '../kernel/check.ts';
import { OptionError } from '../kernel/errors.ts';
import { expectOptions } from '../kernel/take-options.ts';
import type { NamesOf } from '../kernel/unknown-option.ts';
import { warnOnce } from '../kernel/warn-once.ts';
import type { JSONValue } from './json.ts';
import type { IdempotencyRecord } from './record.ts';

/** The page that says what this entry takes, and what it refuses. */
export const page = 'docs/guides/powertools.md';

/** Of Lambda's context, what matters here: when the invocation ends. */
export interface RemainingTime {
  getRemainingTimeInMillis(): number;
}

/** Called where a duplicate gets the recorded response, with a copy of its own. What it returns is the response of that duplicate. */
export type ResponseHook = (response: JSONValue, record: IdempotencyRecord) => JSONValue;

/**
 * The options of `IdempotencyConfig`, by Powertools' names.
 *
 * @example
 * const options: IdempotencyConfigOptions = {
 *   eventKeyJmesPath: 'powertools_json(body).orderId',
 *   expiresAfterSeconds: 30 * 24 * 3600,
 * };
 */
export interface IdempotencyConfigOptions {
  /**
   * What of the payload is its key, in JMESPath. `powertools_json` and the other functions of Powertools are there.
   * @default the whole payload
   */
  readonly eventKeyJmesPath?: string;
  /**
   * What of the payload must be the same in each call with one key, in JMESPath.
   * @default nothing is compared
   */
  readonly payloadValidationJmesPath?: string;
  /**
   * Functions of your own for JMESPath: an instance of a class that extends `Functions` of `@aws-lambda-powertools/jmespath/functions`.
   * @default Powertools' functions
   */
  readonly jmesPathOptions?: NonNullable<JMESPathParsingOptions['customFunctions']>;
  /**
   * Whether a payload without a key is refused. With `false`, and an `eventKeyJmesPath`, it runs unprotected: its effect may happen twice.
   * @default true: in Powertools, the default is `false`
   */
  readonly throwOnNoIdempotencyKey?: boolean;
  /**
   * How long a completed call is remembered, in seconds; at least 60. It must outlast every redelivery.
   * @default 3600
   */
  readonly expiresAfterSeconds?: number;
  /**
   * Powertools' cache in the process: only `false` is taken. `rememberCompleted(store)` of pawl is such a cache, and never says "done" of what is not.
   * @default false
   */
  readonly useLocalCache?: false;
  /**
   * Refused, as `useLocalCache: true` is.
   * @default none
   */
  readonly maxLocalCacheSize?: undefined;
  /**
   * With which function Powertools hashes its keys.
   * @default 'md5'
   */
  readonly hashFunction?: string;
  /**
   * The context of the invocation. It is another one in each: `registerLambdaContext` is for that.
   * @default none: a claim has a lease of a minute, which is renewed while the function runs
   */
  readonly lambdaContext?: RemainingTime;
  /**
   * Called where a duplicate gets the recorded response.
   * @default the duplicate gets the response as it was recorded
   */
  readonly responseHook?: ResponseHook;
}

const known = {
  eventKeyJmesPath: true,
  payloadValidationJmesPath: true,
  jmesPathOptions: true,
  throwOnNoIdempotencyKey: true,
  expiresAfterSeconds: true,
  useLocalCache: true,
  maxLocalCacheSize: true,
  hashFunction: true,
  lambdaContext: true,
  responseHook: true,
} as const satisfies NamesOf<IdempotencyConfigOptions>;

/**
 * How calls are told apart, compared and remembered, with the call shape of Powertools' class.
 *
 * @throws OptionError for an option that it does not take
 * @example
 * import type { Context } from 'aws-lambda';
 *
 * const config = new IdempotencyConfig({ eventKeyJmesPath: 'orderId' });
 * export const handler = async (order: Order, context: Context) => {
 *   config.registerLambdaContext(context); // the lease then ends with the invocation
 * };
 */
export class IdempotencyConfig {
  readonly eventKeyJmesPath: string;
  readonly payloadValidationJmesPath: string | undefined;
  readonly jmesPathOptions: JMESPathParsingOptions;
  readonly throwOnNoIdempotencyKey: boolean;
  readonly expiresAfterSeconds: number;
  readonly hashFunction: string;
  readonly responseHook: ResponseHook | undefined;
  lambdaContext: RemainingTime | undefined;

  constructor(options: IdempotencyConfigOptions) {
    expectOptions(options, { door: 'IdempotencyConfig', known, docs: page });
    const { useLocalCache = false, maxLocalCacheSize, responseHook, expiresAfterSeconds = 3600 } = options;
    const isTime = Number.isSafeInteger(expiresAfterSeconds) && expiresAfterSeconds >= 60;
    expect(isTime, 'expiresAfterSeconds', 'a whole number of seconds, at least 60', expiresAfterSeconds);
    if (useLocalCache || maxLocalCacheSize !== undefined) {
      refuse(
        "useLocalCache: pawl's own cache is a store. Leave it out, and give the persistence layer store: rememberCompleted(dynamoStore({ tableName: process.env.CLAIMS_TABLE })), of pawl and of pawl/dynamodb",
      );
    }
    if (responseHook !== undefined) {
      expectFunction('responseHook', 'a function of the response and its record', responseHook, 'wrong-handler');
    }
    this.eventKeyJmesPath = expression('eventKeyJmesPath', options.eventKeyJmesPath) ?? '';
    this.payloadValidationJmesPath = expression('payloadValidationJmesPath', options.payloadValidationJmesPath);
    this.jmesPathOptions = { customFunctions: options.jmesPathOptions ?? new PowertoolsFunctions() };
    this.throwOnNoIdempotencyKey = options.throwOnNoIdempotencyKey ?? true;
    this.expiresAfterSeconds = expiresAfterSeconds;
    this.hashFunction = options.hashFunction ?? 'md5';
    this.responseHook = responseHook;
    this.lambdaContext = options.lambdaContext;
    expectOn();
  }

  /** Says which invocation the next calls are made in. The lease of their claims ends with it. */
  registerLambdaContext(context: RemainingTime): void {
    this.lambdaContext = context;
  }
}

function expression(option: string, value: unknown): string | undefined {
  expect(value === undefined || typeof value === 'string', option, 'an expression of JMESPath', value);
  return value as string | undefined;
}

/** @throws OptionError that says what pawl does not copy of Powertools */
export function refuse(said: string): never {
  throw new OptionError(`${said}. See node_modules/pawl/${page}.`, 'other-door');
}

/** Powertools' switch. A test of a function that has moved over may share its environment with functions that have not: there it changes nothing. */
const off = 'POWERTOOLS_IDEMPOTENCY_DISABLED';

/** @throws OptionError in Lambda, where it would let every duplicate run */
function expectOn(): void {
  const value = process.env[off]?.trim().toLowerCase();
  if (value === undefined || !['1', 'y', 'yes', 't', 'true', 'on'].includes(value)) return;
  const said = `${off} is set, and pawl has no switch that turns it off`;
  if (process.env.LAMBDA_TASK_ROOT !== undefined) refuse(`${said}. Remove the variable from the function`);
  warnOnce(
    'other-door',
    off,
    `${said}: claims are kept here as well. In a test, import '@pawl/testing/fakes' before the handler`,
  );
}
