import { OptionError } from '../kernel/errors.ts';
import type { Host } from '../kernel/host.ts';
import { operationOf } from '../rules/identity.ts';
import { isObserved } from '../rules/observed.ts';
import { type ClaimRecord, claimSchema } from '../rules/record.ts';
import type { ClaimStore, ClaimWrite, WriteResult } from '../rules/store.ts';
import { whileThrottled } from '../stores/dynamodb/while-throttled.ts';
import type { AtGate, Completed, Entrant, RecordTable } from './table.ts';

/**
 * A claim store beside Powertools' records.
 *
 * Owns: in which order a claim and its record at the gate are written, and what a record looks like to the rules. Does not own: the requests (`table.ts`), nor what becomes of a key (`rules/`):
 * what Powertools has done is shown as a claim, and `decide` decides about it as about any other.
 *
 * 1. A claim is granted only to the worker that has won the gate before. (`granted`)
 * 2. A completion ends the gate before the claim: a worker that dies between the two leaves nothing that Powertools would run again.
 * 3. Any other outcome ends the claim before the gate: nobody of Powertools runs while the claim is held.
 * 4. An attempt of Powertools without an outcome is shown as a claim in flight, with its lease. When that is over, it is abandoned, and the policy decides: once.
 */

/**
 * What becomes of Powertools' records.
 *
 * - `'gate'`: workers of both libraries run. Each call goes through Powertools' record first, and ends it.
 * - `'read'`: no worker of Powertools runs any more. What its records say still counts, until they expire. Nothing is written to them.
 */
export type PowertoolsRecords = 'gate' | 'read';

/** Under which attributes a claim keeps the id of its record, what Powertools compares, and the last attempt of Powertools that was decided upon, by its end. */
export const besideAttributes = {
  recordId: 'powertools',
  validation: 'validation',
  decided: 'powertools-attempt',
} as const;

interface Beside {
  readonly table: RecordTable;
  readonly records: PowertoolsRecords;
  /** The id of Powertools' record. */
  readonly recordOf: (claim: Pick<ClaimRecord, 'id' | 'attributes'>) => string;
  readonly host: Host;
}

/** The claim id of a record that stands for one of Powertools. No grant has it. */
const powertools = '#powertools';

/** What stands behind a record that was made for the one who decides. */
interface Behind {
  readonly record: ClaimRecord | undefined;
  /** What was found at the gate. */
  readonly gate: AtGate;
}

type InProgress = Extract<AtGate, { readonly kind: 'in-progress' }>;

