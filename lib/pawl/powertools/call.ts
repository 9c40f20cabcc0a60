import { useOf } from '../engine/handlers.ts';
import { once } from '../engine/once.ts';
import { notStarted, resultOf } from '../engine/once-result.ts';
import type { Policy } from '../engine/policy.ts';
import { reconcile } from '../engine/reconcile.ts';
import { nodeHost } from '../host.ts';
import { expect } from '../kernel/check.ts';
import { claimDefaults } from '../kernel/defaults.ts';
import { type ErrorKind, errorKind } from '../kernel/error-kind.ts';
import { recordedError } from '../kernel/recorded-error.ts';
import { expectOptions } from '../kernel/take-options.ts';
import { propertyOf } from '../kernel/unknown.ts';
import { canonicalValue } from '../payload/fingerprint.ts';
import { recordsIn } from '../payload/records-in.ts';
import { besideAttributes } from './beside-store.ts';
import { IdempotencyConfig, page, refuse } from './config.ts';
import {
  IdempotencyAlreadyInProgressError,
  IdempotencyKeyError,
  IdempotencyPersistenceLayerError,
  IdempotencyValidationError,
} from './errors.ts';
import type { JSONValue } from './json.ts';
import { keyOf, needsNoKey, selectedKey, selectedPayload } from './key.ts';
import type { DynamoDBPersistenceLayer } from './layer.ts';
import { IdempotencyRecord } from './record.ts';
import { functionName, hashOf, recordIdOf } from './record-id.ts';

/**
 * What `makeIdempotent` and `makeHandlerIdempotent` take, by Powertools' names.
 *
 * @example
 * const options: IdempotencyLambdaHandlerOptions = {
 *   persistenceStore: new DynamoDBPersistenceLayer({ tableName: 'idempotencyTable', onAbandoned: 'retry' }),
 *   config: new IdempotencyConfig({ eventKeyJmesPath: 'orderId' }),
 * };
 */
export interface IdempotencyLambdaHandlerOptions {
  /** Where the calls are kept. */
  readonly persistenceStore: DynamoDBPersistenceLayer;
  /**
   * How calls are told apart.
   * @default a configuration without options: the whole payload is the key
   */
  readonly config?: IdempotencyConfig;
  /**
   * How the ids of the records begin. Two functions share keys only by it; two functions of one Lambda function need one each, or what one has done is taken for done by the other.
   * @default the name of the Lambda function
   */
  readonly keyPrefix?: string;
}

const known = { persistenceStore: true, config: true, keyPrefix: true, dataIndexArgument: true } as const;

/** One call: what it is about, and how to run it. */
interface Call {
  readonly payload: unknown;
  readonly run: () => unknown;
}

/** The calls of one function. */
export interface Calls {
  readonly config: IdempotencyConfig;
  /** @throws what became of the call, if it is not done: an error of this entry, of pawl, or the function's own */
  call(payload: unknown, run: () => unknown): Promise<unknown>;
}

/**
 * @param fn the function, where it is known: a middleware is not told
 * @throws OptionError when an option is missing or wrong
 */
