import { type LeanDynamo, leanDynamo } from '../../lib/pawl/stores/dynamodb/lean/index.ts';

/** The lean transport, for DynamoDB Local. In a file without the SDK: a lean bundle has none. */
export function benchTransport(endpoint: string): LeanDynamo {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  return leanDynamo({ endpoint, region: 'eu-west-1', credentials });
}
