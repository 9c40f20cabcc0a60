import { pageAt } from '../kernel/error-code.ts';
import { outboxTableDefinition } from './table-definition.ts';
import { type Problem, refusal, warned } from './wiring-problem.ts';
import { describedKey, type TimeToLive } from './wiring-table.ts';

/** What is known of the table of an outbox, and of what reads its stream. */
export interface OutboxWiring {
  readonly name: string;
  /** Its key, as that of a claims table is given. */
  readonly key: readonly string[];
  readonly ttl: TimeToLive | undefined;
  readonly isKept: boolean;
  /** The ARNs of the functions that read its stream; `undefined` when that could not be read. */
  readonly relays: readonly string[] | undefined;
}

/** What is wrong with an outbox. */
export function outboxProblems({ name, key, ttl, isKept, relays }: OutboxWiring): readonly Problem[] {
  const wanted = [
    describedKey(outboxTableDefinition.key, 'HASH'),
    describedKey(outboxTableDefinition.sortKey, 'RANGE'),
  ].join(', ');
  const make = `OutboxTable makes it: ${pageAt('docs/guides/outbox.md')}`;
  const isTimed =
    ttl === undefined || (ttl.kind === 'on' && ttl.attribute === outboxTableDefinition.timeToLiveAttribute);
  return [
    ...(key.join(', ') === wanted
      ? []
      : [
          refusal(
            'outboxKey',
            `The outbox table ${name} has the key ${key.join(', ')}, and must have ${wanted}. ${make}.`,
          ),
        ]),
    ...(relays?.length === 0
      ? [
          warned(
            'outboxRelay',
            `No enabled event source reads a stream of the outbox table ${name}: what a worker leaves is not sent, unless a schedule calls outboxSweep. Deploy an OutboxRelay.`,
          ),
        ]
      : []),
    ...(isTimed
      ? []
      : [
          warned(
            'outboxTtl',
            `The outbox table ${name} does not delete by ${outboxTableDefinition.timeToLiveAttribute}: the counters of message groups stay for ever. Set its TTL attribute.`,
          ),
        ]),
    ...(isKept
      ? []
      : [
          warned(
            'outboxDeletion',
            `The outbox table ${name} has no deletion protection. Turn it on: what lies in it is not sent yet.`,
          ),
        ]),
  ];
}
