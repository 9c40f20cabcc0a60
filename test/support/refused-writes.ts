import type {
  BatchExecuteStatementCommandInput,
  BatchExecuteStatementCommandOutput,
  BatchStatementResponse,
  DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import type { Aws } from '../../lib/pawl/aws/aws.ts';
import { claimWrites, type SeenWrite } from '../../shop/faults/claim-writes.ts';

const message = 'the table is throttled';

type Refuses = (write: SeenWrite) => boolean;
type Output = Partial<Pick<BatchExecuteStatementCommandOutput, 'Responses'>>;

/** Sends a request without the writes that are refused, and puts their refusals among its responses. */
async function withoutRefused(
  refuses: Refuses,
  operation: string,
  given: object,
  send: (input: object) => Promise<Output>,
): Promise<Output> {
  const refused = (input: object) => claimWrites({ operation, body: JSON.stringify(input) }).some(refuses);
  if (operation !== 'BatchExecuteStatement') {
    if (refused(given)) throw Object.assign(new Error(message), { name: 'ThrottlingException' });
    return send(given);
  }
  const { Statements = [] } = given as BatchExecuteStatementCommandInput;
  const isRefused = Statements.map((statement) => refused({ Statements: [statement] }));
  const left = Statements.filter((_, index) => !isRefused[index]);
  const output = left.length > 0 ? await send({ ...given, Statements: left }) : {};
  const served = (output.Responses ?? []).values();
  const throttled: BatchStatementResponse = { Error: { Code: 'ThrottlingError', Message: message } };
  return { ...output, Responses: isRefused.map((is) => (is ? throttled : (served.next().value ?? {}))) };
}

/** Makes a client refuse some writes of claims, as DynamoDB does when it throttles: alone, and one by one in a batch. */
export function refuseWritesOf(client: DynamoDBClient, refuses: Refuses): void {
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const operation = String(context['commandName']).replace('Command', '');
      let answer: Awaited<ReturnType<typeof next>> | undefined;
      const output = await withoutRefused(refuses, operation, args.input, async (input) => {
        answer = await next({ ...args, input: input as never });
        return answer.output as Output;
      });
      return { response: {}, ...answer, output: { $metadata: {}, ...output } as never };
    },
    { step: 'initialize', name: 'refuseWrites' },
  );
}

/** The same, of a way to AWS. */
export function refusingAws(aws: Aws, refuses: Refuses): Aws {
  const { dynamodb } = aws;
  return {
    ...aws,
    dynamodb: {
      ...dynamodb,
      call: (operation, given) => withoutRefused(refuses, operation, given, (input) => dynamodb.call(operation, input)),
    },
  };
}
