import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/**
 * Makes a client lose the answer of every first try of a write, after DynamoDB has applied it: below the SDK's own retry,
 * so that the SDK sends the same request again, as it does on a real network. Answers how many answers were lost. Of a
 * batch, its first statement counts.
 */
export function loseAnswersOf(client: DynamoDBClient): () => number {
  let lost = 0;
  client.middlewareStack.add(
    (next, context) => {
      let tries = 0;
      return async (args) => {
        const answer = await next(args);
        const { Responses } = answer.output as { Responses?: { Error?: unknown }[] };
        const isRead = String(context['commandName']).includes('Get');
        if (isRead || (Array.isArray(Responses) && Responses[0]?.Error) || ++tries > 1) return answer;
        lost++;
        throw Object.assign(new Error('socket hang up'), { name: 'TimeoutError', code: 'ECONNRESET' });
      };
    },
    { step: 'deserialize', priority: 'high', name: 'loseTheAnswer' },
  );
  return () => lost;
}
