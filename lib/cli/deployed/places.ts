import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SQSClient } from '@aws-sdk/client-sqs';
import { deadLetterUrls, readDeadLetterUrls } from 'pawl/deployment';
import type { ClientConfig } from '../client-config.ts';
import { queueUrlOf } from '../queue-url.ts';
import { NothingFoundError } from './read.ts';
import { functionsOf, mappingsOf, readFunction } from './read-functions.ts';
import { readQueue } from './read-queue.ts';

/** Where a stack keeps its claims and its dead letters. */
export interface Places {
  /** The names of the claims tables: the variable `CLAIMS_TABLE` of its functions. */
  readonly tables: readonly string[];
  /** The names of the outbox tables: their variable `OUTBOX_TABLE`. */
  readonly outboxTables: readonly string[];
  readonly deadLetters: readonly DeadLetterPlace[];
  /** What the caller may not read, so that a table or a queue may be missing above. */
  readonly unread: readonly Unread[];
}

/** A dead-letter queue, and where its messages go back to. */
export interface DeadLetterPlace {
  readonly deadLetterUrl: string;
  /** `undefined`: the one queue whose redrive policy names it. A dead letter does not say which of several queues it is from. */
  readonly queueUrl: string | undefined;
}

/** A function, or the event sources of a function that has no variable `DEAD_LETTER_QUEUE_URL`. */
export interface Unread {
  readonly functionName: string;
  readonly what: 'function' | 'queues';
}

/** Where the claims are that an operator looks at: the dead letters of other functions have theirs elsewhere. */
interface WhereClaimsAre {
  /** In a database. A function over one has no table. */
  readonly inDatabase?: boolean;
  /** In this table. If it is that of no function, such as one that was just restored, nothing is left out. */
  readonly table?: string | undefined;
}

interface Clients {
  readonly cloudFormation: CloudFormationClient;
  readonly lambda: LambdaClient;
  readonly sqs: SQSClient;
}

/**
 * Finds the tables and the queues of a stack, or of one function. It only reads.
 *
 * Needs permission for: cloudformation:ListStackResources and lambda:GetFunctionConfiguration. If the caller may also list event sources
 * (lambda:ListAliases, ListEventSourceMappings, sqs:GetQueueUrl, GetQueueAttributes), it finds the dead-letter queues that only a redrive policy names.
 *
 * @param name the name or ARN of a CloudFormation stack, or else of a Lambda function
 * @param where.inDatabase the claims are in PostgreSQL: their consumers have no CLAIMS_TABLE, and are known by their dead-letter queue
 * @throws NothingFoundError; AWS's error
 */
export async function readPlaces(
  name: string,
  config: ClientConfig,
  { inDatabase = false, table: wanted }: WhereClaimsAre = {},
): Promise<Places> {
  const clients: Clients = {
    cloudFormation: new CloudFormationClient(config),
    lambda: new LambdaClient(config),
    sqs: new SQSClient({ ...config, useQueueUrlAsEndpoint: false }),
  };
  const tables = new Set<string>();
  const outboxTables = new Set<string>();
  const found: (DeadLetterPlace & { readonly table: string | undefined })[] = [];
  const unread: Unread[] = [];
  try {
    const inStack = await functionsOf(clients, name);
    for (const functionName of inStack ?? [name]) {
      const reading = () => readFunction(clients, functionName);
      // A stack has functions that are no consumers, such as those of custom resources: an operator need not read them.
      const read = inStack === undefined ? await reading() : await ifPermitted(reading);
      if (read === 'denied') {
        unread.push({ functionName, what: 'function' });
        continue;
      }
      if (read === undefined && inStack === undefined) throw new NothingFoundError(name);
      const variables = read?.Environment?.Variables ?? {};
      const { CLAIMS_TABLE: table, OUTBOX_TABLE: outboxTable, DEAD_LETTER_QUEUE_URL: urls = '' } = variables;
      if (outboxTable !== undefined) outboxTables.add(outboxTable);
      if (table !== undefined) tables.add(table);
      // Without a table, only a dead-letter queue of pawl's tells a consumer from a stranger.
      const isConsumer = inDatabase ? table === undefined && urls !== '' : table !== undefined;
      if (!isConsumer) continue;
      const mappings = await ifPermitted(() => mappingsOf(clients, functionName));
      if (mappings === 'denied' && urls === '') unread.push({ functionName, what: 'queues' });
      const places =
        mappings === 'denied'
          ? inVariable(clients, urls)
          : ofQueues(
              clients,
              urls,
              mappings.map(({ EventSourceArn = '' }) => EventSourceArn),
            );
      for await (const place of places) found.push({ ...place, table });
    }
  } finally {
    for (const client of Object.values(clients)) client.destroy();
  }
  const isOfSome = !inDatabase && wanted !== undefined && tables.has(wanted);
  const own = isOfSome ? found.filter(({ table }) => table === wanted) : found;
  return { tables: [...tables], outboxTables: [...outboxTables], deadLetters: eachOnce(own), unread };
}

/**
 * Each dead-letter queue once. If several queues share it, it has no queue to go back to: a redrive to any of them would give a consumer the messages of
 * another one. The redrive is then refused, until the operator names a queue.
 */
function eachOnce(places: readonly DeadLetterPlace[]): readonly DeadLetterPlace[] {
  const byUrl = Map.groupBy(places, ({ deadLetterUrl }) => deadLetterUrl);
  return Array.from(byUrl, ([deadLetterUrl, same]) => {
    const [queueUrl, ...others] = new Set(same.map((place) => place.queueUrl));
    return { deadLetterUrl, queueUrl: others.length === 0 ? queueUrl : undefined };
  });
}

async function* ofQueues(
  { sqs }: Clients,
  urls: string,
  queueArns: readonly string[],
): AsyncGenerator<DeadLetterPlace> {
  for (const queueArn of queueArns) {
    const queueUrl = await queueUrlOf(sqs, queueArn);
    const redriveArn = (await readQueue(sqs, queueArn))?.redriveArn;
    const named = urls === '' ? undefined : deadLetterUrls(urls)(queueArn);
    // pawl's own dead letters, and those of SQS: most often one queue.
    const both = [named, await queueUrlOf(sqs, redriveArn)];
    for (const deadLetterUrl of both) if (deadLetterUrl !== undefined) yield { deadLetterUrl, queueUrl };
  }
}

/** What the function's variable says. IAM permits the event sources of all functions or of none: an operator of one stack may not list them. */
async function* inVariable({ sqs }: Clients, urls: string): AsyncGenerator<DeadLetterPlace> {
  if (urls === '') return;
  for (const [queueArn, deadLetterUrl] of readDeadLetterUrls(urls)) {
    yield { deadLetterUrl, queueUrl: await queueUrlOf(sqs, queueArn) };
  }
}

async function ifPermitted<T>(read: () => Promise<T>): Promise<T | 'denied'> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Error && error.name.startsWith('AccessDenied')) return 'denied';
    throw error;
  }
}
