import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/**
 * Makes a client lose the answer of every first try of a write, after DynamoDB has applied it: below the SDK's own retry,
 * so that the SDK sends the same request again, as it does on a real network. Answers how many answers were lost.
 */
export function loseAnswersOf(client: DynamoDBClient): () => number {
  let lost = 0;
  client.middlewareStack.add(
    (next, context) => {
      let tries = 0;
      return async (args) => {
        const answer = await next(args);
        if (context['commandName'] === 'GetItemCommand' || ++tries > 1) return answer;
        lost++;
        throw Object.assign(new Error('socket hang up'), { name: 'TimeoutError', code: 'ECONNRESET' });
      };
    },
    { step: 'deserialize', priority: 'high', name: 'loseTheAnswer' },
  );
  return () => lost;
}
