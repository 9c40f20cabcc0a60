import { afterEach, describe, expect, test, vi } from 'vitest';
import { memoryStore, OptionError } from '../../../lib/pawl/index.ts';
import {
  besidePowertools,
  CachePersistenceLayer,
  DynamoDBPersistenceLayer,
  IdempotencyConfig,
  idempotent,
  makeIdempotent,
} from '../../../lib/pawl/powertools/index.ts';

/** What JavaScript lets through. */
const untyped = (value: unknown) => value as never;

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const store = memoryStore();
const layer = (options: object = {}) =>
  new DynamoDBPersistenceLayer({ tableName: 'records', onAbandoned: 'retry', store, ...options });

describe('what pawl does not copy is refused by name, with a sentence', () => {
  test.each<[string, () => unknown, string]>([
    ['the cache', () => new IdempotencyConfig(untyped({ useLocalCache: true })), 'rememberCompleted(dynamoStore('],
    ['its size', () => new IdempotencyConfig(untyped({ maxLocalCacheSize: 10 })), 'rememberCompleted(dynamoStore('],
    ['the decorator', () => idempotent({}), 'Wrap the method'],
    ['Valkey', () => new CachePersistenceLayer({}), 'which may forget them'],
    [
      'an expiry below a minute',
      () =>
        makeIdempotent(() => 1, {
          persistenceStore: layer(),
          config: new IdempotencyConfig({ expiresAfterSeconds: 10 }),
        }),
      'at least 60',
    ],
    [
      "Powertools' table for the claims as well",
      () => {
        vi.stubEnv('CLAIMS_TABLE', 'records');
        return new DynamoDBPersistenceLayer({ tableName: 'records', onAbandoned: 'retry' });
      },
      'make a table of its own for the claims',
    ],
    ["a policy that Powertools' workers do not keep", () => layer({ onAbandoned: 'park' }), "records: 'read'"],
    [
      'no policy',
      () => makeIdempotent(() => 1, { persistenceStore: layer({ onAbandoned: undefined }) }),
      'onAbandoned',
    ],
    [
      "Powertools' own layer",
      () => makeIdempotent(() => 1, { persistenceStore: untyped({}) }),
      'new DynamoDBPersistenceLayer',
    ],
    [
      "Powertools' own configuration",
      () => makeIdempotent(() => 1, { persistenceStore: layer(), config: untyped({}) }),
      'new IdempotencyConfig',
    ],
    ['a misspelt option', () => new IdempotencyConfig(untyped({ eventKeyJmespath: 'id' })), "'eventKeyJmesPath'"],
    ['a misspelt option of the layer', () => layer({ tablename: 'x' }), "'tableName'"],
    ['another word for the records', () => layer({ records: 'both' }), "'gate', 'read' or 'none'"],
    [
      'a durable function',
      () => makeIdempotent((..._: unknown[]) => 1, { persistenceStore: layer() })({}, { lambdaContext: {}, step: {} }),
      'durable',
    ],
    [
      'a store that commits effects',
      () => besidePowertools(untyped({ ...store, commit: () => undefined }), { tableName: 'x', records: 'gate' }),
      'transactionalStore',
    ],
    ['no word for the records', () => besidePowertools(store, untyped({ tableName: 'x' })), "'gate' or 'read'"],
  ])('%s', (_, made, said) => {
    expect(made).toThrow(OptionError);
    expect(made).toThrow(said);
  });
});

test("Powertools' switch fails the function in Lambda, and elsewhere warns and changes nothing", async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  vi.stubEnv('POWERTOOLS_IDEMPOTENCY_DISABLED', 'true');
  const run = vi.fn((_: object) => 'done');
  const options = { persistenceStore: layer({ records: 'none' }), config: new IdempotencyConfig({}) };
  const send = makeIdempotent(run, options);
  await send({ a: 1 });
  await send({ a: 1 });
  expect(run).toHaveBeenCalledTimes(1);
  expect(warn).toHaveBeenCalledWith(expect.stringContaining('POWERTOOLS_IDEMPOTENCY_DISABLED'));

  vi.stubEnv('LAMBDA_TASK_ROOT', '/var/task');
  expect(() => new IdempotencyConfig({})).toThrow('Remove the variable');
  vi.stubEnv('POWERTOOLS_IDEMPOTENCY_DISABLED', 'false');
  expect(() => new IdempotencyConfig({})).not.toThrow();
});

test('without the name of the claims table nothing runs, and the error says which variable is missing', async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  vi.stubEnv('CLAIMS_TABLE', undefined);
  const run = vi.fn((_: object) => 'done');
  const persistenceStore = new DynamoDBPersistenceLayer({
    tableName: 'records',
    onAbandoned: 'retry',
    records: 'none',
    clientConfig: { region: 'us-east-1' },
  });
  await expect(makeIdempotent(run, { persistenceStore })({ a: 1 })).rejects.toThrow('CLAIMS_TABLE');
  expect(run).not.toHaveBeenCalled();
});
