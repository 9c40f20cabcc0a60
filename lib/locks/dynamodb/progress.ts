import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { BatchGetCommand, type DynamoDBDocumentClient, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { Host } from '../../kernel/host.ts';
import { recordedError } from '../../kernel/recorded-error.ts';
import { within } from '../bounded.ts';
import { type Progress, progressOf, refusedMove, type Segment, type SegmentRecord, segmentsOf } from '../segment.ts';
import { backOff, despiteConflicts } from './conflicts.ts';
import type { TransactAction } from './store.ts';

/** The items are not those with which the work was begun: what is done of them cannot be told. Nothing was run. */
export class WorkChangedError extends Error {
  override readonly name = 'WorkChangedError';
  readonly id: string;
  readonly work: string;
  constructor({ id, work }: WorkName) {
    super(
      `the items of the work ${work} are not those that it was begun with; give other items another id or another name`,
    );
    this.id = id;
    this.work = work;
  }
}

/**
 * A chunk was refused by a condition of the application's own, or by DynamoDB: nothing of it was applied. `reasons` has a code
 * for each of the application's actions, `None` for those that were not in the way.
 */
export class ChunkRefusedError extends Error {
  override readonly name = 'ChunkRefusedError';
  /** The first item of the chunk. */
  readonly from: number;
  readonly reasons: readonly string[];
  constructor(from: number, reasons: readonly string[], cause: unknown) {
    super(`the chunk at item ${from} was refused: ${[...new Set(reasons)].join(', ')}`, { cause });
    this.from = from;
    this.reasons = reasons;
  }
}

/** DynamoDB's limit for one transaction. */
export const mostActions = 100;
/** What DynamoDB says of an action that it has looked at. */
const told = ['None', 'ConditionalCheckFailed'];
/** How long one request may take, in milliseconds: a client without time-outs would wait for ever. */
const requestMs = 10_000;
/** How often a transaction is sent whose answer did not come, on top of what the SDK does by itself. */
const mostTries = 4;

export interface ProgressTable {
  readonly tableName: string;
  readonly documents: DynamoDBDocumentClient;
  readonly host: Host;
}

/** What tells a work from others: that of one request from that of another, and the works of one request from each other. */
export interface WorkName {
  readonly id: string;
  readonly work: string;
}

/** What an older version of pawl finds where it looks for progress: it knows no names, and refuses it as another list. */
const guard = { total: 0, fingerprint: 'named', v: 'work-2' };

/** Where the progress of one work is kept: an item for each segment. */
export function progressItems({ tableName, documents, host }: ProgressTable, { id, work }: WorkName) {
  const named = (index: number) => `#work#${id}#${work}#${index}`;
  /** As versions before named works had it. What they began goes on there. */
  const unnamed = (index: number) => `#work#${id}#${index}`;
  let idOf = named;

  async function readItems(total: number): Promise<readonly (SegmentRecord | undefined)[]> {
    const found = new Map<string, SegmentRecord>();
    let waiting = segmentsOf(total).map(({ index }) => ({ id: idOf(index) }));
    const all = waiting;
    for (let tries = 0; waiting.length > 0; tries++) {
      if (tries > mostTries) throw new Error('DynamoDB did not read all segments');
      if (tries > 0) await backOff(host, tries);
      const command = new BatchGetCommand({ RequestItems: { [tableName]: { Keys: waiting, ConsistentRead: true } } });
      const { Responses, UnprocessedKeys } = await within(host, requestMs, () => documents.send(command));
      for (const item of Responses?.[tableName] ?? []) found.set(item['id'], item as SegmentRecord);
      // What was not read is not what was not begun: taken for that, its items would be refused as done by somebody else.
      waiting = (UnprocessedKeys?.[tableName]?.Keys ?? []) as typeof all;
    }
    return all.map(({ id }) => found.get(id));
  }

  /** How far the work has come. Nothing when it was not begun. */
  async function look(): Promise<Progress | undefined> {
    for (idOf of [named, unnamed]) {
      // Every work has a first segment, and that knows how many there are.
      const [first] = await readItems(0);
      const isOurs = first?.work === work || (first?.work === undefined && first?.next !== undefined);
      if (first && isOurs) return progressOf(first.total, await readItems(first.total));
    }
    return undefined;
  }

  /** Sends a transaction until it is known what came of it. Answers nothing when it was applied, and why not otherwise. */
  async function commit(actions: readonly TransactAction[]): Promise<TransactionCanceledException | undefined> {
    for (let tries = 1; ; tries++) {
      try {
        const command = new TransactWriteCommand({ TransactItems: [...actions] });
        await despiteConflicts(host, () => within(host, requestMs, () => documents.send(command)));
        return undefined;
      } catch (error) {
        if (error instanceof TransactionCanceledException) return error;
        // The application's actions are not well-formed: sent again, they would not be either.
        if (tries === mostTries || recordedError(error).name === 'ValidationException') throw error;
      }
      await backOff(host, tries);
    }
  }

  /** Fails where an older version has begun, unless its work is known to be another one; and keeps it from beginning. */
  function guarding(expiresAt: number): TransactAction {
    const names = ['total', 'fingerprint', 'v', 'work', 'expiresAt'];
    return {
      Update: {
        TableName: tableName,
        Key: { id: unnamed(0) },
        UpdateExpression:
          'SET #total = if_not_exists(#total, :total), #fingerprint = if_not_exists(#fingerprint, :fingerprint), ' +
          '#v = if_not_exists(#v, :v), #expiresAt = :expiresAt',
        ConditionExpression:
          'attribute_not_exists(id) OR #fingerprint = :fingerprint OR (attribute_exists(#work) AND #work <> :work)',
        ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
        ExpressionAttributeValues: {
          ':total': guard.total,
          ':fingerprint': guard.fingerprint,
          ':v': guard.v,
          ':work': work,
          ':expiresAt': expiresAt,
        },
      },
    };
  }

  /**
   * Makes all segments this attempt's own, so that no earlier one can move them. The fence is looked at in the same transaction:
   * an attempt that is itself stale does not begin.
   *
   * @throws WorkChangedError
   */
  async function begin(
    total: number,
    fingerprints: readonly string[],
    attempt: string,
    fence: TransactAction,
    expiresAt: number,
  ): Promise<'begun' | 'stale'> {
    const v = idOf === named ? guard.v : 'work-1';
    const adopted = segmentsOf(total).map(({ index, from, to }): TransactAction => {
      const fields = { index, from, to, total, attempt, fingerprint: fingerprints[index], work, expiresAt, v };
      const names = Object.keys(fields);
      return {
        Update: {
          TableName: tableName,
          Key: { id: idOf(index) },
          UpdateExpression: `SET #next = if_not_exists(#next, :from), ${names.map((name) => `#${name} = :${name}`).join(', ')}`,
          ConditionExpression:
            'attribute_not_exists(id) OR ' +
            '(#total = :total AND #fingerprint = :fingerprint AND (attribute_not_exists(#work) OR #work = :work))',
          ExpressionAttributeNames: Object.fromEntries([...names, 'next'].map((name) => [`#${name}`, name])),
          ExpressionAttributeValues: Object.fromEntries(
            Object.entries(fields).map(([name, value]) => [`:${name}`, value]),
          ),
        },
      };
    });
    const guards = idOf === named ? [guarding(expiresAt)] : [];
    const canceled = await commit([fence, ...guards, ...adopted]);
    if (canceled === undefined) return 'begun';
    const [ofFence, ...others] = codesOf(canceled);
    if (ofFence === 'ConditionalCheckFailed') return 'stale';
    if (guards.length > 0 && others[0] === 'ConditionalCheckFailed') {
      idOf = unnamed;
      return begin(total, fingerprints, attempt, fence, expiresAt);
    }
    if (others.includes('ConditionalCheckFailed')) throw new WorkChangedError({ id, work });
    throw canceled;
  }

  /**
   * Commits a chunk: the application's actions, and that the segment has come to `next`.
   *
   * @throws ChunkRefusedError
   */
  async function move(
    segment: Segment,
    attempt: string,
    from: number,
    next: number,
    checks: readonly TransactAction[],
    actions: readonly TransactAction[],
  ): Promise<'applied' | 'stale'> {
    const Update = {
      TableName: tableName,
      Key: { id: idOf(segment.index) },
      UpdateExpression: 'SET #next = :next',
      ConditionExpression: '#attempt = :attempt AND #next = :from',
      ExpressionAttributeNames: { '#next': 'next', '#attempt': 'attempt' },
      ExpressionAttributeValues: { ':next': next, ':attempt': attempt, ':from': from },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
    };
    const all = [{ Update }, ...checks, ...actions];
    let canceled = await commit(all);
    // Before it is known what stands of the progress, a refusal says nothing: this very chunk may have been applied before.
    for (let tries = 1; canceled && !told.includes(codesOf(canceled)[0] ?? ''); tries++) {
      if (tries === mostTries) throw canceled;
      await backOff(host, tries);
      canceled = await commit(all);
    }
    if (canceled === undefined) return 'applied';
    const codes = codesOf(canceled);
    if (codes[0] === 'ConditionalCheckFailed') {
      const { attempt: theirs, next: at } = canceled.CancellationReasons?.[0]?.Item ?? {};
      return refusedMove(attempt, next, { attempt: theirs?.S ?? '', next: Number(at?.N) });
    }
    if (codes.slice(1, 1 + checks.length).includes('ConditionalCheckFailed')) return 'stale';
    throw new ChunkRefusedError(from, codes.slice(1 + checks.length), canceled);
  }

  return { look, read: readItems, begin, move };
}

function codesOf({ CancellationReasons = [] }: TransactionCanceledException): readonly string[] {
  return CancellationReasons.map(({ Code = 'None' }) => Code);
}
