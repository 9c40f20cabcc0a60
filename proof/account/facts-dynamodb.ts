import {
  BatchExecuteStatementCommand,
  type BatchStatementRequest,
  type BatchStatementResponse,
  ConditionalCheckFailedException,
  DescribeTimeToLiveCommand,
  IdempotentParameterMismatchException,
  PutItemCommand,
  TransactionCanceledException,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { type Fact, finding } from './fact.ts';
import { get, type Probe } from './probe.ts';

/** The facts that a request to DynamoDB shows by itself. */
export const dynamodbFacts: readonly Fact[] = [
  {
    id: 'insert-refused',
    fact: 'In a batch of PartiQL INSERTs, a key that exists is refused as DuplicateItem, without the item, and the other statements are carried out.',
    matters: 'the claims of a batch go as one request; the records of duplicates are read afterwards',
    async check(probe) {
      const [there, fresh] = [idOf(probe, 'there'), idOf(probe, 'fresh')];
      await put(probe, there);
      const [first, second] = await batch(probe, [insert(probe, there), insert(probe, fresh)]);
      const written = (await get(probe, fresh)) !== undefined;
      const isSo =
        first?.Error?.Code === 'DuplicateItem' &&
        first.Error.Item === undefined &&
        second?.Error === undefined &&
        written;
      return finding(isSo, `${said(first)}; the other: ${said(second)}, ${written ? 'written' : 'not written'}`);
    },
  },
  {
    id: 'update-refused',
    fact: 'A PartiQL UPDATE in a batch whose condition fails is refused as ConditionalCheckFailed, with the item if the statement asks for it.',
    matters:
      'a completion that is refused is decided by the record that came with the refusal; without it, pawl reads the record',
    async check(probe) {
      const id = idOf(probe, 'refused');
      await put(probe, id);
      const Statement = `UPDATE "${probe.resources.Table}" SET rev = 8 WHERE id = ? AND rev = 7`;
      const [response] = await batch(probe, [
        { Statement, Parameters: [{ S: id }], ReturnValuesOnConditionCheckFailure: 'ALL_OLD' },
      ]);
      const isSo = response?.Error?.Code === 'ConditionalCheckFailed' && response.Error.Item?.['rev']?.N === '1';
      return finding(isSo, said(response));
    },
  },
  {
    id: 'update-returning',
    fact: 'SET and REMOVE may follow each other in one PartiQL UPDATE, and RETURNING ALL NEW * returns the new item.',
    matters: 'a takeover is one statement',
    async check(probe) {
      const id = idOf(probe, 'returning');
      await put(probe, id);
      const Statement = `UPDATE "${probe.resources.Table}" SET rev = 2 REMOVE other WHERE id = ? AND rev = 1 RETURNING ALL NEW *`;
      const [response] = await batch(probe, [{ Statement, Parameters: [{ S: id }] }]);
      const isSo = response?.Item?.['rev']?.N === '2' && response.Item['other'] === undefined;
      return finding(isSo, said(response));
    },
  },
  {
    id: 'key-twice',
    fact: 'Of two PartiQL INSERTs with one key in one batch, at most one is reported as carried out: the batch is refused as a whole, or one of them as DuplicateItem.',
    matters: 'pawl sends a key once in a batch; if it ever did not, no second claim would be granted',
    async check(probe) {
      const id = idOf(probe, 'twice');
      try {
        const responses = await batch(probe, [insert(probe, id), insert(probe, id)]);
        const refused = responses.filter(({ Error: error }) => error?.Code === 'DuplicateItem').length;
        return finding(refused === 1, responses.map(said).join('; '));
      } catch (error) {
        if (!isInvalid(error)) throw error;
        // DynamoDB Local says so after it has carried the first one out. To its caller, that is a response that was lost.
        const written = (await get(probe, id)) !== undefined;
        return {
          kind: 'confirmed',
          seen: `${error.name} of the whole batch, ${written ? 'one written' : 'none written'}`,
        };
      }
    },
  },
  {
    id: 'statement-limit',
    fact: 'A batch takes 25 PartiQL statements, and is refused with 26.',
    matters: 'larger batches are split into requests of 25',
    async check(probe) {
      const inserts = (count: number) =>
        Array.from({ length: count }, (_, index) => insert(probe, idOf(probe, `limit-${count}-${index}`)));
      const taken = await batch(probe, inserts(25));
      const refused = taken.filter(({ Error: error }) => error !== undefined).length;
      const more = await refusal(() => batch(probe, inserts(26)));
      return finding(
        taken.length === 25 && refused === 0 && more.refused,
        `25: ${25 - refused} carried out; 26: ${more.seen}`,
      );
    },
  },
  {
    id: 'put-refused',
    fact: 'A PutItem whose condition fails is refused with the item, if it asks for it.',
    matters: 'a single claim that is refused needs no read',
    async check(probe) {
      const id = idOf(probe, 'put');
      await put(probe, id);
      try {
        await put(probe, id, 'attribute_not_exists(id)');
        return { kind: 'refuted', seen: 'the write was carried out' };
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
        const rev = error.Item?.['rev']?.N;
        return finding(rev === '1', `${error.name}, ${rev === undefined ? 'without' : 'with'} the item`);
      }
    },
  },
  {
    id: 'transaction-refused',
    fact: 'A transaction that is refused says for each action why, with the item if the action asks for it.',
    matters: 'a completion in a transaction that loses is decided by the record that came with the refusal',
    async check(probe) {
      const id = idOf(probe, 'cancelled');
      await put(probe, id);
      try {
        await probe.dynamo.send(
          new TransactWriteItemsCommand({
            TransactItems: [
              { Put: { ...itemOf(probe, idOf(probe, 'with-it')) } },
              {
                Put: {
                  ...itemOf(probe, id),
                  ConditionExpression: 'attribute_not_exists(id)',
                  ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
                },
              },
            ],
          }),
        );
        return { kind: 'refuted', seen: 'the transaction was carried out' };
      } catch (error) {
        if (!(error instanceof TransactionCanceledException)) throw error;
        const [first, second] = error.CancellationReasons ?? [];
        const isSo = first?.Code === 'None' && second?.Code === 'ConditionalCheckFailed';
        const rev = second?.Item?.['rev']?.N;
        return finding(
          isSo && rev === '1',
          `${first?.Code} and ${second?.Code}, ${rev === undefined ? 'without' : 'with'} the item`,
        );
      }
    },
  },
  {
    id: 'transaction-token',
    fact: 'A transaction that comes again with its token is not carried out again, and one with the same token and other actions is refused.',
    matters: 'a chunk of large work whose response was lost is sent again with its token',
    async check(probe) {
      const id = idOf(probe, 'token');
      const add = (amount: string) =>
        probe.dynamo.send(
          new TransactWriteItemsCommand({
            ClientRequestToken: probe.run,
            TransactItems: [
              {
                Update: {
                  TableName: probe.resources.Table,
                  Key: { id: { S: id } },
                  UpdateExpression: 'ADD amount :amount',
                  ExpressionAttributeValues: { ':amount': { N: amount } },
                },
              },
            ],
          }),
        );
      await add('1');
      await add('1');
      const total = (await get(probe, id))?.['amount']?.N;
      const other = await add('2').then(
        () => 'carried out',
        (error: unknown) => {
          if (error instanceof IdempotentParameterMismatchException) return error.name;
          throw error;
        },
      );
      return finding(
        total === '1' && other === 'IdempotentParameterMismatchException',
        `twice the same: an amount of ${total}; other actions: ${other}`,
      );
    },
  },
  {
    id: 'ttl-enabled',
    fact: 'A TTL that the template asks for is enabled on expiresAt when the stack is complete.',
    matters: 'records of finished claims go away after their retention',
    async check({ dynamo, resources }) {
      const { TimeToLiveDescription: ttl } = await dynamo.send(
        new DescribeTimeToLiveCommand({ TableName: resources.Table }),
      );
      const isSo =
        (ttl?.TimeToLiveStatus === 'ENABLED' || ttl?.TimeToLiveStatus === 'ENABLING') &&
        ttl.AttributeName === 'expiresAt';
      return finding(isSo, `${ttl?.TimeToLiveStatus} on ${ttl?.AttributeName}`);
    },
  },
];

function idOf({ run }: Probe, name: string): string {
  return `${run}#${name}`;
}

function itemOf({ resources }: Probe, id: string) {
  return { TableName: resources.Table, Item: { id: { S: id }, rev: { N: '1' }, other: { S: 'other' } } };
}

async function put(probe: Probe, id: string, ConditionExpression?: string): Promise<void> {
  await probe.dynamo.send(
    new PutItemCommand({
      ...itemOf(probe, id),
      ...(ConditionExpression === undefined
        ? {}
        : { ConditionExpression, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }),
    }),
  );
}

function insert({ resources }: Probe, id: string): BatchStatementRequest {
  return { Statement: `INSERT INTO "${resources.Table}" VALUE {'id': ?}`, Parameters: [{ S: id }] };
}

async function batch(
  { dynamo }: Probe,
  Statements: readonly BatchStatementRequest[],
): Promise<readonly BatchStatementResponse[]> {
  return (await dynamo.send(new BatchExecuteStatementCommand({ Statements: [...Statements] }))).Responses ?? [];
}

function said(response: BatchStatementResponse | undefined): string {
  if (response === undefined) return 'no response';
  const { Error: error, Item } = response;
  const withItem = (error?.Item ?? Item) === undefined ? 'without an item' : 'with the item';
  return `${error === undefined ? 'carried out' : error.Code}, ${withItem}`;
}

/** Whether DynamoDB refuses a request as a whole, as one that is not valid. */
async function refusal(request: () => Promise<unknown>): Promise<{ readonly refused: boolean; readonly seen: string }> {
  try {
    await request();
    return { refused: false, seen: 'carried out' };
  } catch (error) {
    if (!isInvalid(error)) throw error;
    return { refused: true, seen: error.name };
  }
}

function isInvalid(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ValidationException';
}
