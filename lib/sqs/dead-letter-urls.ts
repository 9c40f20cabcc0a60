/**
 * Which dead-letter queue the messages of a queue go to, from what a `Consumer` puts into `DEAD_LETTER_QUEUE_URL`: one URL for all queues, or,
 * for a function that is fed by several queues with a dead-letter queue each, `arn=url` for each queue, apart by a space.
 *
 * @returns undefined for a queue that is not named: its messages must stay where they are
 */
export function deadLetterUrls(text: string): (queueArn: string | undefined) => string | undefined {
  if (!text.startsWith('arn:')) return () => text;
  const urls = new Map(
    text.split(' ').map((pair) => {
      const end = pair.indexOf('=');
      return [pair.slice(0, end), pair.slice(end + 1)];
    }),
  );
  return (queueArn) => urls.get(queueArn ?? '');
}
