import {
  type ConsumerFacts,
  type EndsFacts,
  type HandlerNeeds,
  type OutboxFacts,
  type ScheduledFacts,
  scheduledVariable,
  workflowVariable,
} from 'pawl/deployment';
import { adviceOn, explained, setupOf } from 'pawl/kernel';
import type { ClientConfig } from '../client-config.ts';
import { UsageError } from '../command.ts';
import { type Account, openAccount } from './account.ts';
import { readConsumer } from './read-consumer.ts';
import { readEnds } from './read-ends.ts';
import { functionsOf, mappingsOf, readFunction } from './read-functions.ts';
import { readOutbox } from './read-outbox.ts';
import { readScheduled } from './read-scheduled.ts';

export interface ReadOptions extends HandlerNeeds {
  /** What every client is made with. @default the SDK's own: `AWS_REGION`, or the profile's */
  readonly config?: ClientConfig;
  /** For functions that have the name of their table in another variable than `CLAIMS_TABLE`. */
  readonly claimsTable?: string | undefined;
}

/** There is neither a stack nor a function of this name. */
export class NothingFoundError extends UsageError {
  constructor(wanted: string) {
    const said = `There is neither a stack nor a function called ${wanted} in this region of this account, as far as you may see: a stack needs cloudformation:ListStackResources.`;
    super(`${said} Correct the name, or give --region or AWS_PROFILE.`);
  }
}

/** AWS refused the credentials, or no region is known. */
class UnreachableAccountError extends Error {
  override readonly name = 'UnreachableAccountError';
}

/** A function that was left out, and the reason. */
interface Skipped {
  readonly functionName: string;
  readonly reason: string;
}

export interface Reading {
  readonly consumers: readonly ConsumerFacts[];
  readonly scheduled: readonly ScheduledFacts[];
  readonly outboxes: readonly OutboxFacts[];
  readonly ends: readonly EndsFacts[];
  readonly skipped: readonly Skipped[];
}

/**
 * Reads what is deployed of the functions of a stack that use pawl, or of one function. It only reads.
 *
 * @param name the name or ARN of a CloudFormation stack, or else of a Lambda function
 * @throws NothingFoundError
 */
export async function readDeployed(name: string, options: ReadOptions = {}): Promise<Reading> {
  const account = openAccount(options.config ?? {});
  try {
    const inStack = await functionsOf(account, name);
    const used: Used[] = [];
    const skipped: Skipped[] = [];
    for (const functionName of inStack ?? [name]) {
      const read = await usesOf(account, functionName, options);
      if (read.kind === 'missing' && inStack === undefined) throw new NothingFoundError(name);
      if (read.kind === 'used') used.push(read);
      else skipped.push({ functionName, reason: read.reason });
    }
    return {
      consumers: used.flatMap(({ consumers }) => consumers),
      scheduled: used.flatMap(({ scheduled }) => scheduled),
      outboxes: used.flatMap(({ outboxes }) => outboxes),
      ends: used.flatMap(({ ends }) => ends),
      skipped,
    };
  } catch (error) {
    throw explainedAccess(error);
  } finally {
    await account.close();
  }
}

/** AWS's own texts of missing credentials and of a missing region do not say what to do. */
function explainedAccess(error: unknown): unknown {
  const setup = setupOf(error);
  if (setup?.kind !== 'credentials' && setup?.kind !== 'region') return error;
  return new UnreachableAccountError(explained(`The account was not read: ${adviceOn(setup)}`, setup.kind), {
    cause: error,
  });
}

/** What a function is: a consumer for each queue that feeds it, what a schedule starts, and what has an outbox. */
type Uses = Used | { readonly kind: 'missing' | 'not used'; readonly reason: string };

interface Used extends Omit<Reading, 'skipped'> {
  readonly kind: 'used';
}

/** The variable may be of something else. IAM refuses a question about what is no ARN, which would end the examination of the whole stack. */
const isAnArn = /^arn:[\w-]+:(states|lambda):/;

async function usesOf(account: Account, functionName: string, options: ReadOptions): Promise<Uses> {
  const configuration = await readFunction(account, functionName);
  if (configuration === undefined) {
    return { kind: 'missing', reason: 'the stack has it, and Lambda does not: it was deleted by hand' };
  }
  const variables = configuration.Environment?.Variables ?? {};
  const tableName = options.claimsTable ?? variables['CLAIMS_TABLE'];
  const mark = variables[scheduledVariable];
  const all = await mappingsOf(account, configuration.FunctionName ?? functionName);
  const outboxTable = variables['OUTBOX_TABLE'];
  const isSweep = mark !== undefined && all.length === 0;
  const outboxes =
    outboxTable === undefined ? [] : [await readOutbox(account, configuration, { tableName: outboxTable, isSweep })];
  const workflowArn = variables[workflowVariable];
  // A consumer and a sweep may have the variable too: they start executions, and are told of no end. Of any other function, the rules that call it say which it is.
  const startsThem = all.length > 0 || mark !== undefined;
  const ends =
    workflowArn === undefined || !isAnArn.test(workflowArn) || tableName === undefined || startsThem
      ? []
      : [await readEnds(account, configuration, { workflowArn, tableName }, options)];
  if (all.length === 0 && mark === undefined) {
    if (outboxes.length + ends.length > 0) return { kind: 'used', consumers: [], scheduled: [], outboxes, ends };
    return { kind: 'not used', reason: 'no queue feeds it' };
  }
  if (tableName === undefined) {
    return {
      kind: 'not used',
      reason: 'it has no CLAIMS_TABLE: name its table with --table. Claims in PostgreSQL are not checked',
    };
  }
  const consumers: ConsumerFacts[] = [];
  for (const mapping of all) {
    consumers.push(await readConsumer(account, { configuration, mapping, all, tableName }, options));
  }
  const scheduled = mark === undefined ? [] : [await readScheduled(account, { configuration, mark, tableName })];
  return { kind: 'used', consumers, scheduled, outboxes, ends };
}
