import { Duration } from 'aws-cdk-lib';
import type { Alarm, Metric, MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { alarmAt } from './alarms.ts';
import type { ClaimMetric } from './metrics.ts';

/** The alarms of a `Consumer`. Those on claims exist when its `operation` is given. */
export interface ConsumerAlarms {
  /** A message waits in the dead-letter queue. */
  readonly deadLetters: Alarm;
  /** The oldest message is older than retries can explain. */
  readonly oldestMessage: Alarm;
  /** A message that was received is not finished, and is older than retries can explain. The age of SQS leaves it out once it was received three times. */
  readonly oldestWaiting: Alarm | undefined;
  /** A claim was parked: it is in doubt whether its effect happened. */
  readonly parked: Alarm | undefined;
  /** A worker came with an outcome for a claim that was no longer its own. */
  readonly staleClaims: Alarm | undefined;
  /** Workers die, or time out, in mid-effect more often than they should. */
  readonly takenOver: Alarm | undefined;
  /** An effect happened and could not be recorded. */
  readonly completionsLost: Alarm | undefined;
}

/** What of a consumer the alarms look at. */
interface Watched extends Construct {
  metricDeadLetters(): Metric;
  metricApproximateAgeOfOldestMessage(): Metric;
  metricClaims(name: ClaimMetric, props: MetricOptions): Metric;
}

export interface AlarmSettings {
  readonly maxReceiveCount: number | undefined;
  readonly maxMessageAge: Duration;
  readonly takenOverThreshold: number;
  /** Whether there are metrics on claims. */
  readonly onClaims: boolean;
}

/** Makes the alarms of a consumer. Each description says what the alarm means, what it does not mean, and what to do. */
export function createAlarms(consumer: Watched, settings: AlarmSettings): ConsumerAlarms {
  const { path } = consumer.node;
  const { maxReceiveCount, maxMessageAge, takenOverThreshold, onClaims } = settings;
  const received = maxReceiveCount === undefined ? 'too often' : `${maxReceiveCount} times`;
  const fiveMinutes = { period: Duration.minutes(5) };
  const forClaims = (make: () => Alarm) => (onClaims ? make() : undefined);

  return {
    deadLetters: alarmAt(consumer, 'DeadLetterAlarm', consumer.metricDeadLetters(), {
      threshold: 1,
      description:
        `${path}: messages wait in the dead-letter queue, and their effects have not been confirmed. Each was either ` +
        `received ${received} without success, or sent there at once with the reason in its message attributes. ` +
        // SQS knows no source for what the function sent here itself, so a redrive has to name its destination.
        "What to do: read the reasons and the function's logs, fix the cause, then start a redrive with this consumer's " +
        'queue as its custom destination. That is safe: an effect that was completed is not run again, and a parked claim ' +
        'does not run until an operator resolves it. SQS deletes messages as early as 14 days after they were first sent.',
    }),
    oldestMessage: alarmAt(consumer, 'OldestMessageAlarm', consumer.metricApproximateAgeOfOldestMessage(), {
      threshold: maxMessageAge.toSeconds(),
      evaluationPeriods: 5,
      description:
        `${path}: the oldest message has waited for more than ${maxMessageAge.toHumanString()}, which retries do not explain. ` +
        'Nothing is lost yet; what is older than the retention of the queue would be. What to do: see whether the event source ' +
        'is enabled, whether the function is throttled or fails at its start, and whether the claims table can be reached ' +
        '(StoreUnavailable in the logs): while it cannot, nothing runs. If all is well, there are more messages than the ' +
        'function can take: raise maxConcurrency, or the batch size.',
    }),
    oldestWaiting: forClaims(() =>
      alarmAt(consumer, 'OldestWaitingAlarm', consumer.metricClaims('OldestWaitingSeconds', fiveMinutes), {
        threshold: maxMessageAge.toSeconds(),
        // A message that waits is looked at from time to time: the alarm stays for half an hour after each.
        evaluationPeriods: 6,
        datapointsToAlarm: 1,
        description:
          `${path}: a message that was received before is not finished, and is, or will be when it comes again, more than ` +
          `${maxMessageAge.toHumanString()} old, which retries do not explain. On a standard queue, ApproximateAgeOfOldestMessage leaves it out. Nothing is ` +
          'lost yet; what is older than the retention of the queue would be. What to do: find its id in the logs (pawl: waiting), and its claim with ' +
          'the command pawl claim. Deferred: another worker holds the claim, or a lock. Released: its error says why it fails.',
      }),
    ),
    parked: forClaims(() =>
      alarmAt(consumer, 'ParkedAlarm', consumer.metricClaims('Parked', fiveMinutes), {
        threshold: 1,
        description:
          `${path}: a claim was parked: pawl cannot tell whether its last attempt had its effect. It does not run again until an ` +
          'operator decides. The alarm ends by itself, the claim stays. What to do: find its id in the logs (pawl: parked) and its ' +
          'message in the dead-letter queue, ask the provider whether the effect happened, resolve the claim with ' +
          'pawl resolve as applied, not-applied or retry, then redrive the message.',
      }),
    ),
    staleClaims: forClaims(() =>
      alarmAt(consumer, 'StaleClaimAlarm', consumer.metricClaims('StaleClaim', fiveMinutes), {
        threshold: 1,
        description:
          `${path}: a worker came with an outcome for a claim that had been taken over. Its record was refused, but its effect may ` +
          'have happened beside the other worker’s. What to do: find the id in the logs (pawl: stale-claim) and ask the provider ' +
          'for effects under that key. Then find out why the worker outlived its lease: a lease shorter than the work, a ' +
          'clock that is off, or work that goes on after the handler has returned.',
      }),
    ),
    takenOver: forClaims(() =>
      alarmAt(consumer, 'TakenOverAlarm', consumer.metricClaims('TakenOver', { period: Duration.minutes(15) }), {
        threshold: takenOverThreshold,
        description:
          `${path}: ${takenOverThreshold} or more claims were taken over within 15 minutes, each from a worker that died or timed ` +
          'out in mid-effect. Under retry each effect may have happened twice, unless the provider honours the effect key. What to ' +
          'do: look for timeouts and for memory running out in the logs of the function, and at how long the provider takes; ' +
          'raise timeout or memorySize, or lower the batch size. One message that kills its workers is parked the third time.',
      }),
    ),
    completionsLost: forClaims(() =>
      alarmAt(consumer, 'CompletionLostAlarm', consumer.metricClaims('CompletionLost', fiveMinutes), {
        threshold: 1,
        description:
          `${path}: an effect happened and could not be recorded, in spite of retries. Its message was acknowledged; another ` +
          'copy of it would find the claim in doubt, and be decided as onAbandoned says. What to do: find the ids in the logs (pawl: ' +
          'completion-lost) with the error of the store; see whether the claims table is throttled or its permissions changed; ' +
          'watch for duplicates of these keys until their claims’ retention has ended.',
      }),
    ),
  };
}
