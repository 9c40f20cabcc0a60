import { arnOf } from '../../engine/app/names.ts';
import {
  all,
  listed,
  listedIf,
  type PropertyRules,
  run,
  runs,
  type TypeRules,
  withoutEffect,
} from '../../engine/app/rule.ts';
import { record } from '../../engine/app/template.ts';

const rule = {
  ...all(run, 'Name', 'ScheduleExpression', 'State', 'Targets.Arn', 'Targets.Id', 'Targets.Input'),
  ...all(run, 'Targets.SqsParameters'),
  // Those of a rule with a pattern: see event-buses.
  ...all(run, 'EventPattern', 'EventBusName'),
  'Targets.DeadLetterConfig': listed('An event that its target refuses is in no dead-letter queue.'),
  'Targets.RetryPolicy': listed('A target is called once. Its function has the retries of an asynchronous invocation.'),
  ...all(withoutEffect, 'Description', 'RoleArn', 'Tags', 'Targets.RoleArn'),
  'Targets.InputPath': listed('The target gets the whole event.'),
  'Targets.InputTransformer': listed('The target gets the event as it is.'),
} satisfies PropertyRules;

const schedule = {
  ...all(run, 'Name', 'ScheduleExpression', 'State', 'Target.Arn', 'Target.Input', 'Target.SqsParameters'),
  'Target.DeadLetterConfig': listed('An event that its target refuses is in no dead-letter queue.'),
  // The CDK writes AWS's default.
  'Target.RetryPolicy': listedIf(
    (value) => Number(record(value)['MaximumRetryAttempts'] ?? 185) !== 185,
    'A target is called once. Its function has the retries of an asynchronous invocation.',
  ),
  ...all(withoutEffect, 'Description', 'GroupName', 'KmsKeyArn', 'ScheduleExpressionTimezone', 'Target.RoleArn'),
  FlexibleTimeWindow: listedIf((value) => record(value)['Mode'] !== 'OFF', 'The schedule runs when it is due.'),
  StartDate: listed('The schedule has no beginning.'),
  EndDate: listed('The schedule has no end.'),
} satisfies PropertyRules;

export const types: TypeRules = {
  'AWS::Events::Rule': runs(rule, {
    names: (name) => ({ ref: name, attributes: { Arn: arnOf('events', `rule/${name}`) } }),
  }),
  'AWS::Scheduler::Schedule': runs(schedule, {
    names: (name) => ({ ref: name, attributes: { Arn: arnOf('scheduler', `schedule/default/${name}`) } }),
  }),
  'AWS::Scheduler::ScheduleGroup': { kind: 'without-effect' },
};
