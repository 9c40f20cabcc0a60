export { type ClaimRights, WiringError } from 'pawl/deployment';
export {
  grantActs,
  grantClaims,
  grantLocks,
  grantOperate,
  grantRestore,
  grantStatements,
} from './claims-grants.ts';
export { ClaimsTable, type ClaimsTableAlarms, type ClaimsTableProps } from './claims-table.ts';
export { Consumer } from './consumer.ts';
export type { ConsumerAlarms } from './consumer-alarms.ts';
export type { ConsumerProps } from './consumer-props.ts';
export { ClaimsDashboard, type ClaimsDashboardProps } from './dashboard.ts';
export { ExecutionEnds, type ExecutionEndsAlarms, type ExecutionEndsProps } from './execution-ends.ts';
export { FirstExecution } from './first-execution.ts';
export type { ClaimMetric } from './metrics.ts';
export {
  OpenClaimsSweep,
  type OpenClaimsSweepAlarms,
  type OpenClaimsSweepProps,
  type SweepMetric,
} from './open-claims-sweep.ts';
export { OutboxRelay, type OutboxRelayAlarms, type OutboxRelayProps, type RelayMetric } from './outbox-relay.ts';
export { OutboxTable, type OutboxTableProps } from './outbox-table.ts';
export { StatementCheck, type StatementCheckAlarms, type StatementCheckProps } from './statement-check.ts';
export { grantStart, type StartedWorkflow } from './workflow.ts';
