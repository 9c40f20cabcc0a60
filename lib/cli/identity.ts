import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import type { clientConfig } from './client-config.ts';

/** The ARN of the caller, as AWS knows it: of an assumed role, with the name of its session. @throws STS's error */
export async function identity(config: ReturnType<typeof clientConfig>): Promise<string> {
  const client = new STSClient(config);
  try {
    const { Arn = '' } = await client.send(new GetCallerIdentityCommand({}));
    return Arn;
  } finally {
    client.destroy();
  }
}
