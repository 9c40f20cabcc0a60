import { Annotations, Lazy, Stack } from 'aws-cdk-lib';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import {
  explained,
  isSameFunction,
  listIn,
  partOf,
  processWide,
  type ScheduledTask,
  type ScheduleRule,
  scheduledVariable,
  scheduleProblems,
  unqualified,
} from 'pawl/deployment';
import { functionArn, rendered, resourcesOf } from './rendered.ts';
import { seenFunctionArn } from './seen.ts';
import { markComplete, markUnderConstruction } from './template-body.ts';

/** One function may compare several operations, each with a construct of its own. */
const tasks = processWide('constructs.scheduled/1', () => new WeakMap<LambdaFunction, ScheduledTask[]>());

/** Writes down on the function what `owner` has it started for, and looks at its schedule when the app is complete. */
export function startBySchedule(owner: Construct, aFunction: LambdaFunction, task: ScheduledTask): void {
  const before = tasks.get(aFunction) ?? [];
  tasks.set(aFunction, [...before, task]);
  if (before.length === 0) {
    // Not cached: it may be looked at before the last construct of the function is made.
    const produce = () => Stack.of(aFunction).toJsonString(tasks.get(aFunction) ?? []);
    aFunction.addEnvironment(scheduledVariable, Lazy.uncachedString({ produce }));
  }
  markUnderConstruction(owner);
  owner.node.addValidation({ validate: () => validate(owner, aFunction, task) });
}

/** Looks at what will be deployed. Warnings are written down, because a validation can only refuse. */
function validate(owner: Construct, aFunction: LambdaFunction, task: ScheduledTask): string[] {
  markComplete(owner);
  const found = scheduleProblems(task, seenRules(owner, seenFunctionArn(aFunction)));
  for (const { rule, text } of found.filter(({ level }) => level === 'warning')) {
    Annotations.of(owner).addWarningV2(`pawl:${rule}`, text);
  }
  return found.filter(({ level }) => level === 'problem').map(({ text }) => explained(text, 'wired-wrongly'));
}

/** The schedules of the app that start the function. */
function seenRules(anywhere: Construct, arn: string): readonly ScheduleRule[] {
  return resourcesOf(anywhere, 'AWS::Events::Rule').flatMap((rule) => {
    const { ScheduleExpression, State, Targets } = rendered(rule)?.properties ?? {};
    const isStarted = listIn(Targets).some((target) => {
      const targetArn = functionArn(rule.stack, partOf(target)['Arn']);
      return targetArn !== undefined && isSameFunction(unqualified(targetArn), arn);
    });
    if (!isStarted || ScheduleExpression === undefined) return [];
    const expression = typeof ScheduleExpression === 'string' ? ScheduleExpression : undefined;
    return [{ name: rule.node.path, expression, enabled: State !== 'DISABLED' }];
  });
}
