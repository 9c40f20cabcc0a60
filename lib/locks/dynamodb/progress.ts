import type { CancellationReason } from '@aws-sdk/client-dynamodb';
import { BatchGetCommand, type DynamoDBDocumentClient, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { Host } from '../../kernel/host.ts';
import { answeredBy } from '../../kernel/request.ts';
import { Retry } from '../../kernel/retry.ts';
import { conditionOf, conditionOfAny } from '../../stores/dynamodb/condition.ts';
import { cancellationOf, conditionFailed, isHopeless } from '../../stores/dynamodb/errors.ts';
import { ChunkRefusedError, WorkChangedError } from '../errors.ts';
import {
  type Adoption,
  adoptionsOf,
  type Move,
  moveSegment,
  type Progress,
  positionState,
  progressOf,
  type SegmentRecord,
  segmentsOf,
  type WorkAttempt,
  type WorkName,
} from '../progress.ts';
import { betweenConflicts, despiteConflicts } from './conflicts.ts';
import { guarding, isSegmentOf, namedPlace, type Place, segmentId, unnamedPlace } from './earlier-versions.ts';
import { readAll } from './read-all.ts';
import type { TransactAction } from './transact-action.ts';

/** DynamoDB's limit for one transaction. */
export const mostActions = 100;
/** How long one request may take, in milliseconds: a client without time-outs would wait for ever. */
const requestMs = 10_000;
/** How often a transaction is sent whose response did not come, on top of what the SDK does by itself. */
const mostTries = 4;

/** Where progress is kept. */
export interface ProgressTable {
  readonly tableName: string;
  readonly documents: DynamoDBDocumentClient;
  readonly host: Host;
}

/** An attempt that has begun. Or it may not begin: its fence was refused. */
export interface Begun {
  readonly kind: 'begun' | 'stale';
  readonly place: Place;
}

/**
 * Makes all segments this attempt's own, so that no earlier one can move them. The fence is looked at in the same transaction:
 * an attempt that is itself stale does not begin.
 *
 * @throws WorkChangedError
 */
export async function beginWork(
  table: ProgressTable,
  name: WorkName,
  attempt: WorkAttempt,
  fence: TransactAction,
): Promise<Begun> {
  const guard = guarding(table.tableName, name, attempt.expiresAt);
  const named = namedPlace(name);
  const committed = await commit(table, [fence, guard, ...adopting(table, named, attempt)]);
  if (committed.kind === 'committed') return { kind: 'begun', place: named };
  const [ofFence, ofGuard] = committed.codes;
  if (ofFence === conditionFailed) return { kind: 'stale', place: named };
  if (ofGuard !== conditionFailed) return refused(name, committed);

  // A version before named works has begun it: it goes on there.
  const unnamed = unnamedPlace(name);
  const continued = await commit(table, [fence, ...adopting(table, unnamed, attempt)]);
  if (continued.kind === 'committed') return { kind: 'begun', place: unnamed };
  if (continued.codes[0] === conditionFailed) return { kind: 'stale', place: unnamed };
  return refused(name, continued);
}

/** @throws WorkChangedError where a segment is about other items, or else what DynamoDB has said */
function refused(name: WorkName, { codes, cause }: Refused): never {
  if (codes.includes(conditionFailed)) throw new WorkChangedError(name);
  throw cause;
}

/** Reads the segments of a work of so many items, strongly consistent. */
export async function readSegments(
  { tableName, documents, host }: ProgressTable,
  place: Place,
  total: number,
): Promise<readonly (SegmentRecord | undefined)[]> {
  const ids = segmentsOf(total).map(({ index }) => segmentId(place, index));
  const found = await readAll(host, ids, async (some) => {
    const Keys = some.map((id) => ({ id }));
    const command = new BatchGetCommand({ RequestItems: { [tableName]: { Keys, ConsistentRead: true } } });
    const read = documents.send(command);
    const { Responses, UnprocessedKeys } = await answeredBy(host, host.now() + requestMs, read);
    const items = (Responses?.[tableName] ?? []).map((item) => [String(item['id']), item as SegmentRecord] as const);
    return { items, unread: (UnprocessedKeys?.[tableName]?.Keys ?? []).map((key) => String(key['id'])) };
  });
  return ids.map((id) => found.get(id));
}

/** How far a work has come. Nothing when it was not begun. */
export async function lookUpWork(table: ProgressTable, name: WorkName): Promise<Progress | undefined> {
  for (const place of [namedPlace(name), unnamedPlace(name)]) {
    // Every work has a first segment, and that knows how many there are.
    const [first] = await readSegments(table, place, 0);
    if (first && isSegmentOf(first, name.work)) {
      return progressOf(first.total, await readSegments(table, place, first.total));
    }
  }
  return undefined;
}

/**
 * Commits a chunk: the application's actions, and that the segment has moved on.
 *
 * @param checks of the application. If one of them is refused, the attempt is stale
 * @throws ChunkRefusedError
 */
export async function moveOn(
  table: ProgressTable,
  id: string,
  move: Move,
  checks: readonly TransactAction[],
  actions: readonly TransactAction[],
): Promise<'applied' | 'stale'> {
  const committed = await commit(table, [moving(table, id, move), ...checks, ...actions]);
  if (committed.kind === 'committed') return 'applied';
  const { codes, reasons, cause } = committed;
  if (codes[0] === conditionFailed) {
    const { attempt, next } = reasons[0]?.Item ?? {};
    // Sent again after its response was lost, it finds its own move.
    return moveSegment(move, { attempt: attempt?.S ?? '', next: Number(next?.N) }) === 'applied' ? 'applied' : 'stale';
  }
  if (codes.slice(1, 1 + checks.length).includes(conditionFailed)) return 'stale';
  throw new ChunkRefusedError(move.from, codes.slice(1 + checks.length), cause);
}

function adopting({ tableName }: ProgressTable, place: Place, attempt: WorkAttempt): readonly TransactAction[] {
  return adoptionsOf(attempt, place.v).map(({ fields, firstNext, allowed }: Adoption) => {
    const { expression, names, values } = conditionOfAny(allowed);
    const fieldNames = Object.keys(fields);
    const set = fieldNames.map((name) => `#${name} = :${name}`).join(', ');
    return {
      Update: {
        TableName: tableName,
        Key: { id: segmentId(place, fields.index) },
        UpdateExpression: `SET #next = if_not_exists(#next, :next), ${set}`,
        ConditionExpression: expression,
        ExpressionAttributeNames: {
          ...names,
          ...Object.fromEntries([...fieldNames, 'next'].map((name) => [`#${name}`, name])),
        },
        ExpressionAttributeValues: {
          ...values,
          ':next': firstNext,
          ...Object.fromEntries(Object.entries(fields).map(([name, value]) => [`:${name}`, value])),
        },
      },
    };
  });
}

function moving({ tableName }: ProgressTable, id: string, { attempt, from, to }: Move): TransactAction {
  const { expression, names, values } = conditionOf(positionState({ attempt, next: from }), 'Seen');
  return {
    Update: {
      TableName: tableName,
      Key: { id },
      UpdateExpression: 'SET #next = :next',
      ConditionExpression: expression,
      ExpressionAttributeNames: names,
      ExpressionAttributeValues: { ...values, ':next': to },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    },
  };
}

/** A transaction that was cancelled: nothing of it was applied. */
interface Refused {
  readonly kind: 'refused';
  readonly reasons: readonly CancellationReason[];
  /** A code for each action, `None` for those that were not in the way. */
  readonly codes: readonly string[];
  readonly cause: unknown;
}

/** What DynamoDB says of an action that it has looked at. */
const told = ['None', conditionFailed];

/**
 * Sends a transaction until it is known what became of it.
 *
 * A refusal counts only if it says what stands of the first action. Otherwise this very transaction may have been applied before, its
 * response lost, and another action be refused because of that.
 *
 * @throws DynamoDB's error, when it is hopeless or keeps coming
 */
async function commit(
  { documents, host }: ProgressTable,
  actions: readonly TransactAction[],
): Promise<Refused | { readonly kind: 'committed' }> {
  const policy = { requestMs, until: Number.POSITIVE_INFINITY, tries: mostTries, pauses: betweenConflicts };
  const retry = new Retry(host, policy);
  const send = () => documents.send(new TransactWriteCommand({ TransactItems: [...actions] }));
  for (;;) {
    try {
      await despiteConflicts(host, () => answeredBy(host, retry.tryUntil(host.now()), send()));
      return { kind: 'committed' };
    } catch (cause) {
      const reasons = cancellationOf(cause) ?? [];
      const codes = reasons.map(({ Code = 'None' }) => Code);
      if (codes[0] !== undefined && told.includes(codes[0])) return { kind: 'refused', reasons, codes, cause };
      // The application's actions are not well-formed, say: sent again, they would not be either.
      if (isHopeless(cause)) throw cause;
      await retry.pauseAfter(cause);
    }
  }
}
