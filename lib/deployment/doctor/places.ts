import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { GetQueueUrlCommand, SQSClient, type SQSClientConfig } from '@aws-sdk/client-sqs';
import { deadLetterUrls } from '../../sqs/dead-letter-urls.ts';
import { NothingFoundError } from './read.ts';
import { functionsOf, mappingsOf, readFunction } from './read-functions.ts';
import { readQueue } from './read-queue.ts';

/** Where a stack keeps its claims and its dead letters. */
export interface Places {
  /** The names of the claims tables: the variable `CLAIMS_TABLE` of its functions. */
  readonly tables: readonly string[];
  /** Each dead-letter queue, and the queue whose messages it has. */
  readonly deadLetters: readonly { readonly deadLetterUrl: string; readonly queueUrl: string }[];
}

type Config = Pick<SQSClientConfig, 'region' | 'profile' | 'endpoint' | 'requestHandler'>;

/**
 * Finds the tables and the queues of a stack, or of one function. It only reads.
 *
 * Needs permission for: cloudformation:ListStackResources, lambda:GetFunctionConfiguration, ListAliases and ListEventSourceMappings,
 * sqs:GetQueueUrl and GetQueueAttributes.
 *
 * @param name the name or ARN of a CloudFormation stack, or else of a Lambda function
 * @throws NothingFoundError; AWS's error
 */
export async function readPlaces(name: string, config: Config): Promise<Places> {
  const cloudFormation = new CloudFormationClient(config);
  const lambda = new LambdaClient(config);
  const sqs = new SQSClient({ ...config, useQueueUrlAsEndpoint: false });
  const tables = new Set<string>();
  const deadLetters = new Map<string, string>();
  try {
    const inStack = await functionsOf({ cloudFormation }, name);
    for (const functionName of inStack ?? [name]) {
      const configuration = await readFunction({ lambda }, functionName);
      if (configuration === undefined && inStack === undefined) throw new NothingFoundError(name);
      const { CLAIMS_TABLE: table, DEAD_LETTER_QUEUE_URL: urls } = configuration?.Environment?.Variables ?? {};
      if (table === undefined) continue;
      tables.add(table);
      for (const { EventSourceArn = '' } of await mappingsOf({ lambda }, functionName)) {
        const queueUrl = await urlOf(sqs, EventSourceArn);
        const redriveArn = (await readQueue(sqs, EventSourceArn))?.redriveArn;
        const named = urls === undefined || urls === '' ? undefined : deadLetterUrls(urls)(EventSourceArn);
        // pawl's own dead letters, and those of SQS: most often one queue.
        const both = [named, redriveArn === undefined ? undefined : await urlOf(sqs, redriveArn)];
        for (const url of both) if (url !== undefined) deadLetters.set(url, queueUrl);
      }
    }
  } finally {
    for (const client of [cloudFormation, lambda, sqs]) client.destroy();
  }
  return {
    tables: [...tables],
    deadLetters: Array.from(deadLetters, ([deadLetterUrl, queueUrl]) => ({ deadLetterUrl, queueUrl })),
  };
}

async function urlOf(sqs: SQSClient, arn: string): Promise<string> {
  const [, , , , QueueOwnerAWSAccountId, QueueName] = arn.split(':');
  const { QueueUrl = '' } = await sqs.send(new GetQueueUrlCommand({ QueueName, QueueOwnerAWSAccountId }));
  return QueueUrl;
}
