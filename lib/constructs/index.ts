export { ClaimsTable, type ClaimsTableProps, grantClaims } from './claims-table.ts';
export { Consumer } from './consumer.ts';
export type { ConsumerProps } from './consumer-props.ts';
export { WiringError } from './wiring.ts';
