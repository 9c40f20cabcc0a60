import { expect } from '../kernel/check.ts';
import { joined, type OwnKind, ownParts } from '../kernel/name.ts';
import { expectOptions } from '../kernel/take-options.ts';
import { propertyOf } from '../kernel/unknown.ts';
import type { NamesOf } from '../kernel/unknown-option.ts';
import type { ClaimRecord } from '../rules/record.ts';
import type { RemedyState } from '../rules/remedy.ts';
import { docs } from './words.ts';

/*
 * Who has done what, from the records that keep it.
 *
 * Owns: which fields of which records are acts. Does not own: how a table is read (`readAllRecords` of its store), or what an act may be.
 *
 * 1. An act is what has a name, a note and a time. What a worker has proved, or a run has found, is none.
 * 2. A record that another program wrote has no act, and fails nothing: an export must not end in its middle.
 */

/** What an operator has done. */
export type ActName =
  /** A claim in doubt was decided. */
  | 'resolved'
  /** A dead letter was deleted for good. */
  | 'discarded'
  /** What a claim kept was erased. */
  | 'forgotten'
  /** A lock was released. */
  | 'released'
  /** A finding was accepted. */
  | 'accepted'
  /** A remedy was asked for, and needs a second person. */
  | 'asked'
  /** A remedy was approved. */
  | 'approved'
  /** A remedy has begun. `settled` says whether it has happened. */
  | 'remedied'
  /** A finding was settled outside of pawl. */
  | 'settled-by-hand'
  /** A table was marked as restored from a point in time. */
  | 'marked'
  /** Its mark was corrected. */
  | 'corrected'
  /** Its mark was lifted. */
  | 'lifted';

/**
 * One act of an operator.
 *
 * @example
 * declare const acts: AsyncIterable<OperatorAct>;
 * for await (const { at, by, act, on, id, note } of acts) console.log(new Date(at).toISOString(), by, act, on, id, note);
 */
export interface OperatorAct {
  readonly act: ActName;
  /** What it was done to. */
  readonly on: 'claim' | 'dead-letter' | 'lock' | 'finding' | 'table';
  /** The id of the claim, the lock or the finding. Of a dead letter, that of its claim. Of a table, that of its mark. */
  readonly id: string;
  /** Who has done it. */
  readonly by: string;
  /** Why. */
  readonly note: string;
  /** When, in epoch milliseconds. */
  readonly at: number;
  /** What else the record says of it, such as the verdict, the amount, or the ARN of who has asked. */
  readonly facts: Readonly<Record<string, string | number | boolean>>;
}

/**
 * Which acts.
 *
 * @example
 * const query: ActsQuery = { since: Date.parse('2026-11-01T00:00:00Z') };
 */
export interface ActsQuery {
  /**
   * Only acts at this time or later, in epoch milliseconds.
   * @default every act
   */
  readonly since?: number | undefined;
}

const known = { since: true } as const satisfies NamesOf<ActsQuery>;

/**
 * Every act of an operator that the records of a table keep, in the order of the records. A record keeps the last act of its kind. A redrive leaves none:
 * `onEvent` has it.
 *
 * @throws OptionError; what the records throw
 * @example
 * import { readAllRecords } from 'pawl/dynamodb';
 *
 * const records = readAllRecords({ tableName: process.env.CLAIMS_TABLE });
 * for await (const act of operatorActs(records)) console.log(JSON.stringify(act));
 */
export function operatorActs(
  records: AsyncIterable<object>,
  query: ActsQuery = {},
): AsyncGenerator<OperatorAct, void, undefined> {
  const isRead = typeof propertyOf(records, Symbol.asyncIterator) === 'function';
  expect(isRead, 'records', 'what readAllRecords of pawl/dynamodb or pawl/postgres returns', records);
  expectOptions(query, { door: 'operatorActs', known, docs });
  const { since = Number.NEGATIVE_INFINITY } = query;
  expect(typeof since === 'number' && !Number.isNaN(since), 'since', 'a time in epoch milliseconds', since);
  return actsSince(records, since);
}

async function* actsSince(records: AsyncIterable<object>, since: number): AsyncGenerator<OperatorAct, void, undefined> {
  for await (const record of records) for (const act of actsIn(record)) if (act.at >= since) yield act;
}

