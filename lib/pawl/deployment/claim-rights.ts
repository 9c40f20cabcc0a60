import {
  executionsOperation,
  joined,
  type OwnKind,
  operationPattern,
  ownParts,
  producersOperations,
} from '../kernel/name.ts';
import { type LeadingKey, namesKeys, onlyOnKeys } from './condition.ts';
import {
  claimActions,
  type HandlerNeeds,
  lockActions,
  markActions,
  restoredStoreActions,
  tableActions,
} from './needs.ts';
import type { RestoreMark } from './wiring-table.ts';

/*
 * What a role may do in a table of claims that it shares with other teams: its own operations, by the names that their items have.
 *
 * 1. Whatever an item is named, it is decided here who may reach it: an operation's claims, a producer's, and each kind of pawl's own items (`reachedBy`).
 * 2. What lists claims goes by shards and not by operations. So operators, sweeps and statements see the whole table: no right of theirs is limited.
 */

/**
 * What a role may reach in a table of claims: the claims of these operations, and none of another.
 *
 * @example
 * const rights: ClaimRights = { operations: ['send-email'], sends: ['issue-gift-card'] };
 */
export interface ClaimRights {
  /**
   * The operations of the function's handlers.
   *
   * @default - none
   */
  readonly operations?: readonly string[];
  /**
   * The operations that the function sends messages to with `sendOnce`: a producer's claims are its own, and no consumer's.
   *
   * @default - none
   */
  readonly sends?: readonly string[];
}

/** Which grant reaches pawl's own items beside the claims. `'none'`: no grant by operation does, because they are about the whole table. */
const reachedBy: Readonly<Record<OwnKind, 'claims, to read' | 'locks' | 'none'>> = {
  // Each consumer must know whether its table has forgotten something. Only `grantRestore` writes it.
  restored: 'claims, to read',
  // A resource belongs to no operation: two operations on one customer must exclude each other.
  resource: 'locks',
  lock: 'locks',
  work: 'locks',
  // A place of the index, which only operators list.
  locks: 'none',
  statement: 'none',
  finding: 'none',
  findings: 'none',
  remedies: 'none',
  unstated: 'none',
  observed: 'none',
  'open-claims': 'none',
};

const kindsOf = (grant: (typeof reachedBy)[OwnKind]) =>
  (Object.keys(reachedBy) as OwnKind[]).filter((kind) => reachedBy[kind] === grant);

const startingWith = (...parts: readonly string[]): LeadingKey => ({ startsWith: joined([...parts, '']) });

const claimsOf = (operation: string): LeadingKey => startingWith(operation);

/** The keys of the items that `pawl/locks` makes. */
const lockKeys: readonly LeadingKey[] = kindsOf('locks').map((kind) => startingWith(...ownParts(kind)));

/** The keys of the items that a consumer only reads. */
const markKeys: readonly LeadingKey[] = kindsOf('claims, to read').map((kind) => joined(ownParts(kind)));

/** Actions that are permitted together, and the conditions under which they are. */
export interface PermittedOnKeys {
  readonly actions: readonly string[];
  readonly conditions?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** What is granted for the claims. Without rights, of the whole table. */
export function claimPermissions(rights: ClaimRights | undefined): readonly PermittedOnKeys[] {
  if (rights === undefined) return [{ actions: claimActions }];
  const { operations = [], sends = [] } = rights;
  const named = [
    ...operations,
    // What waits for an operation's executions is the operation's own.
    ...operations.map((operation) => executionsOperation + operation),
    ...sends.flatMap((operation) => Object.values(producersOperations).map((prefix) => prefix + operation)),
  ];
  return [
    { actions: claimActions.filter(namesKeys), conditions: onlyOnKeys(named.map(claimsOf)) },
    { actions: restoredStoreActions.filter(namesKeys), conditions: onlyOnKeys(markKeys) },
    // What describes the table reads no item.
    { actions: claimActions.filter((action) => !namesKeys(action)) },
  ];
}

/** What is granted for locks. With rights, `claimHeld` still checks the claims of their operations. */
export function lockPermissions(rights: ClaimRights | undefined): readonly PermittedOnKeys[] {
  if (rights === undefined) return [{ actions: lockActions }];
  const own = (rights.operations ?? []).map(claimsOf);
  return [
    { actions: lockActions, conditions: onlyOnKeys(lockKeys) },
    ...(own.length === 0 ? [] : [{ actions: ['dynamodb:ConditionCheckItem'], conditions: onlyOnKeys(own) }]),
  ];
}

/** What the handlers of a function ask of the claims table, and on which keys. */
export interface TableNeed {
  readonly actions: readonly string[];
  /** What it is needed on, for the message. */
  readonly of: string;
  /** `undefined`: not known. */
  readonly leadingKeys: readonly LeadingKey[] | undefined;
}

/** What the handlers call on the claims table, by the keys on which they call it where their operations are known. */
export function tableNeeds(needs: HandlerNeeds, mark?: RestoreMark): readonly TableNeed[] {
  const { operations, individualStore, locks } = needs;
  const of = 'the claims table';
  if (operations === undefined) return [{ actions: tableActions(needs, mark), of, leadingKeys: undefined }];
  const ofStore = tableActions({ individualStore });
  const those = [
    ...operations.map((operation) => ({
      actions: ofStore,
      of: `${of}, for claims of '${operation}'`,
      leadingKeys: [claimsOf(operation)],
    })),
    { actions: markActions(mark), of: `${of}, for its mark`, leadingKeys: markKeys },
    { actions: locks === true ? lockActions : [], of: `${of}, for locks`, leadingKeys: lockKeys },
  ];
  return those.filter(({ actions }) => actions.length > 0);
}

const known = ['operations', 'sends'] as const satisfies readonly (keyof ClaimRights)[];

/** What is wrong with rights, as an author has written them. A name that is ignored would leave the role open, or without a permission at run time. */
export function claimRightsProblems(rights: unknown): readonly string[] {
  if (typeof rights !== 'object' || rights === null) {
    return [
      `expected an object such as { operations: ['send-email'] }; got ${rights === null ? 'null' : typeof rights}`,
    ];
  }
  const given = Object.entries(rights);
  const unknown = given
    .filter(([name]) => !known.some((one) => one === name))
    .map(([name]) => `${name} is unknown: expected ${known.join(' or ')}`);
  const names: readonly unknown[] = given
    .flatMap(([, value]) => (Array.isArray(value) ? value : [value]))
    .filter((one) => one !== undefined);
  if (unknown.length === 0 && names.length === 0) return ['no operation is named, so nothing would be permitted'];
  const wrong = names.filter((one) => typeof one !== 'string' || !operationPattern.test(one));
  const prefixes = [executionsOperation, ...Object.values(producersOperations)];
  const reserved = names.filter((one) => prefixes.some((prefix) => String(one).startsWith(prefix)));
  return [
    ...unknown,
    ...wrong.map((one) => `${JSON.stringify(one)} is no operation: expected a name such as 'send-email'`),
    ...reserved.map(
      (one) => `'${one}' names claims of pawl's own: name the operation alone, that of sendOnce in sends`,
    ),
  ];
}
