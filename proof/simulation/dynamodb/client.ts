import {
  type BatchExecuteStatementCommandInput,
  type BatchExecuteStatementCommandOutput,
  type BatchGetItemCommandInput,
  type BatchGetItemCommandOutput,
  type BatchStatementResponse,
  type DynamoDBClient,
  TransactionCanceledException,
  type TransactWriteItemsCommandInput,
} from '@aws-sdk/client-dynamodb';
import type { FaultName } from '../faults.ts';
import type { Sandbox } from '../lambda/sandbox.ts';
import { request, type Trouble } from '../network.ts';
import type { Simulation } from '../simulation.ts';
import { type SimulatedTable, statementsOf } from './table.ts';

/** As far as a client needs to know what it is part of. */
export type Surroundings = Pick<Simulation, 'world' | 'strikes' | 'isOut'> & {
  readonly stats: Pick<Simulation['stats'], 'storeRequests'>;
  readonly scenario: Pick<Simulation['scenario'], 'sdkTries' | 'clientTimeoutMs'>;
  readonly oracle: Pick<Simulation['oracle'], 'heard' | 'storeFails' | 'sending'>;
};

const mayConflict = new Set(['PutItemCommand', 'TransactWriteItemsCommand']);

/** A stand-in for a sandbox's DynamoDBClient, with an unreliable way to the table. */
export function dynamoClient(
  { world, stats, scenario, oracle, ...troubles }: Surroundings,
  sandbox: Sandbox,
  table: SimulatedTable<Sandbox>,
): DynamoDBClient {
  function strikes(fault: FaultName): boolean {
    const happens = troubles.strikes(fault);
    if (happens) oracle.storeFails(sandbox);
    return happens;
  }

  function isOut(): boolean {
    const is = troubles.isOut();
    if (is) oracle.storeFails(sandbox);
    return is;
  }

  function trouble(command: string): Trouble | undefined {
    stats.storeRequests++;
    if (isOut() || strikes('storeThrottles')) return 'throttled';
    if (mayConflict.has(command) && strikes('storeConflicts')) return 'conflict';
    if (strikes('storeFails')) return 'failed';
    if (strikes('storeFailsApplied')) return 'failed-applied';
    if (strikes('storeAnswerLost')) return 'answer-lost';
    if (strikes('storeRequestLost')) return 'request-lost';
    if (strikes('storeRequestLate')) return 'request-late';
    return undefined;
  }

  function serve(command: string, input: unknown): unknown {
    if (command === 'BatchExecuteStatementCommand') return statements(input as BatchExecuteStatementCommandInput);
    if (command === 'BatchGetItemCommand') return keys(input as BatchGetItemCommandInput);
    return table.execute(command, input, sandbox);
  }

  /** What the SDK sends again carries the token of the first, and is answered as that was. */
  function onceOnly(serveIt: () => unknown): () => unknown {
    let applied: { readonly answer: unknown } | undefined;
    return () => {
      applied ??= { answer: serveIt() };
      return applied.answer;
    };
  }

  function statements({ Statements = [] }: BatchExecuteStatementCommandInput): BatchExecuteStatementCommandOutput {
    const Responses = statementsOf(Statements).map((statement): BatchStatementResponse => {
      if (strikes('statementThrottled')) return { Error: { Code: 'ThrottlingError', Message: 'try again' } };
      const answer = table.statement(statement, sandbox);
      const { Error: error } = answer;
      if (error === undefined && strikes('statementFailsApplied')) {
        return { Error: { Code: 'InternalServerError', Message: 'try again' } };
      }
      return error?.Item && strikes('itemWithheld') ? { Error: { Code: error.Code, Message: error.Message } } : answer;
    });
    return { $metadata: {}, Responses };
  }

  function keys({ RequestItems = {} }: BatchGetItemCommandInput): BatchGetItemCommandOutput {
    const [[name, asked] = ['', { Keys: [] }]] = Object.entries(RequestItems);
    const left = new Set((asked.Keys ?? []).filter(() => strikes('keysUnprocessed')));
    const Keys = (asked.Keys ?? []).filter((key) => !left.has(key));
    const read = { RequestItems: { [name]: { ...asked, Keys } } };
    const none = { $metadata: {}, Responses: { [name]: [] } };
    const output =
      Keys.length === 0 ? none : (table.execute('BatchGetItemCommand', read, sandbox) as BatchGetItemCommandOutput);
    return { ...output, UnprocessedKeys: left.size > 0 ? { [name]: { ...asked, Keys: [...left] } } : {} };
  }

  const client = {
    send(command: { readonly input: object }): Promise<unknown> {
      const { name } = command.constructor;
      const serveIt = () => serve(name, command.input);
      const isTransaction = name === 'TransactWriteItemsCommand';
      oracle.sending?.(sandbox, command.input);
      return request<unknown>(world, sandbox, scenario.sdkTries, {
        what: name,
        trouble: () => trouble(name),
        timeoutMs: scenario.clientTimeoutMs,
        serve: isTransaction ? onceOnly(serveIt) : serveIt,
        ...(isTransaction && { conflict: () => conflictOf(command.input as TransactWriteItemsCommandInput) }),
        heard: (answer) => oracle.heard(sandbox, command.input, answer),
      });
    },
    destroy() {},
  };
  return client as unknown as DynamoDBClient;
}

/** One of the items is in another transaction. */
function conflictOf({ TransactItems = [] }: TransactWriteItemsCommandInput): Error {
  const CancellationReasons = TransactItems.map((_, index) => ({ Code: index === 0 ? 'TransactionConflict' : 'None' }));
  return new TransactionCanceledException({ message: 'cancelled', $metadata: {}, CancellationReasons });
}
