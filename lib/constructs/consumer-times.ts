import { Duration } from 'aws-cdk-lib';
import type { ConsumerProps } from './consumer-props.ts';
import { leastVisibilitySeconds, WiringError, wiringProblems } from './wiring.ts';

/** The times that follow from a consumer's options. */
export interface Times {
  readonly timeout: Duration;
  readonly visibilityTimeout: Duration;
}

/** Throws a `WiringError` when the consumer at `path` could not work as promised. */
export function checkedTimes(path: string, props: ConsumerProps): Times {
  const timeout = props.timeout ?? Duration.seconds(30);
  const maxBatchingWindow = props.maxBatchingWindow ?? Duration.seconds(0);
  const problems = [
    ...unknownTimes({ timeout, maxBatchingWindow, visibilityTimeout: props.visibilityTimeout }),
    ...takenVariables(props.environment ?? {}),
  ];
  if (problems.length > 0) throw new WiringError(path, problems);

  const timeoutSeconds = timeout.toSeconds();
  const maxBatchingWindowSeconds = maxBatchingWindow.toSeconds();
  const visibilityTimeout =
    props.visibilityTimeout ?? Duration.seconds(leastVisibilitySeconds(timeoutSeconds, maxBatchingWindowSeconds));
  const contradictions = wiringProblems({
    timeoutSeconds,
    maxBatchingWindowSeconds,
    visibilityTimeoutSeconds: visibilityTimeout.toSeconds(),
    batchSize: props.batchSize ?? 10,
    fifo: props.fifo ?? false,
  });
  if (contradictions.length > 0) throw new WiringError(path, contradictions);
  return { timeout, visibilityTimeout };
}

/** A time that is only known at deployment cannot be compared: as a number it is a placeholder far below zero. */
function unknownTimes(times: Readonly<Record<string, Duration | undefined>>): string[] {
  return Object.entries(times)
    .filter(([, time]) => time?.isUnresolved())
    .map(([name]) => `${name} is not known before deployment, so it cannot be checked. Give it a plain number.`);
}

function takenVariables(environment: Readonly<Record<string, string>>): string[] {
  return ['CLAIMS_TABLE', 'DEAD_LETTER_QUEUE_URL']
    .filter((name) => name in environment)
    .map((name) => `environment sets ${name}, which the construct sets itself. Take it out, or rename it.`);
}
