import type { InStack } from '../../engine/app/constructs.ts';
import type { Resource } from '../../engine/app/read-app.ts';
import { ofType, placeOf, properties, type Reading, readOrList, refuse } from '../../engine/app/reading.ts';
import { list as listOf, record } from '../../engine/app/template.ts';
import { matchesPattern } from '../../engine/event-pattern.ts';
import type { Provisioning } from '../../engine/service.ts';
import { type EventTarget, readTarget } from '../schedules/read-schedules.ts';
import { busArn, defaultBus } from './rules.ts';

export interface ProvisionedBus extends InStack {
  readonly name: string;
  readonly arn: string;
}

/** A rule with a pattern, and where it hands events to. */
export interface ProvisionedRule extends InStack {
  readonly busArn: string;
  readonly pattern: Readonly<Record<string, unknown>>;
  readonly targets: readonly EventTarget[];
}

/** The buses of the app. */
export function readBuses(reading: Reading): readonly ProvisionedBus[] {
  return ofType(reading, 'AWS::Events::EventBus').map((bus) => ({
    ...placeOf(bus),
    name: bus.names.ref,
    arn: busArn(bus.names.ref),
  }));
}

/** The rules that match events. What a target would get in another form is refused: its function would fail at an event that it never gets in AWS. */
export function readRules(reading: Reading, canSendTo: Provisioning['canSendTo']): readonly ProvisionedRule[] {
  return ofType(reading, 'AWS::Events::Rule')
    .filter((rule) => 'EventPattern' in rule.properties)
    .flatMap((rule) => readOrList(reading, rule, () => readRule(reading, rule, canSendTo)) ?? []);
}

function readRule(reading: Reading, rule: Resource, canSendTo: Provisioning['canSendTo']): ProvisionedRule | undefined {
  const { EventPattern, EventBusName, State } = properties(rule, 'EventPattern', 'EventBusName', 'State');
  if (State === 'DISABLED') return undefined;
  const pattern = record(EventPattern);
  const targets = listOf(rule.properties['Targets']);
  for (const name of ['InputPath', 'InputTransformer']) {
    if (targets.every((target) => record(target)[name] === undefined)) continue;
    const why =
      'A rehearsal hands the whole event to a target, so its function would get what it does not understand. Let the rule send the event as it is.';
    refuse(reading, rule, why, `Targets.${name}`);
  }
  expectKnown(reading, rule, pattern);
  const bus = String(EventBusName ?? defaultBus);
  return {
    ...placeOf(rule),
    busArn: bus.startsWith('arn:') ? bus : busArn(bus),
    pattern,
    targets: targets.flatMap((target) => readTarget(reading, rule, target, canSendTo)),
  };
}

/** A comparison that no rehearsal knows would be met only when an event comes. */
function expectKnown(reading: Reading, rule: Resource, pattern: Readonly<Record<string, unknown>>): void {
  try {
    compareAll(pattern);
  } catch (error) {
    refuse(reading, rule, error instanceof Error ? error.message : String(error), 'EventPattern');
  }
}

/** @throws Error as `matchesPattern` does: of a list, the first comparison that fits would keep the others from being looked at */
function compareAll(pattern: unknown): void {
  for (const [name, wanted] of Object.entries(record(pattern))) {
    if (name === '$or') for (const one of listOf(wanted)) compareAll(one);
    else if (!Array.isArray(wanted)) compareAll(wanted);
    else for (const one of wanted) matchesPattern({ [name]: [one] }, {});
  }
}
