import { DEAD_LETTERS } from './rules/dead-letters.ts';
import { EVENT_SOURCES } from './rules/event-sources.ts';
import { FUNCTIONS } from './rules/functions.ts';
import { OPTIONS } from './rules/options.ts';
import { OUTBOXES } from './rules/outbox.ts';
import { PERMISSIONS } from './rules/permissions.ts';
import type { Rules } from './rules/rule.ts';
import { SCHEDULES } from './rules/schedules.ts';
import { TABLES } from './rules/tables.ts';
import { TIMES } from './rules/times.ts';

/*
 * The rules about how a consumer must be wired, each once: what breaks it, why that matters, and who asks it. `docs/reference/wiring.md` prints this
 * table, and a test holds a case that is refused and one that narrowly passes against every cell.
 */

/** Every rule, by its name, in the order of the page. */
export const RULES = {
  ...TIMES,
  ...DEAD_LETTERS,
  ...EVENT_SOURCES,
  ...FUNCTIONS,
  ...TABLES,
  ...PERMISSIONS,
  ...SCHEDULES,
  ...OUTBOXES,
  ...OPTIONS,
} as const satisfies Rules;

export type RuleName = keyof typeof RULES;
