import { expect } from '../kernel/check.ts';
import { isHidden } from '../kernel/key-hash.ts';
import { expectOptions } from '../kernel/take-options.ts';
import type { NamesOf } from '../kernel/unknown-option.ts';
import { forget as decideForget, type NotForgotten } from '../rules/forget.ts';
import { type ClaimRecord, type Forgotten, understood } from '../rules/record.ts';
import { expectActedBy } from '../rules/resolve.ts';
import { type ClaimName, type ClaimView, claimView, idOf } from './claim-view.ts';
import type { Desk } from './desk.ts';
import type { ActedBy } from './options.ts';
import { docs } from './words.ts';

/**
 * Who erases the data of a claim, and why. Do not name the person there: it is kept.
 *
 * @example
 * const forgotten: ForgottenBy = { by: 'maria', note: 'request 4711' };
 * await operate.forget({ operation: 'send-email', key: 'order-17' }, forgotten);
 */
export interface ForgottenBy extends ActedBy {
  /**
   * The `revision` of the claim that the operator looked at. If the claim has changed since, nothing is erased.
   * @default that of the claim when `forget` reads it
   */
  readonly revision?: number | undefined;
}

/** Where data of a claim may be that `forget` does not reach. */
export type NotReached =
  | 'key'
  | 'fingerprint'
  | 'other-claims'
  | 'backups'
  | 'dead-letters'
  | 'logs'
  | 'findings'
  | 'statement-line'
  | 'provider';

/** What became of it. Only `forgotten` changed something; `notReached` says where data of the claim may still be. */
export type ForgetResult = { readonly id: string } & (
  | { readonly outcome: 'forgotten'; readonly claim: ClaimView; readonly notReached: readonly NotReached[] }
  | { readonly outcome: 'stays'; readonly whyNot: NotForgotten; readonly claim: ClaimView | undefined }
);

const known = { by: true, note: true, revision: true } as const satisfies NamesOf<ForgottenBy>;

/** @throws OptionError; InvalidMessageError when the key is none; the store's error */
export async function forget(
  desk: Pick<Desk, 'store' | 'host' | 'emit'>,
  name: ClaimName,
  acted: ForgottenBy,
): Promise<ForgetResult> {
  expectOptions(acted, { door: 'forget', known, docs });
  const { by, note } = acted;
  expectActedBy(by, note);
  const { revision: given } = acted;
  const isRevision = given === undefined || (Number.isSafeInteger(given) && given >= 1);
  expect(isRevision, 'revision', 'the revision of a claim, from readClaim', given);
  const { store, host, emit } = desk;
  const id = idOf(name, host);
  const forgotten: Forgotten = { by, note, at: new Date(host.now()).toISOString(), id: host.randomId() };
  let found = understood(await store.read(id));
  // Of the record that is read first: what comes later, the operator has not seen.
  const revision = given ?? found?.rev;
  for (;;) {
    const decided = decideForget(found, forgotten, revision);
    if (decided.kind === 'refused') {
      return { id, outcome: 'stays', whyNot: decided.why, claim: found && claimView(found, host) };
    }
    let record: ClaimRecord;
    if (decided.kind === 'done') record = decided.record;
    else {
      const written = await store.write(decided);
      if (!written.applied) {
        found = understood(written.found);
        continue;
      }
      record = decided.next;
    }
    const claim = claimView(record, host);
    emit({ type: 'forgotten', id, fence: claim.fence, at: host.now(), by, note });
    return { id, outcome: 'forgotten', claim, notReached: notReached(record, claim) };
  }
}

function notReached({ statement, fingerprint }: ClaimRecord, { key }: ClaimView): readonly NotReached[] {
  // A secret is in both then: nobody can try out what they are the hash of.
  const isHiddenKey = key !== undefined && isHidden(key);
  return [
    // Of a key that is too long, pawl keeps a hash alone.
    ...(key === undefined || isHiddenKey ? [] : (['key'] as const)),
    // A hash, which tells another payload from this one.
    ...(fingerprint === undefined || isHiddenKey ? [] : (['fingerprint'] as const)),
    ...(statement === undefined ? [] : (['statement-line'] as const)),
    ...(['other-claims', 'findings', 'dead-letters', 'logs', 'backups', 'provider'] as const),
  ];
}
