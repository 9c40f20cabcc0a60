import type { FunctionConfiguration } from '@aws-sdk/client-lambda';
import { type EndsFacts, type EndsRule, type HandlerNeeds, isTold, tableNeeds, workflowNeeds } from 'pawl/deployment';
import type { Account } from './account.ts';
import { orUndefined } from './or-undefined.ts';
import { readPermissions } from './read-permissions.ts';
import { rulesCalling } from './read-scheduled.ts';
import { tableNamed } from './read-table.ts';

/** Reads what tells a function the ends of executions, if anything does, and what its role may do. */
export async function readEnds(
  account: Account,
  { FunctionName: functionName = '', FunctionArn = '', Role }: FunctionConfiguration,
  { workflowArn, tableName }: { readonly workflowArn: string; readonly tableName: string },
  { individualStore, operations }: HandlerNeeds,
): Promise<EndsFacts> {
  const { events } = await account.schedules();
  const calling = await orUndefined(() => rulesCalling(events, FunctionArn));
  const rules = calling?.map(
    ({ Name = '', EventPattern, State }): EndsRule => ({
      name: Name,
      pattern: EventPattern === undefined ? undefined : JSON.parse(EventPattern),
      enabled: State !== 'DISABLED',
    }),
  );
  const table = await tableNamed(account, tableName);
  // What only starts executions need not look them up: it does not where they are express.
  const needs = workflowNeeds(workflowArn).slice(0, isTold(rules ?? []) ? undefined : 1);
  const ofWorkflow = needs.map((need) => ({ ...need, on: 'the workflow', policy: [] }));
  const ofTable = tableNeeds({ individualStore, operations }, table?.mark);
  const onTable = ofTable.map(({ of, ...need }) => ({ ...need, arn: table?.arn, on: of, policy: [] }));
  return {
    functionName,
    workflowArn,
    rules,
    permissions: await readPermissions(account.iam, Role, [...onTable, ...ofWorkflow]),
  };
}
