import { type ClaimRecord, claimSchema } from 'pawl/internal';
import { type ClaimStage, create, wasApplied } from './claim-stage.ts';
import { expectSame, expectThat } from './expect.ts';
import type { Law } from './law.ts';
import { claimRecord, freshId, someDay, successorOf } from './records.ts';

/** Every field that a record may have. A new field of `ClaimRecord` does not compile until it is here. */
const full: Required<Omit<ClaimRecord, 'id'>> = {
  status: 'released',
  claimId: '3f0c7a52-5d1e-4f3a-9a62-2b8f6f1f9c11',
  fence: 3,
  leaseUntil: someDay + 30_000,
  firstSeenAt: someDay,
  attempts: 3,
  unstarted: 2,
  abandoned: 1,
  unknownAt: someDay + 1,
  fingerprint: '1:abc',
  result: '{"b":1.50,"a": 2}',
  resultOmitted: 'too-large',
  checkpoints: JSON.stringify([{ name: 'charge', state: 'started', at: someDay, fence: 1 }]),
  error: { name: 'Error', message: 'declined' },
  resolution: {
    verdict: 'by-step',
    steps: { charge: 'applied', 'print the card': 'not-applied' },
    by: 'maria',
    note: '',
    at: '2026-11-21T09:30:00.000Z',
    id: 'resolution-1',
  },
  forgotten: { by: 'maria', note: 'asked by the customer', at: '2026-11-21T09:31:00.000Z', id: 'forgotten-0' },
  discarded: { messageId: 'message-0', by: 'maria', note: 'an order of the test shop', at: '2026-11-21T09:31:00.000Z' },
  attributes: { currency: 'EUR', amount: 12.5 },
  source: 'message-1',
  statement: 'due',
  atomic: 3,
  open: '07',
  restoredAt: someDay + 2,
  forgottenUntil: someDay + 2,
  observed: '{"deliveries":1,"done":0,"failed":0,"other":0,"again":{},"runs":[]}',
  expiresAt: someDay / 1000 + 30 * 24 * 3600,
  rev: 7,
  v: claimSchema,
};

/** Fields that a later record may no longer have. */
const optional = [
  'unknownAt',
  'fingerprint',
  'result',
  'resultOmitted',
  'checkpoints',
  'error',
  'resolution',
  'attributes',
  'source',
  'restoredAt',
  'forgottenUntil',
  'open',
  'expiresAt',
] as const satisfies readonly (keyof ClaimRecord)[];

const lost =
  'pawl decides by these fields and shows them to operators: a value that changes in the store decides otherwise.';

async function expectKept(stage: ClaimStage, record: ClaimRecord): Promise<void> {
  await create(stage, record);
  expectSame(
    'The record that was read is not the one that was written',
    await stage.store.read(record.id),
    record,
    lost,
  );
}

/** Texts that stores, drivers and column types are known to change. */
export const texts: readonly string[] = [
  'ümlaut, ☂, 漢字, and a gift 🎁',
  ' spaces at both ends ',
  `quotes ' and " and \`, \\ and %s and $1 and ?`,
  'line\nfeed, carriage\r\nreturn and tab\t',
  'cafe\u0301 is not caf\u00e9',
  '',
];

/** Numbers that columns and drivers round. */
const numbers: Readonly<Record<string, number>> = {
  largest: Number.MAX_SAFE_INTEGER,
  smallest: Number.MIN_SAFE_INTEGER,
  sum: 0.1 + 0.2,
  huge: 1e21,
  tiny: 1e-7,
  none: 0,
  negative: -12.5,
};

export const controls = Array.from({ length: 0x20 }, (_, code) => String.fromCharCode(code)).join('');

/** Ids that differ, and that some index or collation takes for one. */
export function similarIds(id: string): readonly string[] {
  return [`${id}-a`, `${id}-A`, `${id}-a `, ` ${id}-a`, `${id}-\u00e9`, `${id}-e\u0301`, `${id}-%`, `${id}-_`];
}

/** The longest id: every store must take it. */
export const longestIdBytes = 2048;