/** The two functions of a claim store. */
export function beside(
  store: ClaimStore,
  { table, records, recordOf, host }: Beside,
): Pick<ClaimStore, 'read' | 'write'> {
  const shown = new WeakMap<ClaimRecord, Behind>();
  let operation: string | undefined;

  /** @throws OptionError for a second operation: a record has no word of it, so what one has done would be taken for the other's */
  function expectOneOperation({ id }: ClaimRecord): void {
    const asked = operationOf(id);
    operation ??= asked;
    if (operation === asked) return;
    throw new OptionError(
      `besidePowertools: expected claims of one operation; got '${operation}' and '${asked}', which have the same records. Give '${asked}' the claims store itself, or a besidePowertools of its own with another keyPrefix. Nothing was run`,
      'wrong-store',
    );
  }

  /** A refused write, with what Powertools has done in place of the claim. */
  async function refusedBy(
    gate: Completed | InProgress,
    next: ClaimRecord,
    record: ClaimRecord | undefined,
  ): Promise<WriteResult> {
    const base: ClaimRecord = record ?? {
      id: next.id,
      status: 'in-flight',
      fence: 0,
      leaseUntil: host.now(),
      firstSeenAt: host.now(),
      attempts: 0,
      abandoned: 0,
      rev: 0,
      v: claimSchema,
      attributes: next.attributes,
      claimId: powertools,
    };
    const found: ClaimRecord =
      gate.kind === 'completed'
        ? {
            ...base,
            ...completionOf(gate, next),
            resultOmitted: await omittedBy(gate, next.id),
            status: 'completed',
            claimId: powertools,
            unknownAt: undefined,
          }
        : {
            ...base,
            status: 'in-flight',
            claimId: powertools,
            atomic: undefined,
            leaseUntil: gate.doubtUntil ?? gate.until,
            attributes: { ...base.attributes, [besideAttributes.decided]: String(gate.doubtUntil ?? gate.until) },
          };
    shown.set(found, { record, gate });
    return { applied: false, found };
  }

  /** Why pawl has kept no result of a call of its own: to Powertools, it looks like that of a function that returns nothing. */
  async function omittedBy({ data }: Completed, id: string): Promise<ClaimRecord['resultOmitted']> {
    if (data !== undefined) return undefined;
    const own = await store.read(id);
    return own?.status === 'completed' ? own.resultOmitted : undefined;
  }

  /** Grants a claim to the worker that wins the gate. */
  async function granted(write: ClaimWrite, seen: Behind): Promise<WriteResult> {
    const { next } = write;
    const { record } = seen;
    const id = recordOf(next);
    const { claimId, leaseUntil: until, expiresAt: expiration } = next;
    const entrant: Entrant = { claimId, until, expiration, validation: validationOf(next) };
    /** What was decided upon: an attempt of Powertools that is over, perhaps one whose gate another worker of pawl has taken over since. */
    const decided = seen.gate.kind === 'in-progress' ? seen.gate : undefined;
    const isOver = decided !== undefined && decided.heldBy === undefined;
    let found = await (isOver ? table.takeOver(id, entrant, decided.until) : table.enter(id, entrant));
    if (found?.kind === 'in-progress' && found.heldBy !== undefined) {
      const isConsidered =
        found.doubtUntil === undefined || found.doubtUntil === (decided?.doubtUntil ?? decided?.until);
      if (!isConsidered) return refusedBy(found, next, record);
      found = found.heldBy === claimId ? undefined : await table.pass(id, entrant, found.heldBy, found.until);
    }
    // What has changed between two looks is looked at again.
    if (found?.kind === 'none') return { applied: false, found: record };
    if (found !== undefined) return refusedBy(found, next, record);
    const written = await store.write({ ...write, seen: record });
    if (!written.applied) await follow(id, written.found, entrant);
    return written;
  }

  /** The gate was won, and the claim stands as another worker of pawl left it: Powertools is to see that. */
  async function follow(id: string, found: ClaimRecord | undefined, { claimId, until }: Entrant): Promise<void> {
    switch (found?.status) {
      case 'completed':
        return table.complete(id, completedAs(found));
      case 'rejected':
        return table.free(id, claimId);
      case 'in-flight':
        if (found.leaseUntil > until) await table.hold(id, found.leaseUntil);
        return;
      case 'parked':
        await table.hold(id);
        return;
    }
  }

  /**
   * Lets nobody of Powertools in behind a claim that is about to be parked: not to take over the attempt of Powertools that it is parked for, and not where nobody
   * holds the gate, as of a claim that was released.
   *
   * @returns what Powertools has done meanwhile, if anything
   */
  async function enterToPark(next: ClaimRecord, gate: AtGate): Promise<AtGate | undefined> {
    const id = recordOf(next);
    const { claimId } = next;
    const entrant: Entrant = { claimId, until: host.now(), expiration: undefined, validation: validationOf(next) };
    const isPowertools = gate.kind === 'in-progress' && gate.heldBy === undefined;
    if (isPowertools) return table.takeOver(id, entrant, gate.until);
    const found = await table.enter(id, entrant);
    return found?.kind === 'in-progress' && found.heldBy !== undefined ? undefined : found;
  }

  /** Makes what the owner of a claim, or an operator, writes true of its gate, too. */
  async function changed(write: ClaimWrite, behind: Behind): Promise<WriteResult> {
    const { next } = write;
    const { record, gate } = behind;
    const id = recordOf(next);
    const inner = { ...write, seen: record };
    if (next.status === 'completed') {
      await table.complete(id, completedAs(next));
      return store.write(inner);
    }
    if (next.status === 'in-flight') {
      const found = await table.hold(id, next.leaseUntil);
      // Its lease has ended, and Powertools has taken the gate over.
      if (found?.kind === 'in-progress' && found.heldBy === undefined) return refusedBy(found, next, record);
      return store.write(inner);
    }
    if (next.status === 'parked' || (gate.kind === 'in-progress' && gate.heldBy === undefined)) {
      const found = await enterToPark(next, gate);
      if (found?.kind === 'none') return { applied: false, found: record };
      if (found !== undefined) return refusedBy(found, next, record);
    }
    const written = await store.write(inner);
    // A write whose answer was lost is refused by itself.
    const isOurs = written.applied || (written.found?.claimId === next.claimId && written.found.status === next.status);
    if (!isOurs) return written;
    // A claim that is parked keeps Powertools out until an operator has decided, and a worker of pawl has come by.
    if (next.status === 'parked') await table.hold(id);
    else await table.free(id, next.claimId);
    return written;
  }

  /** Grants a claim to the worker that finds nothing of Powertools which is not decided. */
  async function grantedAfterRead(write: ClaimWrite, { record, gate }: Behind): Promise<WriteResult> {
    const { next } = write;
    const found = await table.read(recordOf(next));
    const doubt = doubtAt(found);
    const isKnown =
      doubt !== undefined &&
      (doubt === doubtAt(gate) || record?.attributes?.[besideAttributes.decided] === String(doubt));
    const isPowertools = found.kind === 'completed' || doubt !== undefined;
    if (found.kind !== 'none' && isPowertools && !isKnown) return refusedBy(found, next, record);
    return unguarded(write, { record, gate });
  }

  /** Writes what says nothing to Powertools. */
  function unguarded(write: ClaimWrite, { record }: Behind): Promise<WriteResult> {
    return store.write({ ...write, seen: record });
  }

  async function write(one: ClaimWrite): Promise<WriteResult> {
    const { next, seen } = one;
    const behind: Behind = (seen && shown.get(seen)) ?? { record: seen, gate: { kind: 'none' } };
    const isGrant = next.status === 'in-flight' && next.claimId !== behind.record?.claimId;
    // What only watches changes nothing at the gate, and neither does a note on a claim.
    if (isObserved(next) || isNote(next, behind.record)) return unguarded(one, behind);
    if (isGrant) expectOneOperation(next);
    const isGate = records === 'gate';
    const put = isGrant ? (isGate ? granted : grantedAfterRead) : isGate ? changed : unguarded;
    return whileThrottled(host, one.waitsMs, (waitsMs) => put({ ...one, waitsMs }, behind));
  }

  return { read: (id, waitsMs) => store.read(id, waitsMs), write };
}

