import { adviceOn, setupOf } from '../../kernel/aws-error.ts';
import { explained } from '../../kernel/error-code.ts';
import { type Account, closeAccount, openAccount } from './account.ts';
import type { ConsumerFacts } from './facts.ts';
import { type HandlerNeeds, readConsumer } from './read-consumer.ts';
import { functionsOf, mappingsOf, readFunction } from './read-functions.ts';

export interface ReadOptions extends HandlerNeeds {
  /** @default the SDK's own: `AWS_REGION`, or the profile's */
  readonly region?: string | undefined;
  /** For functions that have the name of their table in another variable than `CLAIMS_TABLE`. */
  readonly claimsTable?: string | undefined;
}

/** There is neither a stack nor a function of this name. */
export class NothingFoundError extends Error {
  override readonly name = 'NothingFoundError';
  constructor(wanted: string) {
    const said = `There is neither a stack nor a function called ${wanted} in this region of this account, as far as you may see: a stack needs cloudformation:ListStackResources.`;
    super(explained(`${said} Correct the name, or give --region or AWS_PROFILE`, 'command-line'));
  }
}

/** AWS refused the credentials, or no region is known. */
export class UnreachableAccountError extends Error {
  override readonly name = 'UnreachableAccountError';
}

/** A function that was left out, and the reason. */
interface Skipped {
  readonly functionName: string;
  readonly reason: string;
}

export interface Reading {
  readonly consumers: readonly ConsumerFacts[];
  readonly skipped: readonly Skipped[];
}

/**
 * Reads what is deployed of the consumers of a stack, or of one function. It only reads.
 *
 * @param name the name or ARN of a CloudFormation stack, or else of a Lambda function
 * @throws NothingFoundError
 */
export async function readDeployed(name: string, options: ReadOptions = {}): Promise<Reading> {
  const account = openAccount(options.region);
  try {
    const inStack = await functionsOf(account, name);
    const consumers: ConsumerFacts[] = [];
    const skipped: Skipped[] = [];
    for (const functionName of inStack ?? [name]) {
      const read = await consumersOf(account, functionName, options);
      if (read.kind === 'missing' && inStack === undefined) throw new NothingFoundError(name);
      if (read.kind === 'fed') consumers.push(...read.consumers);
      else skipped.push({ functionName, reason: read.reason });
    }
    return { consumers, skipped };
  } catch (error) {
    throw explainedAccess(error);
  } finally {
    closeAccount(account);
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

/** The consumers that a function is: one for each queue that feeds it. */
type ConsumersOf =
  | { readonly kind: 'fed'; readonly consumers: readonly ConsumerFacts[] }
  | { readonly kind: 'missing' | 'no consumer'; readonly reason: string };

async function consumersOf(account: Account, functionName: string, options: ReadOptions): Promise<ConsumersOf> {
  const configuration = await readFunction(account, functionName);
  if (configuration === undefined) {
    return { kind: 'missing', reason: 'the stack has it, and Lambda does not: it was deleted by hand' };
  }
  const tableName = options.claimsTable ?? configuration.Environment?.Variables?.['CLAIMS_TABLE'];
  const all = await mappingsOf(account, configuration.FunctionName ?? functionName);
  if (all.length === 0) return { kind: 'no consumer', reason: 'no queue feeds it' };
  if (tableName === undefined) {
    return { kind: 'no consumer', reason: 'it has no CLAIMS_TABLE; name its table with --claims-table' };
  }
  const consumers: ConsumerFacts[] = [];
  for (const mapping of all) {
    consumers.push(await readConsumer(account, { configuration, mapping, all, tableName }, options));
  }
  return { kind: 'fed', consumers };
}
