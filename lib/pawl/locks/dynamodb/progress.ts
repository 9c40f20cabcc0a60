import type { CancellationReason } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoTransport } from '../../aws/aws.ts';
import { explainedError } from '../../kernel/errors.ts';
import type { Host } from '../../kernel/host.ts';
import { boundedName, ownParts } from '../../kernel/name.ts';
import { answeredBy } from '../../kernel/request.ts';
import { Retry } from '../../kernel/retry.ts';
import { wrongNumberIn } from '../../kernel/stored-numbers.ts';
import { call } from '../../stores/dynamodb/calls.ts';
import { conditionOf, conditionOfAny } from '../../stores/dynamodb/condition.ts';
import { cancellationOf, conditionFailed, isHopeless } from '../../stores/dynamodb/errors.ts';
import { marshallAction, type TransactAction } from '../../stores/dynamodb/marshall-action.ts';
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
import { readAll } from './read-all.ts';

/** DynamoDB's limit for one transaction. */
export const mostActions = 100;
/** How long one request may take, in milliseconds: a client without time-outs would wait for ever. */
const requestMs = 10_000;
/** How often a transaction is sent whose response did not come, on top of what the SDK does by itself. */
const mostTries = 4;

/** Where progress is kept. */
export interface ProgressTable {
  readonly tableName: string;
  readonly transport: DynamoTransport;
  readonly host: Host;
}

/** The id of the record of a segment. */
export function segmentId({ id, work }: WorkName, index: number, host: Pick<Host, 'sha256'>): string {
  return boundedName(ownParts('work'), [id, work, String(index)], host);
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
): Promise<'begun' | 'stale'> {
  const committed = await commit(table, [fence, ...adopting(table, name, attempt)]);
  if (committed.kind === 'committed') return 'begun';
  const [ofFence] = committed.codes;
  return ofFence === conditionFailed ? 'stale' : throwRefused(name, committed);
}

/** @throws WorkChangedError where a segment is about other items, or else what DynamoDB has said */
function throwRefused(name: WorkName, { codes, cause }: Refused): never {
  if (codes.includes(conditionFailed)) throw new WorkChangedError(name);
  throw cause;
}

/** Reads the segments of a work of so many items, strongly consistent. */
export async function readSegments(
  { tableName, transport, host }: ProgressTable,
  name: WorkName,
  total: number,
): Promise<readonly (SegmentRecord | undefined)[]> {
  const ids = segmentsOf(total).map(({ index }) => segmentId(name, index, host));
  const found = await readAll(host, ids, async (some) => {
    const Keys = some.map((id) => ({ id: { S: id } }));
    const read = call(transport, 'BatchGetItem', { RequestItems: { [tableName]: { Keys, ConsistentRead: true } } });
    const { Responses, UnprocessedKeys } = await answeredBy(host, host.now() + requestMs, read);
    const found = (Responses?.[tableName] ?? []).map((item) => unmarshall(item));
    const items = found.map((item) => [String(item['id']), segmentIn(item)] as const);
    return { items, unread: (UnprocessedKeys?.[tableName]?.Keys ?? []).flatMap((key) => key['id']?.S ?? []) };
  });
  return ids.map((id) => found.get(id));
}

const ofSegment = { counts: ['index', 'from', 'to', 'total', 'next'], times: ['expiresAt'] };

/** @throws Error when a number of it is none: a work that goes on from there would leave items out, or repeat them */
function segmentIn(item: Record<string, unknown>): SegmentRecord {
  if (isSegment(item)) return item;
  const said = `the progress of this work is left alone: its ${wrongNumberIn<string>(item, ofSegment)} is no number that pawl writes there`;
  throw explainedError(Error, said, 'foreign-item');
}

function isSegment(item: Record<string, unknown>): item is Record<string, unknown> & SegmentRecord {
  return wrongNumberIn<string>(item, ofSegment) === undefined;
}

/** How far a work has come. Nothing when it was not begun. */
export async function lookUpWork(table: ProgressTable, name: WorkName): Promise<Progress | undefined> {
  // Every work has a first segment, and that knows how many there are.
  const [first] = await readSegments(table, name, 0);
  return first && progressOf(first.total, await readSegments(table, name, first.total));
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

function adopting({ tableName, host }: ProgressTable, name: WorkName, attempt: WorkAttempt): readonly TransactAction[] {
  return adoptionsOf(attempt).map(({ fields, firstNext, allowed }: Adoption) => {
    const { expression, names, values } = conditionOfAny(allowed);
    const fieldNames = Object.keys(fields);
    const set = fieldNames.map((name) => `#${name} = :${name}`).join(', ');
    return {
      Update: {
        TableName: tableName,
        Key: { id: segmentId(name, fields.index, host) },
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
  { transport, host }: ProgressTable,
  actions: readonly TransactAction[],
): Promise<Refused | { readonly kind: 'committed' }> {
  const policy = { requestMs, until: Infinity, tries: mostTries, pauses: betweenConflicts };
  const retry = new Retry(host, policy);
  const TransactItems = actions.map(marshallAction);
  const send = () => call(transport, 'TransactWriteItems', { TransactItems });
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
