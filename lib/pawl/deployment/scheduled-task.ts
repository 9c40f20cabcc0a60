/*
 * What a schedule starts, as the constructs write it on the function and `pawl doctor` reads it there. Once the rule of a function is gone, nothing else
 * in an account says that the function should run on a schedule.
 */

/** The variable of the function. Its value is a JSON list of {@link ScheduledTask}. */
export const scheduledVariable = 'PAWL_SCHEDULED';

export type ScheduledTask =
  | { readonly kind: 'sweep'; readonly maxSilenceHours: number }
  | {
      readonly kind: 'statements';
      readonly operation: string;
      /** Of the metrics that its run makes. */
      readonly namespace: string;
      readonly maxSilenceHours: number;
    };

/** How a finding calls the task. */
export function nameOf(task: ScheduledTask): string {
  return task.kind === 'sweep' ? 'the sweep of open claims' : `the comparison of '${task.operation}' with statements`;
}

/** The tasks in the value of the variable; undefined if this version of pawl does not understand it. */
export function tasksIn(text: string): readonly ScheduledTask[] | undefined {
  const list = parsed(text);
  if (!Array.isArray(list)) return undefined;
  const tasks = list.map(taskIn);
  return tasks.every((task) => task !== undefined) ? tasks : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function taskIn(value: unknown): ScheduledTask | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { kind, operation, namespace, maxSilenceHours }: Partial<Record<string, unknown>> = { ...value };
  if (typeof maxSilenceHours !== 'number') return undefined;
  if (kind === 'sweep') return { kind, maxSilenceHours };
  if (kind !== 'statements' || typeof operation !== 'string' || typeof namespace !== 'string') return undefined;
  return { kind, operation, namespace, maxSilenceHours };
}
