// Runs in the temporary stack of `npm run e2e -- account`. It is deployed inline, so it has to stay below 4096 characters.
const dynamodb = require('@aws-sdk/client-dynamodb');
const { SQSClient, ChangeMessageVisibilityCommand } = require('@aws-sdk/client-sqs');
const { TABLE, QUEUE_URL } = process.env;
const db = new dynamodb.DynamoDBClient({ maxAttempts: 1 });
const sqs = new SQSClient({});
const send = (operation, input) => db.send(new dynamodb[`${operation}Command`](input));

exports.handler = async (event, { awsRequestId }) => {
  const source = event.Records?.[0]?.eventSource;
  if (source === 'aws:sqs') return takeMessages(event.Records, awsRequestId);
  if (source === 'aws:dynamodb') return takeChanges(event.Records, awsRequestId);
  return event.samples === undefined ? ask(event) : measure(event);
};

// Carries a request to DynamoDB out, with the permissions of this function.
async function ask({ operation, input }) {
  try {
    return { output: await send(operation, input) };
  } catch ({ name, message }) {
    return { error: { name, message } };
  }
}

// Gives back what has seconds, at its first receive, and acknowledges the rest.
async function takeMessages(records, request) {
  const batchItemFailures = [];
  for (const { messageId, body, receiptHandle, attributes } of records) {
    const { id, seconds } = JSON.parse(body);
    await note(id, request, messageId);
    if (seconds === undefined || attributes.ApproximateReceiveCount !== '1') continue;
    const VisibilityTimeout = seconds;
    await sqs.send(
      new ChangeMessageVisibilityCommand({ QueueUrl: QUEUE_URL, ReceiptHandle: receiptHandle, VisibilityTimeout }),
    );
    batchItemFailures.push({ itemIdentifier: messageId });
  }
  return { batchItemFailures };
}

async function takeChanges(records, request) {
  for (const { eventName, dynamodb: change } of records) {
    const id = change.Keys.id.S;
    const images = `${change.OldImage ? ' old' : ''}${change.NewImage ? ' new' : ''}`;
    if (id.startsWith('stream#')) await note(id, request, `${eventName}${images}`);
  }
}

async function note(id, request, what) {
  const seen = { M: { at: { N: String(Date.now()) }, request: { S: request }, what: { S: what } } };
  await send('UpdateItem', {
    TableName: TABLE,
    Key: { id: { S: `note#${id}` } },
    UpdateExpression: 'SET seen = list_append(if_not_exists(seen, :none), :seen)',
    ExpressionAttributeValues: { ':none': { L: [] }, ':seen': { L: [seen] } },
  });
}

// Times one operation, over and over, on one warm connection. Returns milliseconds.
async function measure({ operation, size, samples, run }) {
  const took = [];
  for (let sample = -10; sample < samples; sample++) {
    const input = inputs[operation](Array.from({ length: size }, (_, n) => ({ S: `${run}#${sample}#${n}` })));
    const begun = process.hrtime.bigint();
    await send(operation, input);
    if (sample >= 0) took.push(Number(process.hrtime.bigint() - begun) / 1e6);
  }
  return { took };
}

const inputs = {
  PutItem: ([id]) => ({ TableName: TABLE, Item: { id }, ConditionExpression: 'attribute_not_exists(id)' }),
  BatchExecuteStatement: (ids) => ({
    Statements: ids.map((id) => ({ Statement: `INSERT INTO "${TABLE}" VALUE {'id': ?}`, Parameters: [id] })),
  }),
  BatchGetItem: (ids) => ({
    RequestItems: { [TABLE]: { Keys: ids.map((id) => ({ id })), ConsistentRead: true } },
  }),
};
