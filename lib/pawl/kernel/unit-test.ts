import { OptionError } from './errors.ts';

/*
 * What keeps an ordinary unit test from calling AWS. On the machine of a developer with credentials, a client that nobody has named would reach their account: a test would write into a real
 * table, or into the dead letters of a real queue.
 */

/** What each test runner sets in the processes of its tests. */
const runners = { VITEST: 'Vitest', JEST_WORKER_ID: 'Jest', NODE_TEST_CONTEXT: 'node:test' } as const;

type Service = 'dynamodb' | 'sqs' | 'sns' | 'eventbridge';

/**
 * Called where pawl is about to use a client that its author has not named.
 *
 * @throws OptionError in a test, unless the environment names an endpoint
 */
export function expectNoUnitTest(service: Service): void {
  const { env } = process;
  const [, runner] = Object.entries(runners).find(([name]) => env[name] !== undefined) ?? [];
  const variable = `AWS_ENDPOINT_URL_${service.toUpperCase()}`;
  if (runner === undefined || env.AWS_ENDPOINT_URL || env[variable]) return;
  const said =
    `a test of ${runner} would call ${service} of AWS, with this machine's credentials. Import '@pawl/testing/fakes' before the handler; ` +
    `for a test against a local server, set ${variable}; or pass a client of your own`;
  throw new OptionError(said, 'test-calls-aws');
}
