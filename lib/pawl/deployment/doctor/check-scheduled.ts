import { nameOf, type ScheduledTask, scheduledVariable } from '../scheduled-task.ts';
import {
  inHours,
  registrationProblems,
  type ScheduleRule,
  scheduleProblems,
  silenceProblems,
} from '../wiring-schedules.ts';
import { checkPermissions, checkTable } from './check-claims.ts';
import type { ScheduledFacts } from './facts.ts';
import { type Finding, found, orOk, unknown } from './finding.ts';

/** Checks a function that a schedule starts, as it is deployed. */
export function checkScheduled(facts: ScheduledFacts): readonly Finding[] {
  const { functionName, tasks, rules, alarms } = facts;
  if (tasks === undefined) {
    return [unknown('schedule', `This version of pawl does not understand ${scheduledVariable} of ${functionName}.`)];
  }
  return [
    ...tasks.flatMap((task) => [
      ...checkSchedule(task, rules),
      ...(alarms === undefined
        ? [unknown('silence', 'pawl could not read the alarms: it needs cloudwatch:DescribeAlarms.')]
        : orOk(
            'silence',
            found('silence', silenceProblems(task, functionName, alarms)),
            `an alarm goes off after ${inHours(task.maxSilenceHours)}`,
          )),
    ]),
    ...(tasks.some(({ kind }) => kind === 'sweep') ? checkOperations(facts.leftNotRegistered) : []),
    ...checkTable(facts.table),
    ...checkPermissions(facts.permissions),
  ];
}

function checkSchedule(task: ScheduledTask, rules: readonly ScheduleRule[] | undefined): readonly Finding[] {
  if (rules === undefined) {
    return [
      unknown(
        'schedule',
        `pawl could not read what starts ${nameOf(task)}: it needs events:ListRuleNamesByTarget and events:DescribeRule.`,
      ),
    ];
  }
  const seen = rules.filter(({ enabled }) => enabled).map(({ expression }) => expression);
  return orOk('schedule', found('schedule', scheduleProblems(task, rules)), `${seen.join(', ')}: ${nameOf(task)}`);
}

function checkOperations(left: ScheduledFacts['leftNotRegistered']): readonly Finding[] {
  switch (left) {
    case undefined:
      return [
        unknown('operations', 'pawl could not read the metrics of the sweep: it needs cloudwatch:GetMetricStatistics.'),
      ];
    // A handler with an `onReport` of its own makes no metrics, and neither does a sweep that has not run.
    case 'no metrics':
      return [];
    default:
      return orOk('operations', found('operations', registrationProblems(left)), 'no claim of an unknown operation');
  }
}
