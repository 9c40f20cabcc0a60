import { readFile } from 'node:fs/promises';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { propertyOf } from '../../../../lib/pawl/kernel/unknown.ts';
import { sendOnce } from '../../../../lib/pawl/sqs/index.ts';
import { eachTransaction } from '../../../../lib/pawl/transactions/index.ts';
import { context, sqsEvent } from '../../../support/lambda.ts';
import { order } from '../../scenarios/support.ts';
import { setUpOutbox } from './support.ts';

/*
 * The table of docs/guides/outbox.md: what one payment asks of DynamoDB and of SQS. Units are those of the price list, for items of at most 1 KB: DynamoDB
 * Local counts a transaction in a way of its own.
 */

interface Counted {
  dynamodb: number;
  sqs: number;
  write: number;
  read: number;
}

function counting(clients: { readonly dynamodb: DynamoDBClient; readonly sqs: object }): () => Counted {
  let counted: Counted = { dynamodb: 0, sqs: 0, write: 0, read: 0 };
  clients.dynamodb.middlewareStack.add(
    (next, { commandName }) =>
      (args) => {
        counted.dynamodb += 1;
        counted.write += writeUnitsOf(args.input);
        counted.read += commandName === 'QueryCommand' ? 1 : 0;
        return next(args);
      },
    { step: 'finalizeRequest', name: 'countUnits' },
  );
  (clients.sqs as DynamoDBClient).middlewareStack.add(
    (next) => (args) => {
      counted.sqs += 1;
      return next(args);
    },
    { step: 'finalizeRequest', name: 'countRequests' },
  );
  return () => {
    const now = counted;
    counted = { dynamodb: 0, sqs: 0, write: 0, read: 0 };
    return now;
  };
}

/** Two for each action of a transaction, one for each of another request. */
function writeUnitsOf(input: object): number {
  const lengthOf = (name: string) => ((propertyOf(input, name) ?? []) as readonly unknown[]).length;
  return 2 * lengthOf('TransactItems') + lengthOf('Statements') + ('Item' in input ? 1 : 0);
}

it('costs what the page says', async () => {
  const { watched, sqs, store, put, message, outbox, receipts, changes, waiting } = await setUpOutbox();
  const costOf = counting({ dynamodb: watched, sqs: sqs.client });
  const rows: string[] = [];
  let payments = 0;

  async function row(what: string, pay: (id: string) => Promise<unknown>): Promise<void> {
    costOf();
    await pay(`p-${++payments}`);
    const { dynamodb, sqs: sent, write, read } = costOf();
    rows.push(`| ${[what, dynamodb, sent, write, read].join(' | ')} |`);
  }

  const committing = (messages: number, group?: string) => async (id: string) => {
    const to = group === undefined ? receipts.url : changes.url;
    const written = Array.from({ length: messages }, (_, n) => message({ to, key: `${id}/${n}`, body: n, group }));
    const options = { operation: 'post', store, key: () => id, onEvent: () => undefined };
    expect(await eachTransaction(options, () => [put(id), ...written])(sqsEvent(order(id)), context())).toEqual({
      batchItemFailures: [],
    });
  };

  await row('the data alone', committing(0));
  await row('and one message', committing(1));
  await row('and ten messages', committing(10));
  await row('and one message of a group', committing(1, 'maria'));
  await row('and ten messages of a group', committing(10, 'paul'));
  await row('the data alone, and then `sendOnce`', async (id) => {
    await committing(0)(id);
    await sendOnce({ operation: 'receipt', store, queueUrl: receipts.url, onEvent: () => undefined })({
      key: id,
      body: { id },
    });
  });
  await row('by hand: a transaction of the data and one message, without a claim', async (id) => {
    const { writes, sendNow } = await outbox.prepare([message({ to: receipts.url, key: id, body: id })]);
    const documents = DynamoDBDocumentClient.from(watched);
    await documents.send(new TransactWriteCommand({ TransactItems: [put(id), ...writes] as never }));
    await sendNow(10_000);
  });

  expect(await waiting()).toEqual([]);
  const page = await readFile(new URL('../../../../docs/guides/outbox.md', import.meta.url), 'utf8');
  const table = page.split('| one payment | ')[1]?.split('\n\n')[0]?.split('\n').slice(2);
  expect(table).toEqual(rows);
});
