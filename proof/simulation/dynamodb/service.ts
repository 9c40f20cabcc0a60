import {
  type BatchExecuteStatementCommandInput,
  type BatchExecuteStatementCommandOutput,
  type BatchGetItemCommandInput,
  type BatchGetItemCommandOutput,
  type BatchStatementResponse,
  TransactionCanceledException,
  type TransactWriteItemsCommandInput,
} from '@aws-sdk/client-dynamodb';
import type { FaultName } from '../faults.ts';
import type { Sandbox } from '../lambda/sandbox.ts';
import type { Trouble } from '../network.ts';
import type { Simulation } from '../simulation.ts';
import { type SimulatedTable, statementsOf } from './table.ts';

/** As far as a client needs to know what it is part of. */
export type Surroundings = Pick<Simulation, 'world' | 'strikes' | 'isOut'> & {
  readonly stats: Pick<Simulation['stats'], 'storeRequests'>;
  readonly scenario: Pick<Simulation['scenario'], 'sdkTries' | 'clientTimeoutMs'>;
  readonly oracle: Pick<Simulation['oracle'], 'heard' | 'storeFails' | 'throttles' | 'sending'>;
};

/** DynamoDB as one sandbox meets it: which trouble each try meets, and what is served. */
export interface SimulatedService {
  /** Draws what happens to the next try of a command. */
  trouble(command: string): Trouble | undefined;
  /** @throws as the SDK does */
  serve(command: string, input: unknown): unknown;
}

const mayConflict = new Set(['PutItemCommand', 'TransactWriteItemsCommand']);

export function serviceFor(
  { stats, oracle, ...troubles }: Surroundings,
  sandbox: Sandbox,
  table: SimulatedTable<Sandbox>,
): SimulatedService {
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

  /** Whether the table refuses because it is asked for more than it can do. */
  function throttles(fault: FaultName): boolean {
    const happens = strikes(fault);
    if (happens) oracle.throttles?.(sandbox);
    return happens;
  }

  function trouble(command: string): Trouble | undefined {
    stats.storeRequests++;
    if (isOut()) {
      oracle.throttles?.(sandbox);
      return 'throttled';
    }
    if (throttles('storeThrottles')) return 'throttled';
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

  function statements({ Statements = [] }: BatchExecuteStatementCommandInput): BatchExecuteStatementCommandOutput {
    const Responses = statementsOf(Statements).map((statement): BatchStatementResponse => {
      if (throttles('statementThrottled')) return { Error: { Code: 'ThrottlingError', Message: 'try again' } };
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
    const left = new Set((asked.Keys ?? []).filter(() => throttles('keysUnprocessed')));
    const Keys = (asked.Keys ?? []).filter((key) => !left.has(key));
    const read = { RequestItems: { [name]: { ...asked, Keys } } };
    const none = { $metadata: {}, Responses: { [name]: [] } };
    const output =
      Keys.length === 0 ? none : (table.execute('BatchGetItemCommand', read, sandbox) as BatchGetItemCommandOutput);
    return { ...output, UnprocessedKeys: left.size > 0 ? { [name]: { ...asked, Keys: [...left] } } : {} };
  }

  return { trouble, serve };
}

/** One of the items is in another transaction. */
export function conflictOf({ TransactItems = [] }: TransactWriteItemsCommandInput): Error {
  const CancellationReasons = TransactItems.map((_, index) => ({ Code: index === 0 ? 'TransactionConflict' : 'None' }));
  return new TransactionCanceledException({ message: 'cancelled', $metadata: {}, CancellationReasons });
}
