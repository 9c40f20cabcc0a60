/*
 * What the functions of the app get in place of `pawl/transactions` in `npm start -- --split-commit`: a mistake. The entries of a payment are committed with
 * its claim, and its messages are put into the outbox after that, in a transaction of their own. A worker that dies between the two has lost them, because
 * the claim says that all is done.
 */

import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { DynamoOutbox } from 'pawl/outbox';
import { eachMessage } from 'pawl/sqs';
import { type AppWrite, type eachTransaction as asWritten, commit } from 'pawl/transactions';
import { outbox } from '../../lambda/outbox.ts';

export * from 'pawl/transactions';

type Message = ReturnType<DynamoOutbox['message']>;
type Write = AppWrite | Message;

const isData = (write: Write): write is AppWrite => 'Put' in write;
const isMessage = (write: Write): write is Message => !isData(write);

/** Commits the data, and then the messages. */
export function eachTransaction<Body>(
  options: Parameters<typeof asWritten<Body>>[0],
  writesOf: (message: { readonly body: Body }) => readonly Write[],
) {
  const documents = DynamoDBDocumentClient.from(new DynamoDBClient({}));
  return eachMessage<Body>({ ...options, onAbandoned: 'retry' }, async (message, claim) => {
    const writes = writesOf(message);
    await commit(claim, writes.filter(isData));
    const { writes: messages, sendNow } = await outbox.prepare(writes.filter(isMessage));
    await documents.send(new TransactWriteCommand({ TransactItems: [...messages] }));
    await sendNow(claim.remainingMs());
  });
}
