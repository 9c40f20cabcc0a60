import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { DEFAULTS } from './consumer-checks.ts';
import type { ConsumerProps } from './consumer-props.ts';
import type { Queues } from './consumer-queues.ts';
import { DEAD_LETTER_ACTIONS, QUEUE_ACTIONS, STORE_ACTIONS } from './needs.ts';
import { missingPermissions } from './permissions.ts';
import { seenEventSource, seenEventSources, seenQueue, seenTimeout, tableProblems } from './seen.ts';
import { wiringProblems } from './wiring.ts';

/** What a consumer consists of, whoever made it. */
export interface Parts extends Queues {
  readonly function: IFunction;
}

/** What is wrong with a consumer as the whole app has made it, one sentence each; for the end of the app's construction. */
export function seenProblems(parts: Parts, props: ConsumerProps): string[] {
  const { queue, deadLetterQueue } = parts;
  const sources = seenEventSources(parts.function, queue);
  const [source] = sources;
  return [
    ...tableProblems(props.claimsTable),
    ...wiringProblems({
      timeoutSeconds: seenTimeout(parts.function)?.toSeconds(),
      ...seenQueue(queue),
      ...(source === undefined
        ? { batchSize: DEFAULTS.batchSize, maxBatchingWindowSeconds: 0 }
        : seenEventSource(source)),
      fifo: queue.fifo,
      deadLetterQueueFifo: deadLetterQueue.fifo,
      deadLetterRetentionSeconds: seenQueue(deadLetterQueue).retentionSeconds,
      leaseSeconds: props.lease?.toSeconds(),
      claimRetentionSeconds: (props.claimRetention ?? DEFAULTS.claimRetention).toSeconds(),
      defersInFlight: props.onInFlight !== 'discard',
    }),
    ...(sources.length > 1
      ? [
          `The queue feeds the function through ${sources.length} event sources, and Lambda accepts one: ` +
            `${sources.map(({ node }) => node.path).join(', ')}. Make yours before the Consumer, which then makes none.`,
        ]
      : []),
    ...(props.externalPermissions === true ? [] : permissionProblems(parts, props)),
  ];
}

function permissionProblems(parts: Parts, { claimsTable }: ConsumerProps): string[] {
  return missingPermissions(parts.function, [
    { actions: STORE_ACTIONS, resourceArn: claimsTable.tableArn, of: 'the claims table' },
    { actions: QUEUE_ACTIONS, resourceArn: parts.queue.queueArn, of: 'the queue' },
    { actions: DEAD_LETTER_ACTIONS, resourceArn: parts.deadLetterQueue.queueArn, of: 'the dead-letter queue' },
  ]);
}
