import type { InStack } from '../../engine/app/constructs.ts';
import type { Resource } from '../../engine/app/read-app.ts';
import { findFunction, list, ofType, placeOf, properties, type Reading, readOrList } from '../../engine/app/reading.ts';
import { list as listOf, record } from '../../engine/app/template.ts';
import type { Provisioning } from '../../engine/service.ts';

export interface ProvisionedSchedule extends InStack {
  readonly arn: string;
  readonly source: 'aws.events' | 'aws.scheduler';
  /** `rate(5 minutes)`, `cron(…)`, `at(…)`. */
  readonly expression: string;
  readonly enabled: boolean;
  readonly targets: readonly EventTarget[];
}

/** Where a rule or a schedule hands an event to. */
export interface EventTarget {
  readonly arn: string;
  /** The event, if the template says it. */
  readonly input: unknown;
  readonly groupId: string | undefined;
}

type CanSendTo = Provisioning['canSendTo'];

/** Reads the rules with a schedule, and the schedules of the scheduler. */
export function readSchedules(reading: Reading, canSendTo: CanSendTo): readonly ProvisionedSchedule[] {
  const read = (at: Resource, source: ProvisionedSchedule['source'], targets: readonly unknown[]) =>
    readOrList(reading, at, (): ProvisionedSchedule => {
      const { ScheduleExpression, State } = properties(at, 'ScheduleExpression', 'State');
      return {
        ...placeOf(at),
        arn: at.names.attributes['Arn'] ?? '',
        source,
        expression: String(ScheduleExpression),
        enabled: State !== 'DISABLED',
        targets: targets.flatMap((target) => readTarget(reading, at, target, canSendTo)),
      };
    }) ?? [];
  const rules = ofType(reading, 'AWS::Events::Rule').filter((rule) => 'ScheduleExpression' in rule.properties);
  return [
    ...rules.flatMap((rule) => read(rule, 'aws.events', listOf(rule.properties['Targets']))),
    ...ofType(reading, 'AWS::Scheduler::Schedule').flatMap((schedule) =>
      read(schedule, 'aws.scheduler', [schedule.properties['Target']]),
    ),
  ];
}

/** A target; nothing where a rehearsal cannot reach it, which is listed. */
export function readTarget(
  reading: Reading,
  at: Resource,
  target: unknown,
  canSendTo: CanSendTo,
): readonly EventTarget[] {
  const { resolver } = at.scope;
  const given = record(target);
  // Only these: its role may be one that exists in AWS alone.
  const arn = resolver.text(given['Arn']);
  const Input = resolver.resolve(given['Input']);
  const SqsParameters = resolver.resolve(given['SqsParameters']);
  const service = arn.split(':')[2] ?? '';
  const runs = service !== 'lambda' || findFunction(reading, arn)?.read.kind === 'runs';
  if (!canSendTo(service) || !runs) {
    list(reading, at, `No event reaches ${arn}, which a rehearsal does not run.`);
    return [];
  }
  const group = record(SqsParameters)['MessageGroupId'];
  return [
    {
      arn,
      input: typeof Input === 'string' ? parsed(Input) : undefined,
      groupId: group === undefined ? undefined : String(group),
    },
  ];
}

/** The scheduler takes any text as its input. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