export function callsOf(
  options: IdempotencyLambdaHandlerOptions & { readonly dataIndexArgument?: number },
  fn?: object,
): Calls {
  expectOptions(options, { door: fn ? 'makeIdempotent' : 'makeHandlerIdempotent', known, docs: page });
  const { persistenceStore, config = new IdempotencyConfig({}), keyPrefix } = options;
  const layer = persistenceStore?.['pawl.layer'];
  const made = 'new DynamoDBPersistenceLayer({ tableName, onAbandoned }) of pawl/powertools';
  expect(layer !== undefined, 'persistenceStore', made, persistenceStore, 'wrong-store');
  expect(config instanceof IdempotencyConfig, 'config', 'new IdempotencyConfig({ … }) of pawl/powertools', config);
  const { hashFunction, payloadValidationJmesPath: compared, expiresAfterSeconds, responseHook } = config;
  const prefix = keyPrefix?.trim() || functionName();
  const { onAbandoned, ...claims } = layer.claims;
  const { marginMs = claimDefaults.marginMs } = claims;
  const operation = operationOf(prefix);
  const use = fn && useOf(layer.sharedBy, operation, fn);
  const recordIdOfCall = ({ payload }: Call) => recordIdOf(prefix, selectedKey(config, payload), hashFunction);
  const validationOf = (path: string, { payload }: Call) =>
    hashOf(selectedPayload(path, config, payload), hashFunction);
  const f = once<Call, unknown>(
    {
      ...claims,
      operation,
      store: layer.storeOf(prefix, hashFunction),
      key: ({ payload }) => keyOf(selectedKey(config, payload)),
      onAbandoned: aboutPayloads(onAbandoned),
      retentionSeconds: expiresAfterSeconds,
      attributes: (call) => ({
        [besideAttributes.recordId]: recordIdOfCall(call),
        ...(compared !== undefined && { [besideAttributes.validation]: validationOf(compared, call) }),
      }),
      ...(compared !== undefined && {
        fingerprint: ({ payload }) => canonicalValue(selectedPayload(compared, config, payload) ?? null),
      }),
    },
    ({ run }) => run(),
    nodeHost,
  );

  async function call(payload: unknown, run: Call['run']): Promise<unknown> {
    expectOneIntent(payload, config);
    if (needsNoKey(config, payload)) return run();
    let hasRun = false;
    const asked: Call = {
      payload,
      run() {
        hasRun = true;
        use?.hasRun();
        return run();
      },
    };
    const { lambdaContext } = config;
    const limits = lambdaContext && { remainingMs: () => lambdaContext.getRemainingTimeInMillis() };
    const outcome = await f.outcome(asked, limits).catch((error: unknown) => {
      if (hasRun) throw error;
      const isLate = lambdaContext !== undefined && lambdaContext.getRemainingTimeInMillis() <= marginMs;
      throw asPowertools(error, isLate);
    });
    if (outcome.outcome === 'in-flight') {
      throw new IdempotencyAlreadyInProgressError(
        'nothing was run: another worker runs this call',
        outcome.retryAfterMs,
      );
    }
    if (outcome.outcome === 'key-reused') throw new IdempotencyValidationError();
    const result = resultOf(outcome);
    const isReplayed = outcome.outcome === 'completed' && outcome.replayed && !hasRun;
    if (isReplayed) use?.foundDone();
    if (!isReplayed || responseHook === undefined) return result;
    const id = recordIdOfCall(asked);
    const response = result as JSONValue;
    const named =
      layer.partition === undefined ? { idempotencyKey: id } : { idempotencyKey: layer.partition, sortKey: id };
    return responseHook(response, new IdempotencyRecord({ ...named, responseData: response }));
  }

  return { config, call };
}

/** The name of an operation has no spaces and no `#`; a prefix may. Outside of Lambda, a function may have no name. */
function operationOf(prefix: string): string {
  return prefix === '' ? 'outside-lambda' : prefix.replaceAll(/[^!"$-~]+/g, encodeURIComponent);
}

/** A policy that asks a provider is given the payload, and not the call. */
function aboutPayloads(policy: Policy<unknown>): Policy<Call> {
  if (typeof policy !== 'object') return policy;
  const { ask, settleMs } = policy;
  return reconcile<Call>({ ask: (doubt, call) => ask(doubt, call?.payload), settleMs });
}

/** @throws OptionError for an event whose key would be another one at each delivery, or of several records: one key for all of them passes by what comes in another company */
function expectOneIntent(payload: unknown, { eventKeyJmesPath }: IdempotencyConfig): void {
  const count = recordsIn(payload);
  if (count > 1) {
    refuse(
      `the payload is an event of ${count} records. Make the function of one record idempotent, or use sqsOnce or eachMessage of pawl`,
    );
  }
  const isReceived = [propertyOf(payload, 'receiptHandle'), propertyOf(payload, 'ReceiptHandle')].some(Boolean);
  if ((count === 1 || isReceived) && eventKeyJmesPath === '') {
    refuse(
      'the whole event is the key, with what is new in it at each delivery. Set eventKeyJmesPath to what names the effect',
    );
  }
}

/**
 * An error of pawl's, before the function has run, as a caller of Powertools looks for it.
 *
 * @param isLate whether there is no time to ask a table: then no table is to blame
 */
function asPowertools(error: unknown, isLate: boolean): unknown {
  const kind: ErrorKind | undefined = errorKind(error);
  const { message, name } = recordedError(error);
  if (kind === 'invalid-message') return new IdempotencyKeyError(message, { cause: error });
  const isStore = name === 'StoreUnavailableError';
  if (name === 'LeaseError' || (isStore && isLate)) return notStarted(error);
  return isStore ? new IdempotencyPersistenceLayerError(message, { cause: error }) : error;
}
