import { type Aws, expectAws, type SqsTransport, waysToAws } from '../aws/aws.ts';
import { OptionError } from '../kernel/errors.ts';
import type { ClaimStore } from '../rules/store.ts';

/** Where a door finds its way to SQS. */
interface Ways {
  readonly aws?: Aws | undefined;
  readonly store: ClaimStore;
}

/**
 * The way to SQS of a door: its own, or that of its store. Without one, each call rejects with what to do: nearly every message is done without a call to SQS,
 * and the test of a handler over `memoryStore()` needs none.
 *
 * @throws OptionError when `aws` is no way to AWS
 */
export function sqsOf(door: string, ways: Ways): SqsTransport {
  return given(ways) ?? { call: async () => Promise.reject(noWay(door)) };
}

/** The same for a door that does nothing without SQS. @throws OptionError when there is none */
export function expectSqs(door: string, ways: Ways): SqsTransport {
  const sqs = given(ways);
  if (sqs === undefined) throw noWay(door);
  return sqs;
}

function given({ aws, store }: Ways): SqsTransport | undefined {
  expectAws(aws);
  return (aws ?? store.aws)?.sqs;
}

function noWay(door: string): OptionError {
  const said =
    `aws: ${door} has to ask SQS, and neither it nor its store has a way to AWS. Pass aws: ${waysToAws}; ` +
    `or a store that has one, such as dynamoStore({ tableName })`;
  return new OptionError(said, 'no-way-to-sqs');
}
