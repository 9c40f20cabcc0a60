import { pageAt } from '../kernel/error-code.ts';
import { workflowActions } from './needs.ts';
import { listIn, partOf } from './template-values.ts';
import { type Problem, warned } from './wiring-problem.ts';

/** The variable of a function with a workflow: the ARN of what is started. */
export const workflowVariable = 'WORKFLOW_ARN';

/** A rule of EventBridge that calls the function for events. */
export interface EndsRule {
  readonly name: string;
  readonly pattern: unknown;
  readonly enabled: boolean;
}

/** What is known of a function with a workflow, which is told the ends of its executions, or only starts them. */
export interface EndsWiring {
  readonly functionName: string;
  readonly workflowArn: string;
  readonly rules: readonly EndsRule[];
}

/** What is wrong with how ends are told. */
export function endsProblems({ functionName, workflowArn, rules }: EndsWiring): readonly Problem[] {
  if (rules.some(({ enabled, pattern }) => enabled && tellsEndsOf(workflowArn, pattern))) return [];
  const found = 'the sweep finds them, once the execution has to have ended';
  const repair = `Enable the rule, or deploy the stack again: ${pageAt('docs/guides/workflows.md')}.`;
  return [
    warned(
      'endsRule',
      `No enabled rule of EventBridge tells ${functionName} the ends of ${workflowArn}` +
        (isTold(rules)
          ? `: ${found}. ${repair}`
          : `. If it only starts executions, nothing is missing. If it is to be told their ends, ${found}. ${repair}`),
    ),
  ];
}

/** Whether a function is one that is told ends, and not one that starts executions for another caller: a rule calls it for events of workflows. */
export function isTold(rules: readonly EndsRule[]): boolean {
  const ofEnds: readonly unknown[] = ['aws.states', 'aws.lambda'];
  return rules.some(({ pattern }) => listIn(partOf(pattern)['source']).some((source) => ofEnds.includes(source)));
}

/** Whether a pattern lets the ends of a workflow pass. A comparison that is not known is taken to let them. */
function tellsEndsOf(workflowArn: string, pattern: unknown): boolean {
  const { source, field, arn } = endEventsOf(workflowArn);
  if (!listIn(partOf(pattern)['source']).includes(source)) return false;
  const wanted = partOf(partOf(pattern)['detail'])[field];
  return wanted === undefined || listIn(wanted).some((one) => fits(one, arn));
}

function fits(wanted: unknown, arn: string): boolean {
  if (typeof wanted === 'string') return wanted === arn;
  const { prefix } = partOf(wanted);
  return typeof prefix !== 'string' || arn.startsWith(prefix);
}

function endEventsOf(workflowArn: string) {
  const parts = workflowArn.split(':');
  const base = parts.slice(0, 7).join(':');
  return parts[2] === 'states'
    ? { source: 'aws.states', field: 'stateMachineArn', arn: base }
    : // Of any version.
      { source: 'aws.lambda', field: 'functionArn', arn: `${base}:1` };
}

/** What starts and looks up executions of a workflow, and on what. */
export function workflowNeeds(
  workflowArn: string,
): readonly { readonly actions: readonly string[]; readonly arn: string }[] {
  const parts = workflowArn.split(':');
  const base = parts.slice(0, 7).join(':');
  if (parts[2] === 'states') {
    const { start, look } = workflowActions.stateMachine;
    const execution = `${base.replace(':stateMachine:', ':execution:')}:pawl-doctor`;
    return [
      { actions: start, arn: workflowArn },
      { actions: look, arn: execution },
    ];
  }
  const { start, list, look } = workflowActions.durableFunction;
  return [
    { actions: start, arn: workflowArn },
    { actions: list, arn: base },
    { actions: look, arn: `${base}:1/durable-execution/pawl-doctor/1` },
  ];
}
