import { Lazy } from 'aws-cdk-lib';
import { type IFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { holdsSecret, type Problem, processWide, refusal } from 'pawl/deployment';
import { resolvedIn } from './rendered.ts';
import { functionBehind, seenFunction, variablesSoFar } from './seen.ts';

/** What a consumer sets in the environment of its function. */
interface Told {
  /** The path of the consumer. */
  readonly by: string;
  readonly queue: IQueue;
  readonly deadLetterQueue: IQueue;
  readonly tableName: string;
}

/** A function may be fed by several queues, each with a `Consumer` of its own. */
const told = processWide('constructs.told/1', () => new WeakMap<LambdaFunction, Told[]>());

/**
 * Sets the variables of a function, as far as its environment can be changed. Where several queues with different dead-letter queues feed it,
 * `DEAD_LETTER_QUEUE_URL` says which queue has which, as `deadLetterQueue` reads it.
 */
export function tellFunction(aFunction: IFunction, what: Told): readonly Problem[] {
  const target = functionBehind(aFunction);
  if (!(target instanceof LambdaFunction)) return [];
  const before = told.get(target) ?? [];
  const wanted = { CLAIMS_TABLE: what.tableName, DEAD_LETTER_QUEUE_URL: what.deadLetterQueue.queueUrl };
  const problems = before.length === 0 ? takenProblems(target, wanted) : otherTableProblems(target, before, what);
  if (problems.length > 0) return problems;
  told.set(target, [...before, what]);
  if (before.length === 0) {
    target.addEnvironment('CLAIMS_TABLE', what.tableName);
    // Not cached: it may be looked at before the last consumer of the function is made.
    const produce = () => deadLetterText(target);
    target.addEnvironment('DEAD_LETTER_QUEUE_URL', Lazy.uncachedString({ produce }));
  }
  return [];
}

/** One URL, or a pair of ARN and URL for each queue. */
function deadLetterText(target: LambdaFunction): string {
  const all = told.get(target) ?? [];
  const [first = ''] = all.map(({ deadLetterQueue }) => deadLetterQueue.queueUrl);
  const urls = new Set(all.map(({ deadLetterQueue }) => resolvedIn(target, deadLetterQueue.queueUrl)));
  if (urls.size < 2) return first;
  return all.map(({ queue, deadLetterQueue }) => `${queue.queueArn}=${deadLetterQueue.queueUrl}`).join(' ');
}

/** Sets `CLAIMS_TABLE` of a function that no queue feeds, unless it has another table. */
export function tellTable(target: LambdaFunction, tableName: string): readonly Problem[] {
  const problems = takenProblems(target, { CLAIMS_TABLE: tableName });
  if (problems.length === 0) target.addEnvironment('CLAIMS_TABLE', tableName);
  return problems;
}

function takenProblems(target: LambdaFunction, wanted: Readonly<Record<string, string>>): readonly Problem[] {
  const present = variablesSoFar(target);
  return Object.entries(wanted)
    .filter(([name, value]) => name in present && !isSame(present[name], resolvedIn(target, value)))
    .map(([name]) =>
      refusal(
        'variables',
        `The environment of ${target.node.path} sets ${name} to another value than the construct would. Remove it, or rename it.`,
      ),
    );
}

function otherTableProblems(target: LambdaFunction, before: readonly Told[], what: Told): readonly Problem[] {
  const other = before.find(
    ({ tableName }) => !isSame(resolvedIn(target, tableName), resolvedIn(target, what.tableName)),
  );
  if (other === undefined) return [];
  return [
    refusal(
      'variables',
      `${target.node.path} is the function of ${other.by} as well, which has another claimsTable, and one handler has one CLAIMS_TABLE. ` +
        'Give both consumers the same claimsTable, or each a function of its own.',
    ),
  ];
}

/** Whether the variables are still as they were set, when the app is complete. */
export function variableProblems(aFunction: IFunction, path: string): readonly Problem[] {
  const target = functionBehind(aFunction);
  if (!(target instanceof LambdaFunction)) return [];
  const mine = told.get(target)?.find(({ by }) => by === path);
  if (mine === undefined) return [];
  const variables = seenFunction(target)?.variables ?? {};
  const wanted = { CLAIMS_TABLE: mine.tableName, DEAD_LETTER_QUEUE_URL: deadLetterText(target) };
  return Object.entries(wanted)
    .filter(([name, value]) => !isSame(variables[name], resolvedIn(target, value)))
    .map(([name]) =>
      refusal(
        'variables',
        `The environment of ${target.node.path} has another ${name} than ${path} set. Remove the code that changes it.`,
      ),
    );
}

/** The names of the variables whose value CloudFormation takes from a secret. */
export function secretVariables(aFunction: IFunction): readonly string[] {
  return Object.entries(seenFunction(aFunction)?.variables ?? {})
    .filter(([, value]) => holdsSecret(value))
    .map(([name]) => name);
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
