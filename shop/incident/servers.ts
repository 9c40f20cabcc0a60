import { request as ask } from 'node:http';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { claimsTableDefinition, keyAttributes } from '../../lib/pawl/deployment/table-definition.ts';
import { rehearsedAccount, rehearsedRegion } from '../../lib/rehearsal/engine/app/template.ts';
import { type HttpServer, sendText, startHttpServer } from '../../lib/rehearsal/engine/http.ts';
import { startDynamoDbLocal } from '../../lib/rehearsal/engine/servers/dynamodb-local.ts';
import { startSqsLocal } from '../../lib/rehearsal/engine/servers/sqs-local.ts';

/*
 * The services of AWS on this machine, behind one address, as an operator's shell finds them with AWS_ENDPOINT_URL.
 */

const tables = { claims: 'claims', debts: 'debts' } as const;
export const queues = { charge: 'charges', repay: 'repayments' } as const;
export const deadLetterQueues = { charge: 'charges-dlq', repay: 'repayments-dlq' } as const;
/** After so many receives SQS moves a message to its dead-letter queue. */
const mostReceives = 2;

export type Servers = Awaited<ReturnType<typeof startServers>>;

/** @param dynamoEndpoint of a DynamoDB Local that runs already. @default one of its own */
export async function startServers(dynamoEndpoint?: string) {
  const stopping = new AsyncDisposableStack();
  try {
    const dynamoUrl = dynamoEndpoint ?? stopping.use(await startDynamoDbLocal()).endpoint;
    const sqs = stopping.use(await startSqsLocal());
    const door = await startDoor({ dynamodb: dynamoUrl, sqs: sqs.endpoint });
    stopping.defer(() => door.stop());
    const env = envOf(door.endpoint, 'maria');
    const credentials = { accessKeyId: env.AWS_ACCESS_KEY_ID, secretAccessKey: env.AWS_SECRET_ACCESS_KEY };
    const config = { endpoint: door.endpoint, region: rehearsedRegion, credentials };
    const dynamo = new DynamoDBClient(config);
    const client = new SQSClient({ ...config, useQueueUrlAsEndpoint: false });
    stopping.defer(() => {
      dynamo.destroy();
      client.destroy();
    });
    // Those of a test share one DynamoDB Local.
    const suffix = dynamoEndpoint === undefined ? '' : `-${crypto.randomUUID()}`;
    const names = { claims: tables.claims + suffix, debts: tables.debts + suffix };
    await createTables(dynamo, names);
    for (const consumer of ['charge', 'repay'] as const) {
      const { arn: deadLetterTargetArn } = await sqs.createQueue(deadLetterQueues[consumer]);
      const RedrivePolicy = JSON.stringify({ deadLetterTargetArn, maxReceiveCount: mostReceives });
      await sqs.createQueue(queues[consumer], { VisibilityTimeout: '600', RedrivePolicy });
    }
    const moved = stopping.move();
    return {
      ...{ endpoint: door.endpoint, dynamo, sqs, client, tables: names },
      env: (person: string) => envOf(door.endpoint, person),
      stop: () => moved.disposeAsync(),
    };
  } catch (error) {
    await stopping.disposeAsync();
    throw error;
  }
}

/** Who calls, as the stand-in of STS says it. */
export function arnOf(person: string): string {
  return `arn:aws:sts::${rehearsedAccount}:assumed-role/Operators/${person}`;
}

/** What a shell needs of its environment. The name of the person is the access key: STS is asked who it is. */
function envOf(endpoint: string, person: string) {
  return {
    AWS_ENDPOINT_URL: endpoint,
    AWS_REGION: rehearsedRegion,
    AWS_ACCESS_KEY_ID: person,
    AWS_SECRET_ACCESS_KEY: 'local',
  } as const;
}

/** Hands each request on to the service that its signature names, and is STS itself. */
async function startDoor(urls: Readonly<Record<'dynamodb' | 'sqs', string>>): Promise<HttpServer> {
  return startHttpServer((request, response) => {
    const [, person = '', service = ''] =
      /Credential=([^/]+)\/\d+\/[^/]+\/([a-z]+)\//.exec(request.headers.authorization ?? '') ?? [];
    if (service === 'sts') return void sendText(response, 200, identityOf(person), 'text/xml');
    if (service !== 'dynamodb' && service !== 'sqs') return void response.writeHead(404).end();
    const { method, headers, url = '/' } = request;
    const onward = ask(new URL(url, urls[service]), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
}

function identityOf(person: string): string {
  return `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult><Arn>${arnOf(person)}</Arn><UserId>${person}</UserId><Account>${rehearsedAccount}</Account></GetCallerIdentityResult></GetCallerIdentityResponse>`;
}

async function createTables(
  dynamo: DynamoDBClient,
  names: Readonly<Record<keyof typeof tables, string>>,
): Promise<void> {
  const { key, indexes } = claimsTableDefinition;
  await dynamo.send(
    new CreateTableCommand({
      TableName: names.claims,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: keyAttributes(claimsTableDefinition).map(({ name, type }) => ({
        AttributeName: name,
        AttributeType: type,
      })),
      KeySchema: [{ AttributeName: key.name, KeyType: 'HASH' }],
      GlobalSecondaryIndexes: indexes.map(({ name, partitionKey, sortKey, projection }) => ({
        IndexName: name,
        KeySchema: [
          { AttributeName: partitionKey.name, KeyType: 'HASH' as const },
          ...(sortKey ? [{ AttributeName: sortKey.name, KeyType: 'RANGE' as const }] : []),
        ],
        Projection:
          typeof projection === 'string'
            ? { ProjectionType: projection }
            : { ProjectionType: 'INCLUDE' as const, NonKeyAttributes: [...projection] },
      })),
    }),
  );
  await dynamo.send(
    new CreateTableCommand({
      TableName: names.debts,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'debtId', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'debtId', KeyType: 'HASH' }],
    }),
  );
}
