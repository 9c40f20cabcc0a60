import type {
  AttributeValue,
  BatchExecuteStatementCommandInput,
  BatchExecuteStatementCommandOutput,
  BatchGetItemCommandInput,
  BatchGetItemCommandOutput,
  BatchStatementResponse,
  DynamoDBClient,
} from '@aws-sdk/client-dynamodb';

/** How often each kind of trouble has happened. */
export interface Troubles {
  throttled: number;
  answersLost: number;
  itemsWithheld: number;
  unprocessed: number;
}

/**
 * Makes a client's batches fail in part, as DynamoDB's do: of the statements some are throttled, some are applied and
 * answered with an internal error, and some are refused without the item; of the keys of a read some are left unprocessed.
 * None more than twice in a row.
 *
 * @param random at least 0, below 1
 * @param share of the statements and keys that meet trouble
 */
export function troubleBatchesOf(client: DynamoDBClient, random: () => number, share = 0.3): Troubles {
  const troubles: Troubles = { throttled: 0, answersLost: 0, itemsWithheld: 0, unprocessed: 0 };
  const inARow = new Map<string, number>();

  /** Whether this one is to fail now. */
  function meets(values: readonly (AttributeValue | undefined)[]): boolean {
    const id = JSON.stringify(values);
    const times = random() < share ? (inARow.get(id) ?? 0) + 1 : 0;
    inARow.set(id, times % 3);
    return times % 3 > 0;
  }

  async function statements(
    input: BatchExecuteStatementCommandInput,
    send: (input: BatchExecuteStatementCommandInput) => Promise<BatchExecuteStatementCommandOutput>,
  ): Promise<BatchExecuteStatementCommandOutput> {
    const all = input.Statements ?? [];
    const troubled = new Set(all.filter(({ Parameters = [] }) => meets(Parameters)));
    const throttled = new Set([...troubled].filter(() => random() < 0.5));
    const sent = all.filter((statement) => !throttled.has(statement));
    const output = sent.length > 0 ? await send({ ...input, Statements: sent }) : { $metadata: {}, Responses: [] };
    const answers = [...(output.Responses ?? [])];
    const Responses = all.map((statement) => {
      if (throttled.has(statement)) {
        troubles.throttled++;
        return failed(random() < 0.5 ? 'ThrottlingError' : 'TransactionConflict');
      }
      const answer = answers.shift() ?? {};
      if (troubled.has(statement) && answer.Error === undefined) {
        troubles.answersLost++;
        return failed('InternalServerError');
      }
      if (answer.Error?.Item !== undefined && random() < 0.5) {
        troubles.itemsWithheld++;
        return { Error: { ...answer.Error, Item: undefined } };
      }
      return answer;
    });
    return { ...output, Responses };
  }

  async function keys(
    input: BatchGetItemCommandInput,
    send: (input: BatchGetItemCommandInput) => Promise<BatchGetItemCommandOutput>,
  ): Promise<BatchGetItemCommandOutput> {
    const [[table, request] = ['', { Keys: [] }]] = Object.entries(input.RequestItems ?? {});
    const left = new Set((request.Keys ?? []).filter((key) => meets(Object.values(key))));
    const Keys = (request.Keys ?? []).filter((key) => !left.has(key));
    troubles.unprocessed += left.size;
    const output =
      Keys.length > 0 ? await send({ RequestItems: { [table]: { ...request, Keys } } }) : { $metadata: {} };
    return { ...output, UnprocessedKeys: left.size > 0 ? { [table]: { ...request, Keys: [...left] } } : {} };
  }

  client.middlewareStack.add(
    (next, context) => async (args) => {
      const send = async (input: unknown) => (await next({ ...args, input: input as never })).output as never;
      const command = context['commandName'];
      if (command === 'BatchExecuteStatementCommand')
        return { response: {}, output: await statements(args.input as never, send) };
      if (command === 'BatchGetItemCommand')
        return { response: {}, output: (await keys(args.input as never, send)) as never };
      return next(args);
    },
    { step: 'initialize', name: 'troubleBatches' },
  );
  return troubles;
}

function failed(Code: NonNullable<BatchStatementResponse['Error']>['Code']): BatchStatementResponse {
  return { Error: { Code, Message: 'try again' } };
}