const beginning = (kind: OwnKind) => joined([...ownParts(kind), '']);

function actsIn(record: object): readonly OperatorAct[] {
  const id = propertyOf(record, 'id');
  if (typeof id !== 'string') return [];
  if (id.startsWith(beginning('lock'))) return [actOf('released', 'lock', id, propertyOf(record, 'released'))].flat();
  if (id.startsWith(beginning('finding'))) return actsOnFinding(id, fromJson(propertyOf(record, 'text')));
  if (id === joined(ownParts('restored'))) return actsOnTable(id, record);
  return id.startsWith('#') ? [] : actsOnClaim(id, record);
}

function actsOnClaim(id: string, record: object): readonly OperatorAct[] {
  const said = (name: keyof Pick<ClaimRecord, 'resolution' | 'discarded' | 'forgotten'>) => propertyOf(record, name);
  const resolution = said('resolution');
  return [
    // What the last holder has proved has no token: nobody has decided it.
    ...(propertyOf(resolution, 'id') === undefined
      ? []
      : actOf('resolved', 'claim', id, resolution, {
          verdict: propertyOf(resolution, 'verdict'),
          steps: jsonOf(propertyOf(resolution, 'steps')),
        })),
    ...actOf('discarded', 'dead-letter', id, said('discarded'), {
      messageId: propertyOf(said('discarded'), 'messageId'),
    }),
    ...actOf('forgotten', 'claim', id, said('forgotten')),
  ];
}

function actsOnFinding(id: string, finding: unknown): readonly OperatorAct[] {
  const said = (name: keyof RemedyState) => propertyOf(finding, name);
  const [request, remedy, remedied] = [said('request'), said('remedy'), said('remedied')];
  const fields = (of: unknown, ...names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, propertyOf(of, name)]));
  return [
    ...actOf('accepted', 'finding', id, propertyOf(finding, 'accepted')),
    ...actOf('asked', 'finding', id, request, fields(request, 'operation', 'amount', 'identity')),
    ...actOf('approved', 'finding', id, said('approval'), fields(said('approval'), 'identity')),
    ...actOf('remedied', 'finding', id, remedy, {
      ...fields(remedy, 'operation', 'amount', 'claimId'),
      settled: propertyOf(remedied, 'how') === 'remedy',
    }),
    ...(propertyOf(remedied, 'how') === 'by-hand' ? actOf('settled-by-hand', 'finding', id, remedied) : []),
  ];
}

function actsOnTable(id: string, mark: object): readonly OperatorAct[] {
  const said = (name: string) => propertyOf(mark, name);
  const lifted = { by: said('liftedBy'), note: said('liftNote'), at: said('liftedAt') };
  return [
    ...actOf(
      'marked',
      'table',
      id,
      { by: said('by'), note: said('note'), at: said('reopenedAt') },
      { cutOff: said('cutOff') },
    ),
    ...Object.values(said('corrections') ?? {}).flatMap((one) =>
      actOf('corrected', 'table', id, one, { cutOffBefore: propertyOf(one, 'cutOff') }),
    ),
    ...Object.entries(said('liftedFor') ?? {}).flatMap(([operation, one]) =>
      actOf('lifted', 'table', id, one, { operation }),
    ),
    ...actOf('lifted', 'table', id, lifted),
  ];
}

/** @returns none unless something says who, why and when */
function actOf(
  act: ActName,
  on: OperatorAct['on'],
  id: string,
  said: unknown,
  facts: Readonly<Record<string, unknown>> = {},
): readonly OperatorAct[] {
  const [by, note, time] = ['by', 'note', 'at'].map((name) => propertyOf(said, name));
  // Claims have their times as texts, for people.
  const at = typeof time === 'string' ? Date.parse(time) : time;
  if (typeof by !== 'string' || typeof note !== 'string' || typeof at !== 'number' || Number.isNaN(at)) return [];
  const isFact = (pair: [string, unknown]): pair is [string, string | number | boolean] =>
    ['string', 'number', 'boolean'].includes(typeof pair[1]);
  return [{ act, on, id, by, note, at, facts: Object.fromEntries(Object.entries(facts).filter(isFact)) }];
}

const jsonOf = (value: unknown) => (value === undefined ? undefined : JSON.stringify(value));

function fromJson(text: unknown): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}
