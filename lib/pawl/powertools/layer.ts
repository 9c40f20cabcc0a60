import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { sdk } from '../aws/sdk.ts';
import { type ClaimOptions, expectStore } from '../engine/options.ts';
import { expect } from '../kernel/check.ts';
import { expectOptions } from '../kernel/take-options.ts';
import type { NamesOf } from '../kernel/unknown-option.ts';
import type { ClaimStore } from '../rules/store.ts';
import { dynamoStore } from '../stores/dynamodb/sdk-stores.ts';
import { besidePowertools } from './beside.ts';
import type { PowertoolsRecords } from './beside-store.ts';
import { page, refuse } from './config.ts';
import { functionName } from './record-id.ts';
import { type RecordTableOptions, recordTableOptionNames } from './table-options.ts';

/** What pawl is told beside Powertools' own options, by the names that its other doors have. */
type OfClaims = Pick<
  ClaimOptions<unknown>,
  | 'onAbandoned'
  | 'lease'
  | 'skewMs'
  | 'timeoutMs'
  | 'marginMs'
  | 'maxAttempts'
  | 'retryWindowSeconds'
  | 'maxAbandoned'
  | 'classify'
  | 'maxResultBytes'
  | 'onEvent'
>;

/**
 * The options of `DynamoDBPersistenceLayer`: Powertools', and those of pawl's doors.
 *
 * @example
 * const options: DynamoDBPersistenceOptions = { tableName: 'idempotencyTable', onAbandoned: 'retry' };
 */
export interface DynamoDBPersistenceOptions extends RecordTableOptions, OfClaims {
  /**
   * Where the claims of pawl are kept.
   * @default the claims table that the environment variable `CLAIMS_TABLE` names, as the construct `Consumer` sets it, with the same client
   */
  readonly store?: ClaimStore;
  /**
   * What becomes of the records in Powertools' table. While a worker of Powertools runs, `'gate'`; when none runs any more, `'read'`; when all of its records have expired, `'none'`, and
   * `tableName` may be `undefined`.
   * @default 'gate'
   */
  readonly records?: PowertoolsRecords | 'none';
}

const ofClaims = {
  onAbandoned: true,
  lease: true,
  skewMs: true,
  timeoutMs: true,
  marginMs: true,
  maxAttempts: true,
  retryWindowSeconds: true,
  maxAbandoned: true,
  classify: true,
  maxResultBytes: true,
  onEvent: true,
} as const satisfies NamesOf<OfClaims>;

const known = {
  ...recordTableOptionNames,
  ...ofClaims,
  store: true,
  records: true,
} as const satisfies NamesOf<DynamoDBPersistenceOptions>;

/**
 * Where the calls are kept, with the call shape of Powertools' class: the claims of pawl, behind Powertools' own records for as long as those count.
 *
 * @throws OptionError when an option is wrong. That `onAbandoned` is missing is said where a function is made idempotent
 * @example
 * const persistenceStore = new DynamoDBPersistenceLayer({ tableName: 'idempotencyTable', onAbandoned: 'retry' });
 */
export class DynamoDBPersistenceLayer {
  // Private, so that TypeScript takes no layer of Powertools for one of these.
  readonly #layer: Layer;

  constructor(options: DynamoDBPersistenceOptions) {
    expectOptions(options, { door: 'DynamoDBPersistenceLayer', known, docs: page });
    this.#layer = layerOf(options);
  }

  /** @internal */
  get 'pawl.layer'(): Layer {
    return this.#layer;
  }
}

/** What a call needs of its layer. */
export interface Layer {
  readonly claims: OfClaims;
  /** The store of the calls with this prefix. */
  storeOf(prefix: string, hashFunction: string): ClaimStore;
  /** The partition of all records, where the table has a sort key. */
  readonly partition: string | undefined;
  /** One object for all layers over one table: Powertools' functions that share a prefix there take each other's calls for done, and so do those of pawl. */
  readonly sharedBy: object;
}

const tables = new Map<string | undefined, object>();

/** Under 'retry', as Powertools: it runs a call again for as long as it comes. Parked after some failures, a record of a stream would hold back its shard. */
const withoutLimit = {
  maxAttempts: Number.MAX_SAFE_INTEGER,
  maxAbandoned: Number.MAX_SAFE_INTEGER,
  retryWindowSeconds: 100 * 365 * 24 * 3600,
} as const;

function layerOf(options: DynamoDBPersistenceOptions): Layer {
  const { store, records = 'gate', ...others } = options;
  const isKnown = records === 'gate' || records === 'read' || records === 'none';
  expect(isKnown, 'records', "'gate', 'read' or 'none'", records);
  const { onAbandoned, maxResultBytes = 300_000 } = others;
  if (records === 'gate' && onAbandoned !== undefined && onAbandoned !== 'retry') {
    refuse(
      "onAbandoned: only 'retry' is true while workers of Powertools run (records: 'gate'): they run a function again after a crash. Choose another policy with records: 'read', when none of them runs any more",
    );
  }
  if (store === undefined && records !== 'none' && others.tableName === process.env.CLAIMS_TABLE && others.tableName) {
    refuse(
      "tableName: it is the table that CLAIMS_TABLE names. Powertools' records and pawl's claims expire by different attributes, and a table has one of these: make a table of its own for the claims",
    );
  }
  const ofTable = pick(others, recordTableOptionNames);
  const {
    tableName,
    awsSdkV3Client,
    clientConfig,
    sortKeyAttr,
    staticPkValue = `idempotency#${functionName()}`,
  } = ofTable;
  const client = awsSdkV3Client ?? (clientConfig && new DynamoDBClient(clientConfig));
  const claims =
    store ?? dynamoStore({ tableName: process.env.CLAIMS_TABLE, ...(client && { aws: sdk({ dynamodb: client }) }) });
  expectStore(claims);
  const stores = new Map<string, ClaimStore>();
  const sharedBy = store ?? tables.get(tableName) ?? claims;
  if (store === undefined) tables.set(tableName, sharedBy);
  return {
    claims: { ...(onAbandoned === 'retry' && withoutLimit), ...pick(others, ofClaims), maxResultBytes } as OfClaims,
    sharedBy,
    partition: sortKeyAttr === undefined ? undefined : staticPkValue,
    storeOf(keyPrefix, hashFunction) {
      if (records === 'none') return claims;
      const name = JSON.stringify([keyPrefix, hashFunction]);
      const made =
        stores.get(name) ??
        besidePowertools(claims, {
          ...ofTable,
          ...(client && { awsSdkV3Client: client }),
          records,
          keyPrefix,
          hashFunction,
        });
      stores.set(name, made);
      return made;
    },
  };
}

function pick<Options extends object, Name extends keyof Options>(
  options: Options,
  names: Readonly<Record<Name, true>>,
): Pick<Options, Name> {
  const taken = Object.entries(options).filter(([name]) => Object.hasOwn(names, name));
  return Object.fromEntries(taken) as Pick<Options, Name>;
}
