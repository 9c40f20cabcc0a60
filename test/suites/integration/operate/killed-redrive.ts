import { SQSClient } from '@aws-sdk/client-sqs';
import { memoryStore } from '../../../../lib/pawl/index.ts';
import { operator } from '../../../../lib/pawl/operate/index.ts';
import { sdk } from '../../../../lib/pawl/stores/dynamodb/index.ts';

/** A redrive whose process is killed after SQS has confirmed the copy, and before the dead letter is deleted. */
const [endpoint = '', from = '', to = ''] = process.argv.slice(2);
const sqsClient = new SQSClient({
  endpoint,
  region: 'us-east-1',
  credentials: { accessKeyId: 'operator', secretAccessKey: 'local' },
  useQueueUrlAsEndpoint: false,
});
sqsClient.middlewareStack.add(
  (next, context) => (args) => {
    if (context['commandName'] === 'DeleteMessageCommand') process.kill(process.pid, 'SIGKILL');
    return next(args);
  },
  { step: 'initialize' },
);
const operate = operator({ store: memoryStore(), aws: sdk({ sqs: sqsClient }) });
const { letters } = await operate.deadLetters({ queueUrl: from });
const plan = await operate.planRedrive({ from, to, letters, by: 'maria', note: '', hideSeconds: 1 });
for await (const result of operate.redrive(plan)) console.error('it was not killed:', result);