/** A store keeps what it is given, and returns the same. */
export const contentLaws: readonly Law<ClaimStage>[] = [
  {
    name: 'returns nothing for an id that was never written',
    async run({ store }) {
      const found = await store.read(freshId());
      expectSame('read(id) of an id that was never written', found, undefined, 'A new key would not run.');
    },
  },
  {
    name: 'keeps every field of a record, maps inside of it included',
    run: (stage) => expectKept(stage, { id: freshId(), ...full }),
  },
  {
    name: 'keeps a record in each status',
    async run(stage) {
      for (const status of ['in-flight', 'released', 'completed', 'rejected', 'parked'] as const) {
        await expectKept(stage, claimRecord({ status }));
      }
    },
  },
  {
    name: 'keeps texts to the letter, in every field and in every map',
    async run(stage) {
      for (const text of texts) {
        const error = { name: 'Error', message: text };
        await expectKept(stage, claimRecord({ claimId: `c${text}`, result: JSON.stringify(text), error }));
        const resolution = {
          verdict: 'by-step',
          by: text,
          note: text,
          at: '',
          steps: { [`s${text}`]: 'retry' },
        } as const;
        await expectKept(stage, claimRecord({ attributes: { text, [`n${text}`]: 1 }, resolution, source: `s${text}` }));
      }
    },
  },
  {
    name: 'keeps a result as the text that it is, without reading it as JSON',
    async run(stage) {
      for (const result of [
        '{"b":1,"a":2}',
        '{"a":1,"a":2}',
        '[1.0, 1e2]',
        '12345678901234567890',
        '"\\u0000"',
        'null',
      ]) {
        await expectKept(stage, claimRecord({ status: 'completed', result }));
      }
    },
  },
  {
    name: 'keeps a large result',
    run: (stage) =>
      expectKept(stage, claimRecord({ status: 'completed', result: JSON.stringify('ü'.repeat(150_000)) })),
  },
  {
    name: 'keeps control characters, U+0000 included',
    run: (stage) =>
      expectKept(
        stage,
        claimRecord({ error: { name: 'Error', message: controls }, attributes: { [`n${controls}`]: controls } }),
      ),
  },
  {
    name: 'keeps numbers exactly, also beyond 32 bits and behind the point',
    async run(stage) {
      await expectKept(stage, claimRecord({ attributes: numbers }));
      const many = Number.MAX_SAFE_INTEGER;
      await expectKept(
        stage,
        claimRecord({ rev: many, fence: many, attempts: 2 ** 31, abandoned: 2 ** 32, leaseUntil: many }),
      );
    },
  },
  {
    name: 'keeps maps without entries',
    async run(stage) {
      await expectKept(stage, claimRecord({ attributes: {} }));
    },
  },
  {
    name: 'removes each field that the next record does not have',
    async run(stage) {
      for (const name of optional) {
        const seen = { id: freshId(), ...full };
        await create(stage, seen);
        const next = successorOf(seen, { [name]: undefined });
        const result = await stage.store.write({ next, seen });
        expectThat(
          wasApplied(result, next, stage.mayMeetItself),
          `A write without ${name} was refused over the very record that was seen`,
          'The claim could never end.',
        );
        expectSame(
          `A record that has no ${name} any more was read`,
          await stage.store.read(seen.id),
          next,
          'What an earlier attempt left behind would count for the next: a doubt that is settled, an error, an expiry that collects a parked claim.',
        );
      }
    },
  },
  {
    name: 'keeps ids apart that differ in case, in a space, or in the form of a letter',
    async run(stage) {
      const ids = similarIds(freshId());
      for (const id of ids) await create(stage, claimRecord({ id, claimId: `owner of ${id}` }));
      for (const id of ids) {
        const found = await stage.store.read(id);
        expectSame(
          'read(id)',
          found?.claimId,
          `owner of ${id}`,
          'Two messages with different keys would share a claim.',
        );
      }
    },
  },
  {
    name: `takes ids of ${longestIdBytes} bytes, and ids that differ in the last byte only`,
    async run(stage) {
      const start = freshId();
      const long = start + 'x'.repeat(longestIdBytes - start.length - 1);
      for (const end of ['a', 'b']) await expectKept(stage, claimRecord({ id: long + end, claimId: end }));
      const wide = freshId();
      await expectKept(stage, claimRecord({ id: wide + 'ü'.repeat((longestIdBytes - wide.length) / 2) }));
    },
  },
  {
    name: 'keeps an id with control characters, U+0000 included',
    async run(stage) {
      for (const control of controls) await expectKept(stage, claimRecord({ id: `${freshId()}${control}-` }));
    },
  },
];
