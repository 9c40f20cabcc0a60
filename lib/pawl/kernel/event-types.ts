/*
 * The events of a claim, each once: the type of an event, the names of its metrics, the page of events and their tests derive from these lists. It
 * imports nothing. What each of them carries is in `engine/events.ts`.
 */

/** What happens on every good day. */
export const ordinaryEvents = [
  'granted',
  'completed',
  'replayed',
  'in-flight',
  'deferred',
  'waiting',
  'repeated',
  'statement-clean',
  'finding-settled',
  'message-sent',
  'message-left',
  'locked',
  'lock-busy',
  'unlocked',
  'work-resumed',
] as const;

/** What happens where pawl only watches (`mode: 'observe'`): what it would have done, and what it could not see. */
const observedEvents = [
  'would-replay',
  'would-defer',
  'would-park',
  'would-refuse',
  'would-dead-letter',
  'unseen',
  'observed-beside',
] as const;

/** What is reported even without a listener: money may be involved. Made by a function that bundles leave out with it: what spreads a list stays. */
export const unusualEvents = /* @__PURE__ */ (() =>
  [
    'taken-over',
    'still-parked',
    'key-reused',
    'released',
    'rejected',
    'parked',
    'stale-claim',
    'completion-lost',
    'outcome-lost',
    'not-started',
    'result-not-recorded',
    'failed-after-effect',
    'step-failed',
    'store-unavailable',
    'reconciled',
    'statement-findings',
    'remedy-limit',
    'dead-lettered',
    'undeliverable',
    'author-error',
    'payload-unavailable',
    'answer-not-understood',
    'late-answer',
    'request-refused',
    'queue-call-failed',
    ...observedEvents,
    'lock-taken-over',
    'lock-kept',
    'lock-lost',
    'work-interrupted',
    'message-not-sent',
    'message-parked',
  ] as const)();

export type EventType = (typeof ordinaryEvents)[number] | (typeof unusualEvents)[number];

/** Metrics of ages, in seconds, by the events that carry one in `oldestMs`. */
export const ageMetrics = { waiting: 'OldestWaitingSeconds' } as const satisfies Partial<Record<EventType, string>>;

export type AgeMetric = (typeof ageMetrics)[keyof typeof ageMetrics];

/** The name of the metric that counts events of a type: `TakenOver` of `taken-over`. */
export type EventMetric<Type extends string = EventType> = Type extends `${infer First}-${infer Rest}`
  ? `${Capitalize<First>}${EventMetric<Rest>}`
  : Capitalize<Type>;

export function metricOf<Type extends EventType>(type: Type): EventMetric<Type> {
  return type.replace(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase()) as EventMetric<Type>;
}
