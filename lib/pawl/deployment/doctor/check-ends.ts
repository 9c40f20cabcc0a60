import { endsProblems } from '../wiring-ends.ts';
import { checkPermissions } from './check-claims.ts';
import type { EndsFacts } from './facts.ts';
import { type Finding, found, orOk, unknown } from './finding.ts';

/** Checks a function with a workflow, as it is deployed. */
export function checkEnds({ rules, permissions, ...wiring }: EndsFacts): readonly Finding[] {
  const told =
    rules === undefined
      ? [
          unknown(
            'ends',
            'pawl could not read what tells the ends of executions: it needs events:ListRuleNamesByTarget and events:DescribeRule.',
          ),
        ]
      : orOk('ends', found('ends', endsProblems({ ...wiring, rules })), `told of the ends of ${wiring.workflowArn}`);
  return [...told, ...checkPermissions(permissions)];
}
