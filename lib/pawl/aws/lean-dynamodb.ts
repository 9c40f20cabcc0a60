import type { Host } from '../kernel/host.ts';
import type { DynamoOperation, DynamoTransport } from './aws.ts';
import { binariesAsBase64 } from './binaries.ts';
import type { Service } from './service.ts';
import type { Send } from './signed-requests.ts';

/** DynamoDB, as it is asked without the SDK. */
export const dynamodb: Service = {
  title: 'DynamoDB',
  name: 'dynamodb',
  target: 'DynamoDB_20120810',
  mostTries: 4,
  // An error may hold an item of the application, and its binary values are no texts there.
  readError: (text) => JSON.parse(text, withBinaries),
  factsOf(said) {
    const { Item, CancellationReasons } = said as { readonly Item?: unknown; readonly CancellationReasons?: unknown };
    return {
      ...(Item !== undefined && { Item }),
      ...(CancellationReasons !== undefined && { CancellationReasons }),
    };
  },
};

/** The requests of pawl to DynamoDB, by what sends them. */
export function leanDynamo(send: Send, host: Pick<Host, 'randomId'>, region: () => string): DynamoTransport {
  return {
    call: (operation, input) => send(operation, bodyOf(operation, input, host)),
    region: async () => region(),
  };
}

/** The request as DynamoDB's JSON. Only the application's writes, in a transaction, can hold binary values. */
function bodyOf(operation: DynamoOperation, input: object, host: Pick<Host, 'randomId'>): string {
  if (operation !== 'TransactWriteItems') return JSON.stringify(input);
  return JSON.stringify({ ClientRequestToken: host.randomId(), ...input }, binariesAsBase64);
}

/** An attribute called `B` holds a value with a type, and no text. */
function withBinaries(key: string, value: unknown): unknown {
  if (key === 'B' && typeof value === 'string') return Uint8Array.from(Buffer.from(value, 'base64'));
  if (key === 'BS' && Array.isArray(value)) return value.map((one) => withBinaries('B', one));
  return value;
}
