/**
 * What a consumer has without pawl, under pawl's names: each message is handled as it arrives, and its message id is its
 * only identity. `npm start -- --unprotected` bundles the functions of the app with this instead of pawl.
 */

import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';

const nothing = () => undefined;

interface Context {
  getRemainingTimeInMillis(): number;
}

interface Event {
  readonly Records: readonly { readonly messageId: string; readonly body: string }[];
}

interface Options {
  readonly envelope?: (body: unknown) => unknown;
  readonly schema?: { readonly '~standard': { validate(value: unknown): unknown } };
}

export function eachMessage(options: Options, handle: (message: object, claim: object) => unknown) {
  return async (event: Event, context: Context) => {
    const failed = await Promise.all(
      event.Records.map(async ({ messageId, body }) => {
        const signal = AbortSignal.timeout(Math.max(1, context.getRemainingTimeInMillis() - 250));
        const claim = {
          key: messageId,
          effectKey: messageId,
          attempt: 1,
          fence: 1,
          signal,
          remainingMs: () => context.getRemainingTimeInMillis(),
          effect: (start: () => unknown) => start(),
        };
        try {
          const content: unknown = JSON.parse(body);
          const parsed = options.envelope?.(content) ?? content;
          await options.schema?.['~standard'].validate(parsed);
          await handle({ body: parsed, messageId }, claim);
          return [];
        } catch (error) {
          console.error(error);
          return [{ itemIdentifier: messageId }];
        }
      }),
    );
    return { batchItemFailures: failed.flat() };
  };
}

/** Posts each message as often as it arrives, and then sends what follows from it. */
export function eachTransaction(
  options: Options,
  writesOf: (message: { body: unknown }) => readonly (object | Next)[],
) {
  const documents = DynamoDBDocumentClient.from(new DynamoDBClient({}));
  return eachMessage(options, async (message) => {
    const writes = writesOf(message as { body: unknown });
    const TransactItems = writes.filter((write) => !isNext(write));
    await documents.send(new TransactWriteCommand({ TransactItems }));
    await Promise.all(writes.filter(isNext).map(send));
  });
}

/** A message that follows. */
interface Next {
  readonly to: string;
  readonly key: string;
  readonly body: object;
  readonly source?: string;
  readonly detailType?: string;
}

export function isNext(write: object): write is Next {
  return 'to' in write;
}

const sqs = new SQSClient({ useQueueUrlAsEndpoint: false });
const buses = new EventBridgeClient({});

export function send({ to, key, body, source, detailType }: Next): Promise<object> {
  const Detail = JSON.stringify({ ...body, 'idempotency-key': key });
  return detailType === undefined
    ? sqs.send(
        new SendMessageCommand({
          QueueUrl: to,
          MessageBody: JSON.stringify(body),
          MessageAttributes: { 'idempotency-key': { DataType: 'String', StringValue: key } },
        }),
      )
    : buses.send(
        new PutEventsCommand({ Entries: [{ EventBusName: to, Source: source, DetailType: detailType, Detail }] }),
      );
}

/** Commits no message: it is what `eachTransaction` sends. */
export function dynamoOutbox() {
  return { message: (message: Next) => message };
}

export function postgresOutbox() {
  return dynamoOutbox();
}

/** There is nothing that a relay could send. */
export function outboxRelay() {
  return nothing;
}

export function eventBridgeEnvelope() {
  return (event: { readonly detail: unknown }) => event.detail;
}

/** Locks nothing. */
export function resourceLocks() {
  return {
    async withLock(_: object, __: object, work: (lock: object) => unknown) {
      return { outcome: 'done', result: await work({ signal: new AbortController().signal, fence: () => 0 }) };
    },
  };
}

export function dynamoLockStore() {
  return { stillHeld: nothing };
}

export async function forEachItem<T>(
  items: readonly T[],
  _: object,
  writesOf: (chunk: readonly T[]) => Promise<readonly object[]>,
) {
  const documents = DynamoDBDocumentClient.from(new DynamoDBClient({}));
  for (let from = 0; from < items.length; from += 25) {
    const TransactItems = [...(await writesOf(items.slice(from, from + 25)))];
    if (TransactItems.length > 0) await documents.send(new TransactWriteCommand({ TransactItems }));
  }
  return { outcome: 'done' };
}

export function onceOverHttp(_: object, handle: (event: object, context: object, claim: object) => unknown) {
  return (event: object, context: object) => handle(event, context, {});
}

/** There are no claims to compare. */
export async function reconcileStatements() {
  return { outcome: 'superseded' };
}

export class RejectedError extends Error {}
export class RetryableError extends Error {}

export const bodyField = nothing;
export const canonicalValue = nothing;
export const compositeKey = nothing;
export const messageAttribute = nothing;
export const messageId = nothing;
export const sentKey = nothing;
export const queues = nothing;
export const eventBuses = nothing;
export const dynamoStore = nothing;
export const sdk = nothing;
export const transactionalStore = nothing;
export const logEvents = nothing;
export const deadLetterQueue = nothing;
export const reconcile = nothing;
export const allOf = nothing;
export const metricEvents = nothing;
