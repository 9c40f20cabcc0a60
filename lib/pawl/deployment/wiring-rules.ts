import { deadLetters } from './rules/dead-letters.ts';
import { ends } from './rules/ends.ts';
import { eventSources } from './rules/event-sources.ts';
import { functions } from './rules/functions.ts';
import { options } from './rules/options.ts';
import { outboxes } from './rules/outbox.ts';
import { permissions } from './rules/permissions.ts';
import type { Rules } from './rules/rule.ts';
import { schedules } from './rules/schedules.ts';
import { tables } from './rules/tables.ts';
import { times } from './rules/times.ts';

/*
 * The rules about how a consumer must be wired, each once: what breaks it, why that matters, and who asks it. `docs/reference/wiring.md` prints this
 * table, and a test holds a case that is refused and one that narrowly passes against every cell.
 */

/** Every rule, by its name, in the order of the page. */
export const wiringRules = {
  ...times,
  ...deadLetters,
  ...eventSources,
  ...functions,
  ...tables,
  ...permissions,
  ...schedules,
  ...outboxes,
  ...ends,
  ...options,
} as const satisfies Rules;

export type RuleName = keyof typeof wiringRules;
