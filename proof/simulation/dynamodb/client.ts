import type { DynamoDBClient, TransactWriteItemsCommandInput } from '@aws-sdk/client-dynamodb';
import type { Sandbox } from '../lambda/sandbox.ts';
import { request } from '../network.ts';
import { conflictOf, type Surroundings, serviceFor } from './service.ts';
import type { SimulatedTable } from './table.ts';

/** A stand-in for a sandbox's DynamoDBClient, with an unreliable way to the table. */
export function dynamoClient(
  surroundings: Surroundings,
  sandbox: Sandbox,
  table: SimulatedTable<Sandbox>,
): DynamoDBClient {
  const { world, scenario, oracle } = surroundings;
  const { serve, trouble } = serviceFor(surroundings, sandbox, table);

  /** What the SDK sends again carries the token of the first, and is answered as that was. */
  function onceOnly(serveIt: () => unknown): () => unknown {
    let applied: { readonly answer: unknown } | undefined;
    return () => {
      applied ??= { answer: serveIt() };
      return applied.answer;
    };
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
