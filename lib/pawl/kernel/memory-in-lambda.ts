import { warnOnce } from './warn-once.ts';

/**
 * Says, once in a cold start, that what a store in memory is given is lost with its sandbox: until the first cold start, all looks well. A test may set the
 * name of the function. The folder of its code is set where Lambda runs it, or a rehearsal.
 *
 * @param store the function that made it
 * @param lasting the one to take in its place
 */
export function warnInLambda(store: string, lasting: string): void {
  const { AWS_LAMBDA_FUNCTION_NAME: name, LAMBDA_TASK_ROOT: folder } = process.env;
  if (name === undefined || folder === undefined) return;
  const said = `${store}() is for tests, and this is a Lambda function: each sandbox has a memory of its own, so the same effect happens again in another one`;
  warnOnce('memory-in-lambda', store, `${said}. Write ${lasting}({ tableName: process.env.CLAIMS_TABLE })`);
}
