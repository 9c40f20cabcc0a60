import { outboxProblems } from '../wiring-outbox.ts';
import { checkPermissions } from './check-claims.ts';
import type { OutboxFacts } from './facts.ts';
import { type Finding, found, orOk, unknown } from './finding.ts';

/** Checks the outbox of a function, as it is deployed. */
export function checkOutbox({ tableName, table, permissions }: OutboxFacts): readonly Finding[] {
  if (table === undefined) {
    return [
      unknown('outbox table', `pawl could not read the outbox table ${tableName}.`),
      ...checkPermissions(permissions),
    ];
  }
  const findings = [...found('outbox table', outboxProblems(table))];
  if (table.ttl === undefined) findings.push(unknown('outbox table', `pawl could not read the TTL of ${tableName}.`));
  if (table.relays === undefined) {
    findings.push(
      unknown('outbox table', 'pawl could not read what reads its stream: it needs lambda:ListEventSourceMappings.'),
    );
  }
  return [
    ...orOk('outbox table', findings, `${tableName}, its stream read by ${table.relays?.join(', ')}, protected`),
    ...checkPermissions(permissions),
  ];
}
