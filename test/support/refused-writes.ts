import type {
  BatchExecuteStatementCommandInput,
  BatchExecuteStatementCommandOutput,
  BatchStatementResponse,
  DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import { claimWrites, type SeenWrite } from '../../lib/rehearsal/pawl/claim-writes.ts';

const message = 'the table is throttled';

/** Makes a client refuse some writes of claims, as DynamoDB does when it throttles: alone, and one by one in a batch. */
export function refuseWritesOf(client: DynamoDBClient, refuses: (write: SeenWrite) => boolean): void {
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const operation = String(context['commandName']).replace('Command', '');
      const refused = (input: object) => claimWrites({ operation, body: JSON.stringify(input) }).some(refuses);
      if (operation !== 'BatchExecuteStatement') {
        if (refused(args.input)) throw Object.assign(new Error(message), { name: 'ThrottlingException' });
        return next(args);
      }
      const { Statements = [] } = args.input as BatchExecuteStatementCommandInput;
      const isRefused = Statements.map((statement) => refused({ Statements: [statement] }));
      const left = Statements.filter((_, index) => !isRefused[index]);
      const input = { ...args.input, Statements: left } as never;
      const answer = left.length > 0 ? await next({ ...args, input }) : { response: {}, output: { $metadata: {} } };
      const output = answer.output as BatchExecuteStatementCommandOutput;
      const served = (output.Responses ?? []).values();
      const throttled: BatchStatementResponse = { Error: { Code: 'ThrottlingError', Message: message } };
      const Responses = isRefused.map((is) => (is ? throttled : (served.next().value ?? {})));
      return { ...answer, output: { ...output, Responses } as never };
    },
    { step: 'initialize', name: 'refuseWrites' },
  );
}
