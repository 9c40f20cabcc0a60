import { type Findings, type FoundAt, notRunAt } from '../not-run.ts';
import type { PropertyRule, PropertyRules } from './rule.ts';
import type { RuleOf } from './types.ts';

/** Looks at one resource, as its template has it, and reports what of it a rehearsal does not run. */
export function examine(
  at: FoundAt,
  properties: Readonly<Record<string, unknown>>,
  ruleOf: RuleOf,
  findings: Findings,
): void {
  const rule = ruleOf(at.type);
  switch (rule.kind) {
    case 'without-effect':
      return;
    case 'not-run':
      findings.listed.push(notRunAt(at, rule.why));
      return;
    case 'run':
      examineProperties({ at, rules: rule.properties, findings }, properties, '');
  }
}

interface Examined {
  readonly at: FoundAt;
  readonly rules: PropertyRules;
  readonly findings: Findings;
}

function examineProperties(examined: Examined, value: Readonly<Record<string, unknown>>, prefix: string): void {
  for (const [name, inner] of Object.entries(value)) {
    const path = prefix + name;
    const rule = examined.rules[path];
    if (rule !== undefined) noteRule(examined, path, inner, rule);
    else if (!lookInside(examined, path, inner)) {
      addOnce(examined, path, 'listed', 'A rehearsal does not know this property, and does without it.');
    }
  }
}

/** Whether the rules are about what is inside this value. */
function lookInside(examined: Examined, path: string, value: unknown): boolean {
  if (!Object.keys(examined.rules).some((name) => name.startsWith(`${path}.`))) return false;
  for (const item of Array.isArray(value) ? value : [value]) {
    if (typeof item === 'object' && item !== null) examineProperties(examined, item, `${path}.`);
  }
  return true;
}

function noteRule(examined: Examined, path: string, value: unknown, rule: PropertyRule): void {
  switch (rule.kind) {
    case 'run':
    case 'without-effect':
      return;
    case 'by-value':
      noteRule(examined, path, value, rule.of(value));
      return;
    case 'listed':
    case 'refused':
      addOnce(examined, path, rule.kind, rule.why);
  }
}

/** Once for all items of a list. */
function addOnce({ at, findings }: Examined, path: string, kind: 'listed' | 'refused', why: string): void {
  const found = findings[kind];
  const known = found.some(
    ({ stack, construct, property }) => stack === at.stack && construct === at.construct && property === path,
  );
  if (!known) found.push(notRunAt(at, why, path));
}
