import { permissionProblem } from '../policy.ts';
import { openIndexProblems, restoreProblems, tableProblems } from '../wiring-table.ts';
import type { Permission, TableFacts } from './facts.ts';
import { type Finding, found, orOk, unknown } from './finding.ts';

/** What every function that uses claims needs: its table, and what its role may do. */

export function checkTable(table: TableFacts | undefined): readonly Finding[] {
  if (table === undefined) return [unknown('claims table', 'pawl could not read the claims table.')];
  const { name, openIndex, mark } = table;
  const problems = [...tableProblems(table), ...openIndexProblems(name, openIndex), ...restoreProblems(name, mark)];
  const findings = [...found('claims table', problems)];
  if (table.ttl === undefined) findings.push(unknown('claims table', `pawl could not read the TTL of ${table.name}.`));
  if (table.pointInTimeRecovery === undefined) {
    findings.push(unknown('claims table', `pawl could not read the point-in-time recovery of ${table.name}.`));
  }
  return orOk(
    'claims table',
    findings,
    `${table.name}, one region, deletes by ${attributeOf(table)}, protected, lists what is open`,
  );
}

function attributeOf({ ttl }: TableFacts): string {
  return ttl?.kind === 'on' ? ttl.attribute : 'nothing';
}

export function checkPermissions(permissions: readonly Permission[] | undefined): readonly Finding[] {
  if (permissions === undefined) {
    return [
      unknown('permissions', 'pawl could not ask IAM what the role may do: it needs iam:SimulatePrincipalPolicy.'),
    ];
  }
  const alike = Map.groupBy(permissions, ({ on, decision }) => `${decision} ${on}`);
  const problems = [...alike.values()].flatMap((those) =>
    those.slice(0, 1).flatMap(({ decision, on }) => {
      const actions = those.map(({ action }) => action);
      return permissionProblem(decision, actions, on, '. Grant it.');
    }),
  );
  return orOk(
    'permissions',
    found('permissions', problems),
    `${permissions.length} of ${permissions.length} that it needs, as IAM simulates them`,
  );
}
