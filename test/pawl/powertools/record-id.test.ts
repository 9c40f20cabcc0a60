import { IdempotencyConfig } from '@aws-lambda-powertools/idempotency';
import { BasePersistenceLayer, type IdempotencyRecord } from '@aws-lambda-powertools/idempotency/persistence';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hashOf, recordIdOf } from '../../../lib/pawl/powertools/record-id.ts';

/** Powertools' own way from a payload to its record. */
class Recorded extends BasePersistenceLayer {
  record: IdempotencyRecord | undefined;

  protected override async _putRecord(record: IdempotencyRecord): Promise<void> {
    this.record = record;
  }

  protected override async _getRecord(): Promise<IdempotencyRecord> {
    throw new Error('not asked for');
  }

  protected override async _updateRecord(): Promise<void> {}
  protected override async _deleteRecord(): Promise<void> {}
}

async function peers(payload: unknown, hashFunction: string): Promise<IdempotencyRecord> {
  const layer = new Recorded();
  const config = new IdempotencyConfig({ hashFunction, payloadValidationJmesPath: '@' });
  layer.configure({ config, keyPrefix: 'mails' });
  await layer.saveInProgress(payload as never, 1000);
  return layer.record as IdempotencyRecord;
}

const oddities: readonly unknown[] = [
  { b: 1, a: 2, B: 3, A: 4 },
  { A: 4, B: 3, a: 2, b: 1 },
  JSON.parse('{"__proto__":{"a":1},"a":2}'),
  { at: new Date(0), map: new Map([['a', 1]]), none: undefined, list: [undefined, null, { z: 1, y: 2 }] },
  'text',
  '"',
  17,
  true,
  ['u-1', 'p-2'],
  { ä: 1, Ä: 2, é: 3 },
];

test.each(['md5', 'sha256'])("the id of a record is Powertools' own, with %s", async (hashFunction) => {
  for (const payload of oddities) {
    const { idempotencyKey, payloadHash } = await peers(payload, hashFunction);
    expect(recordIdOf('mails', payload, hashFunction)).toBe(idempotencyKey);
    expect(hashOf(payload, hashFunction)).toBe(payloadHash);
  }
});

test("the id of a record is Powertools' own, of any payload", async () => {
  const key = fc.constantFrom('a', 'A', 'b', 'B', 'aB', 'Ab', '__proto__', 'ß', 'SS', '1', '10', '2');
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom(1, 1.5, 'x', true, 'ß'),
      fc.array(tie('value'), { minLength: 1, maxLength: 3 }),
      fc.dictionary(key, tie('value'), { minKeys: 1, maxKeys: 4 }),
    ),
  }));
  await fc.assert(
    fc.asyncProperty(value, async (payload) => {
      expect(recordIdOf('mails', payload, 'md5')).toBe((await peers(payload, 'md5')).idempotencyKey);
    }),
    { seed: 7, numRuns: 300 },
  );
});