/** Until when an attempt of Powertools may have had its effect, if one has left no outcome: also one whose gate pawl took over, perhaps by a worker that died there. */
function doubtAt(gate: AtGate): number | undefined {
  if (gate.kind !== 'in-progress') return undefined;
  return gate.heldBy === undefined ? gate.until : gate.doubtUntil;
}

/** Whether a write leaves the claim as it is: it keeps its owner, its status and its lease. */
function isNote(next: ClaimRecord, record: ClaimRecord | undefined): boolean {
  return next.claimId === record?.claimId && next.status === record.status && next.leaseUntil === record.leaseUntil;
}

function validationOf({ attributes }: Pick<ClaimRecord, 'attributes'>): string | undefined {
  const said = attributes?.[besideAttributes.validation];
  return typeof said === 'string' ? said : undefined;
}

/** A completed claim, as Powertools keeps it. */
function completedAs(claim: ClaimRecord): Omit<Completed, 'kind'> {
  const { result, expiresAt: expiration } = claim;
  return { data: result === undefined ? undefined : JSON.parse(result), expiration, validation: validationOf(claim) };
}

/** A fingerprint that no input has: the key was used with another payload. */
const otherPayload = 'powertools';

/** What Powertools has completed, as a claim keeps it. */
function completionOf({ data, expiration: expiresAt, validation }: Completed, next: ClaimRecord): Partial<ClaimRecord> {
  const isOther = next.fingerprint !== undefined && validation !== validationOf(next);
  const fingerprint = isOther ? otherPayload : undefined;
  return { result: resultOf(data), expiresAt, fingerprint };
}

function resultOf(data: unknown): string | undefined {
  return data === undefined ? undefined : JSON.stringify(data);
}
