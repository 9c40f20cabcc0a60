import type {
  BatchExecuteStatementCommandInput,
  BatchExecuteStatementCommandOutput,
  BatchGetItemCommandInput,
  BatchGetItemCommandOutput,
  BatchStatementResponse,
  DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import type { FaultName } from '../faults.ts';
import type { Sandbox } from '../lambda/sandbox.ts';
import { request, type Trouble } from '../network.ts';
import type { Simulation } from '../simulation.ts';
import { type SimulatedTable, statementsOf } from './table.ts';

/** As far as a client needs to know what it is part of. */
export type Surroundings = Pick<Simulation, 'world' | 'strikes' | 'isOut' | 'stats'> & {
  readonly scenario: Pick<Simulation['scenario'], 'sdkTries'>;
  readonly oracle: Pick<Simulation['oracle'], 'heard' | 'storeFails'>;
};

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
    if (command === 'PutItemCommand' && strikes('storeConflicts')) return 'conflict';
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
    const output = table.execute('BatchGetItemCommand', read, sandbox) as BatchGetItemCommandOutput;
    return { ...output, UnprocessedKeys: left.size > 0 ? { [name]: { ...asked, Keys: [...left] } } : {} };
  }

  const client = {
    send(command: { readonly input: object }): Promise<unknown> {
      const { name } = command.constructor;
      return request<unknown>(world, sandbox, scenario.sdkTries, {
        what: name,
        trouble: () => trouble(name),
        serve: () => serve(name, command.input),
        heard: (answer) => oracle.heard(sandbox, command.input, answer),
      });
    },
    destroy() {},
  };
  return client as unknown as DynamoDBClient;
}
