export { type ClaimEvent, logEvents } from '../engine/events.ts';
export { allOf, type Listener } from './all-of.ts';
export { type HashOptions, hashedKeys } from './hashed-keys.ts';
export { type MetricOptions, metricEvents } from './metric-events.ts';
export { type EventSpan, spanEvents } from './span-events.ts';
