import { pageAt } from '../kernel/error-code.ts';
import { claimsTableDefinition, type KeyAttribute, openClaims } from './table-definition.ts';
import { type Problem, refusal, warned } from './wiring-problem.ts';

/** Whether DynamoDB deletes expired items, and by which attribute. */
export type TimeToLive = { readonly kind: 'on'; readonly attribute: string } | { readonly kind: 'off' };

/** What is known of a table of claims. */
export interface TableWiring {
  readonly name: string;
  /** Its key, each attribute with its role and type, such as `id (HASH, S)`. */
  readonly key: readonly string[];
  /** The other regions that it is replicated to. */
  readonly replicas: readonly string[];
  /** How the replicas follow each other: `strong` has conditions that see every region. */
  readonly replication: 'eventual' | 'strong';
  readonly ttl: TimeToLive | undefined;
  /** Whether something keeps it from being deleted. */
  readonly isKept: boolean | undefined;
  readonly pointInTimeRecovery: boolean | undefined;
}

/** What is known of the index of open claims, which consumers do not need. */
export type OpenIndex =
  | { readonly kind: 'missing' }
  /** DynamoDB adds it to a table that has records, and it cannot be read yet. */
  | { readonly kind: 'building' }
  | {
      readonly kind: 'there';
      /** As the table's key is given. */
      readonly key: readonly string[];
      /** The attributes in it, beside those of its key and of the table's. */
      readonly projected: 'ALL' | readonly string[];
    };

/** The mark of a table that was restored from a point in time. */
export type RestoreMark =
  | { readonly kind: 'none' }
  /** The restore has brought it along. It does not count for this table. */
  | { readonly kind: 'of-an-earlier-table' }
  /** `cutOff`: the point in time, in epoch milliseconds. `liftedFor`: the operations that it was lifted for. */
  | { readonly kind: 'stands'; readonly cutOff: number; readonly liftedFor: readonly string[] }
  | { readonly kind: 'lifted' };

/** What a standing mark does to new keys, or one that does not count; empty when there is none, or it could not be read. */
export function restoreProblems(table: string, mark: RestoreMark | undefined): readonly Problem[] {
  if (mark?.kind === 'of-an-earlier-table') {
    return [
      warned(
        'tableRestored',
        `The claims table ${table} was restored, and is not marked: the mark in it is of an earlier table. A consumer with restored: restoredTable runs nothing, and one ` +
          `without it may repeat what the table has forgotten. Mark it with pawl restored --cut-off, as ${pageAt('docs/guides/restore.md')} describes it.`,
      ),
    ];
  }
  if (mark?.kind !== 'stands') return [];
  const { cutOff, liftedFor } = mark;
  const but = liftedFor.length === 0 ? '' : ` It is lifted for ${liftedFor.join(', ')} alone.`;
  return [
    warned(
      'tableRestored',
      `The claims table ${table} is marked as restored to ${new Date(cutOff).toISOString()}: a key without a record is in doubt.${but} ` +
        `When the lost time has been compared with the providers, lift the mark with pawl restored --lift, as ${pageAt('docs/guides/restore.md')} describes it.`,
    ),
  ];
}

/** What makes a table unfit for claims; empty when it is fit. */
export function tableProblems(table: TableWiring): readonly Problem[] {
  return [...keyProblems(table), ...replicaProblems(table), ...ttlProblems(table), ...keepingProblems(table)];
}

function keyProblems({ name, key }: TableWiring): readonly Problem[] {
  const needed = `${claimsTableDefinition.key.name} (HASH, ${claimsTableDefinition.key.type})`;
  if (key.length === 1 && key[0] === needed) return [];
  return [
    refusal(
      'tableKey',
      `The key of the claims table ${name} is ${key.join(' and ')}, and pawl needs ${needed} alone: it could not write a claim. ` +
        'Use a table for claims only, such as ClaimsTable.',
    ),
  ];
}

