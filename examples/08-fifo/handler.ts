import { RetryableError } from 'pawl';
import { dynamoStore } from 'pawl/dynamodb';
import { bodyField, compositeKey, deadLetterQueue, eachMessage } from 'pawl/sqs';

interface Change {
  readonly account: string;
  readonly change: number;
}

/** What the bank was asked to do, account by account. */
export const history: Record<string, string[]> = { ada: [], bob: [] };
let bankIsUp = false;

/** One change of an account, in order: after a failure, pawl runs nothing else of that account. */
export const handler = eachMessage<Change>(
  {
    operation: 'change-account',
    store: dynamoStore({ tableName: process.env.CLAIMS_TABLE }),
    key: compositeKey(bodyField('account'), bodyField('change')),
    onAbandoned: 'retry',
    backoffSeconds: () => 1,
    deadLetters: deadLetterQueue(process.env.DEAD_LETTER_QUEUE_URL),
    onEvent: () => {},
  },
  ({ body: { account, change } }) => {
    if (account === 'ada' && change === 2 && !bankIsUp) {
      bankIsUp = true;
      history[account]?.push(`${change} fails`);
      throw new RetryableError('the bank is away');
    }
    history[account]?.push(String(change));
  },
);
