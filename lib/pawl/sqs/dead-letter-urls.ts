/** The URL of a dead-letter queue, and the ARN of the queue whose messages it takes; without one, it takes those of all queues of the function. */
export type DeadLetterUrl = readonly [queueArn: string | undefined, url: string];

/**
 * Reads what a `Consumer` puts into `DEAD_LETTER_QUEUE_URL`: one URL for all queues, or, for a function that is fed by several queues with a
 * dead-letter queue each, `arn=url` for each queue, apart by a space.
 */
export function readDeadLetterUrls(text: string): readonly DeadLetterUrl[] {
  if (!text.startsWith('arn:')) return [[undefined, text]];
  return text.split(' ').map((pair) => {
    const end = pair.indexOf('=');
    return [pair.slice(0, end), pair.slice(end + 1)];
  });
}

/**
 * Which dead-letter queue the messages of a queue go to, from the text of `DEAD_LETTER_QUEUE_URL`.
 *
 * @returns undefined for a queue that is not named: its messages must stay where they are
 */
export function deadLetterUrls(text: string): (queueArn: string | undefined) => string | undefined {
  if (!text.startsWith('arn:')) return () => text;
  const urls = new Map(readDeadLetterUrls(text));
  return (queueArn) => urls.get(queueArn ?? '');
}
