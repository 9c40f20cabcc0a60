import { isElsewhere } from './arn.ts';
import { type Problem, refusal, span } from './wiring-problem.ts';
import { fewestReceives } from './wiring-receives.ts';

/** Where a queue's messages are, and where they end. */
export interface QueuePlace {
  readonly queueArn?: string | undefined;
  /** How long the queue keeps a message. */
  readonly retentionSeconds?: number | undefined;
  /** `'none'` when there is no redrive policy. */
  readonly maxReceiveCount?: number | 'none' | undefined;
  /** Where the redrive policy leads. */
  readonly redriveArn?: string | undefined;
  /** The dead-letter queue that the handler and the alarm know. */
  readonly deadLetterArn?: string | undefined;
  readonly deadLetterRetentionSeconds?: number | undefined;
  readonly deadLetterQueueFifo?: boolean | undefined;
  /** The queues that may use the dead-letter queue; undefined for all of its account. */
  readonly redriveAllowedFor?: readonly string[] | undefined;
}

const day = 86_400;

export function queueProblems(place: QueuePlace & { readonly fifo: boolean }): readonly Problem[] {
  return [
    ...missingProblems(place),
    ...identityProblems(place),
    ...kindProblems(place),
    ...allowedProblems(place),
    ...retentionProblems(place),
  ];
}

function missingProblems({ maxReceiveCount }: QueuePlace): readonly Problem[] {
  if (maxReceiveCount !== 'none') return [];
  return [
    refusal(
      'deadLetterQueue',
      'The queue has no dead-letter queue: SQS would delete a message that keeps failing at the end of its retention, and no operator ' +
        `would see it. Give the queue a deadLetterQueue with a maxReceiveCount of ${fewestReceives} or more.`,
    ),
  ];
}

function identityProblems({ queueArn, redriveArn, deadLetterArn }: QueuePlace): readonly Problem[] {
  if (queueArn !== undefined && (queueArn === redriveArn || queueArn === deadLetterArn)) {
    return [
      refusal(
        'deadLetterQueueItself',
        'The queue is its own dead-letter queue: a message that can never run would come back for ever, and the alarm on dead ' +
          'letters would go off for every message. Give it another queue as its deadLetterQueue.',
      ),
    ];
  }
  const problems: Problem[] = [];
  if (redriveArn !== undefined && deadLetterArn !== undefined && redriveArn !== deadLetterArn) {
    problems.push(
      refusal(
        'deadLetterQueueOther',
        `The redrive policy of the queue leads to ${redriveArn}, and the deadLetterQueue of the consumer is ${deadLetterArn}: dead ` +
          'letters would be in two places, and an alarm or a redrive would miss one of them. Use one queue for both.',
      ),
    );
  }
  const elsewhere = [...new Set([redriveArn, deadLetterArn])].filter((arn) => isElsewhere(queueArn, arn));
  for (const arn of elsewhere) {
    problems.push(
      refusal(
        'deadLetterQueuePlace',
        `The queue is ${queueArn}, and its dead-letter queue is ${arn}, in another region or account: neither the redrive policy nor ` +
          'the function reaches it. Use a dead-letter queue of the same region and account.',
      ),
    );
  }
  return problems;
}

function kindProblems({ fifo, deadLetterQueueFifo }: QueuePlace & { readonly fifo: boolean }): readonly Problem[] {
  if (deadLetterQueueFifo === undefined || deadLetterQueueFifo === fifo) return [];
  const kind = (isFifo: boolean) => (isFifo ? 'FIFO' : 'standard');
  return [
    refusal(
      'deadLetterQueueKind',
      `The queue is ${kind(fifo)} and its dead-letter queue is ${kind(deadLetterQueueFifo)}, which SQS refuses. ` +
        `Make the dead-letter queue ${kind(fifo)} as well.`,
    ),
  ];
}

function allowedProblems({ queueArn, redriveAllowedFor }: QueuePlace): readonly Problem[] {
  if (queueArn === undefined || redriveAllowedFor === undefined || redriveAllowedFor.includes(queueArn)) return [];
  return [
    refusal(
      'redriveAllowed',
      `The redrive allow policy of the dead-letter queue permits ${redriveAllowedFor.join(', ') || 'no queue'}, and not this one: SQS ` +
        'would not move dead letters there. Add the queue to its sourceQueueArns.',
    ),
  ];
}

function retentionProblems({ retentionSeconds, deadLetterRetentionSeconds }: QueuePlace): readonly Problem[] {
  if (deadLetterRetentionSeconds === undefined) return [];
  const least = Math.max(day, retentionSeconds ?? 0);
  if (deadLetterRetentionSeconds >= least) return [];
  const than = least === day ? 'a day' : `the queue, which keeps them for ${span(least)}`;
  return [
    refusal(
      'deadLetterRetention',
      `The dead-letter queue keeps messages for ${span(deadLetterRetentionSeconds)}, less than ${than}: the age of a dead letter counts ` +
        'from its first send, so SQS would delete it before an operator sees it. Set its retentionPeriod to 14 days, the longest ' +
        `that SQS allows, or to ${span(least)} at least.`,
    ),
  ];
}
