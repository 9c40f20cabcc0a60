import { type Lean, lean } from '../../lib/pawl/stores/dynamodb/lean.ts';

/** The way to DynamoDB Local without the SDK. In a file without the SDK: a lean bundle has none. */
export function benchLean(endpoint: string): Lean {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  return lean({ endpoints: { dynamodb: endpoint }, region: 'eu-west-1', credentials });
}