function replicaProblems({ name, replicas, replication }: TableWiring): readonly Problem[] {
  if (replicas.length === 0) return [];
  const where = `${replicas.length === 1 ? 'another region' : `${replicas.length} other regions`} (${replicas.join(', ')})`;
  const text =
    replication === 'strong'
      ? `The claims table ${name} is a global table with strong consistency, replicated to ${where}: such a table has no transactions and no TTL. ` +
        'Locks and the writes of eachTransaction and commit would fail, and the table would grow for ever.'
      : `The claims table ${name} is replicated to ${where}: a condition sees its own region only, so two regions could both grant the same claim.`;
  return [refusal('tableReplicas', `${text} Remove the replicas, or use a table in one region, such as ClaimsTable.`)];
}

function ttlProblems({ name, ttl }: TableWiring): readonly Problem[] {
  if (ttl === undefined) return [];
  if (ttl.kind === 'off') {
    return [
      warned(
        'tableGrows',
        `The claims table ${name} has no TTL: it grows for ever. Turn TTL on, with the attribute ${claimsTableDefinition.timeToLiveAttribute}.`,
      ),
    ];
  }
  const { timeToLiveAttribute } = claimsTableDefinition;
  if (ttl.attribute === timeToLiveAttribute) return [];
  return [
    refusal(
      'tableTtl',
      `The claims table ${name} deletes by ${ttl.attribute}, and the expiry of a claim is in ${timeToLiveAttribute}: DynamoDB would delete claims too early, or never. ` +
        `Set the table's TTL attribute to ${timeToLiveAttribute}.`,
    ),
  ];
}

function keepingProblems({ name, isKept, pointInTimeRecovery }: TableWiring): readonly Problem[] {
  const problems: Problem[] = [];
  if (isKept === false) {
    problems.push(
      warned(
        'tableDeletion',
        `The claims table ${name} may be deleted: pawl would forget what happened, and repeat effects. Turn deletion protection on.`,
      ),
    );
  }
  if (pointInTimeRecovery === false) {
    problems.push(
      warned(
        'tableRecovery',
        `The claims table ${name} has no point-in-time recovery. Turn it on, so that you can restore claims.`,
      ),
    );
  }
  return problems;
}

/** An attribute of a key, with its role and type. */
export const describedKey = ({ name, type }: KeyAttribute, role: 'HASH' | 'RANGE') => `${name} (${role}, ${type})`;

/** What keeps an operator from listing the open claims; empty when the list works. */
export function openIndexProblems(table: string, index: OpenIndex): readonly Problem[] {
  const { name, partitionKey, sortKey, projected } = openClaims;
  const warning = (text: string) => [warned('tableOpenIndex', text)];
  const add = `Deploy ClaimsTable, or add the index as ${pageAt('docs/reference/table.md')} describes it`;
  switch (index.kind) {
    case 'missing':
      return warning(
        `The claims table ${table} has no index ${name}: pawl claims cannot list what is parked. Consumers do not need it. ${add}.`,
      );
    case 'building':
      return warning(
        `DynamoDB is still building the index ${name} of the claims table ${table}: pawl claims cannot list yet. Consumers go on. Check again in a few minutes.`,
      );
    case 'there': {
      const needed = [describedKey(partitionKey, 'HASH'), describedKey(sortKey, 'RANGE')];
      if (index.key.join() !== needed.join()) {
        return warning(
          `The index ${name} of the claims table ${table} has the key ${index.key.join(' and ')}, and pawl needs ${needed.join(' and ')}: ` +
            `pawl claims cannot read it, and DynamoDB may refuse to write a claim. Delete the index. ${add}.`,
        );
      }
      const { projected: has } = index;
      const lacking = has === 'ALL' ? [] : projected.filter((attribute) => !has.includes(attribute));
      if (lacking.length === 0) return [];
      return warning(
        `The index ${name} of the claims table ${table} does not include ${lacking.join(', ')}: pawl claims shows less than it knows. Delete the index. ${add}.`,
      );
    }
  }
}
