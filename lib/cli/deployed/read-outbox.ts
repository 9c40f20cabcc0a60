import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import type { FunctionConfiguration } from '@aws-sdk/client-lambda';
import { type OutboxFacts, outboxActions, outboxRelayActions, unqualified } from 'pawl/deployment';
import type { Account } from './account.ts';
import { orUndefined } from './or-undefined.ts';
import { isEnabled, mappingsFrom } from './read-functions.ts';
import { readPermissions } from './read-permissions.ts';
import { tableNamed } from './read-table.ts';

/** Reads the table of a function's outbox, what reads its stream, and what the function's role may do. */
export async function readOutbox(
  account: Account,
  { FunctionName = '', FunctionArn = '', Role, Environment }: FunctionConfiguration,
  { tableName, isSweep }: { readonly tableName: string; readonly isSweep: boolean },
): Promise<OutboxFacts> {
  const [described, stream] = await Promise.all([
    tableNamed(account, tableName),
    orUndefined(() => account.dynamo.send(new DescribeTableCommand({ TableName: tableName }))),
  ]);
  const relays = await orUndefined(() => readersOf(account, stream?.Table?.LatestStreamArn));
  const isRelay = relays?.includes(unqualified(FunctionArn)) ?? false;
  const need = {
    actions: actionsOf(isRelay, Environment?.Variables?.['CLAIMS_TABLE'] !== undefined && !isSweep),
    arn: described?.arn,
    on: 'the outbox table',
    policy: [],
  };
  return {
    functionName: FunctionName,
    tableName,
    table: described && { ...described, isKept: described.isKept ?? false, relays },
    permissions: await readPermissions(account.iam, Role, [need]),
  };
}

async function readersOf(account: Account, streamArn: string | undefined): Promise<readonly string[]> {
  if (streamArn === undefined) return [];
  const mappings = await mappingsFrom(account, streamArn);
  return mappings.filter(isEnabled).map(({ FunctionArn = '' }) => unqualified(FunctionArn));
}

/** Of a function that may be a worker or a sweep, what both call. One that a schedule starts may sweep claims as well. */
function actionsOf(isRelay: boolean, commits: boolean): readonly string[] {
  if (isRelay) return outboxRelayActions;
  const relays: readonly string[] = outboxRelayActions;
  return commits ? outboxActions : outboxActions.filter((action) => relays.includes(action));
}
