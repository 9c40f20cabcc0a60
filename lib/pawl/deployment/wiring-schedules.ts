import { longestPauseSeconds } from './schedule-pause.ts';
import { nameOf, type ScheduledTask } from './scheduled-task.ts';
import { type Problem, refusal, warned } from './wiring-problem.ts';

/** A rule of EventBridge that starts a function. */
export interface ScheduleRule {
  readonly name: string;
  /** `rate(…)` or `cron(…)`; undefined if it is known only at deployment. */
  readonly expression: string | undefined;
  readonly enabled: boolean;
}

/** An alarm, and the metrics that it looks at. */
export interface WatchingAlarm {
  readonly name: string;
  /** Whether it goes off below its threshold. */
  readonly goesOffBelow: boolean;
  /** Whether it goes off where a metric has no data. An expression may fill the gaps. */
  readonly countsGaps: boolean;
  readonly metrics: readonly WatchedMetric[];
}

export interface WatchedMetric {
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly dimensions: Readonly<Record<string, string>>;
}

/** The most that an alarm of CloudWatch can look back. */
const mostSilenceHours = 7 * 24;

/** What keeps a task from being started, or starts it so seldom that its alarm for silence goes off without a failure. */
export function scheduleProblems(task: ScheduledTask, rules: readonly ScheduleRule[]): readonly Problem[] {
  const enabled = rules.filter((rule) => rule.enabled);
  if (rules.length === 0) {
    return [
      refusal(
        'schedule',
        `No schedule starts ${nameOf(task)}: ${consequenceOf(task)}. Deploy the stack again, or make a rule of EventBridge that calls the function.`,
      ),
    ];
  }
  if (enabled.length === 0) {
    const names = rules.map(({ name }) => name).join(', ');
    return [
      warned('disabled', `The schedule of ${nameOf(task)}, ${names}, is disabled: ${consequenceOf(task)}. Enable it.`),
    ];
  }
  return seldomProblems(task, enabled);
}

function seldomProblems(task: ScheduledTask, rules: readonly ScheduleRule[]): readonly Problem[] {
  const pauses = rules.map(({ expression }) =>
    expression === undefined ? undefined : longestPauseSeconds(expression),
  );
  // Two schedules together pause no longer than the more frequent one.
  const pause = pauses.every((one) => one !== undefined) ? Math.min(...pauses) : undefined;
  const { maxSilenceHours } = task;
  if (pause === undefined || pause <= maxSilenceHours * 3600) return [];
  const hours = Math.ceil(pause / 3600);
  const expressions = rules.map(({ expression }) => expression).join(' and ');
  const fix =
    hours <= mostSilenceHours
      ? `Set maxSilence to ${inHours(hours)} or more, or run it more often.`
      : 'CloudWatch looks back for 7 days at most: run it once a week or more often.';
  return [
    warned(
      'scheduleSeldom',
      `${expressions} leaves up to ${inHours(hours)} between two runs of ${nameOf(task)}, and its maxSilence is ${inHours(maxSilenceHours)}: ` +
        `its alarm for silence goes off although nothing has failed. ${fix}`,
    ),
  ];
}

/** That no alarm would tell an operator that the task does not run. */
export function silenceProblems(
  task: ScheduledTask,
  functionName: string,
  alarms: readonly WatchingAlarm[],
): readonly Problem[] {
  if (alarms.some((alarm) => watchesSilence(alarm, task, functionName))) return [];
  return [
    warned(
      'silence',
      `No alarm goes off if ${nameOf(task)} does not run for ${inHours(task.maxSilenceHours)}: ${consequenceOf(task)}, and its other alarms say nothing. ` +
        'Deploy the stack again, or make an alarm on the runs of the function.',
    ),
  ];
}

function watchesSilence(
  { goesOffBelow, countsGaps, metrics }: WatchingAlarm,
  task: ScheduledTask,
  functionName: string,
) {
  return goesOffBelow && countsGaps && metrics.some((metric) => isOfRuns(metric, task, functionName));
}

function isOfRuns({ namespace, name, dimensions }: WatchedMetric, task: ScheduledTask, functionName: string): boolean {
  switch (task.kind) {
    case 'sweep':
      return namespace === 'AWS/Lambda' && name === 'Invocations' && dimensions['FunctionName'] === functionName;
    case 'statements': {
      const isOfEnd = name === 'StatementFindings' || name === 'StatementClean';
      return isOfEnd && namespace === task.namespace && dimensions['operation'] === task.operation;
    }
  }
}

/** That a sweep leaves claims in doubt because it has nothing for their operation. @param left the most that one run has left */
export function registrationProblems(left: number): readonly Problem[] {
  if (left === 0) return [];
  return [
    warned(
      'sweepOperations',
      `Within a day, a run of the sweep left ${left === 1 ? 'a claim' : `${left} claims`} in doubt because its handler has nothing for their operation. ` +
        'Find them with pawl claims --status in-doubt, and add the operation to the operations of sweepOpenClaims.',
    ),
  ];
}

function consequenceOf({ kind }: ScheduledTask): string {
  return kind === 'sweep'
    ? 'claims in doubt wait for a message, a caller or an operator'
    : 'effects without a record, and records without an effect, are not found';
}

export function inHours(count: number): string {
  return count === 1 ? '1 hour' : `${count} hours`;
}
