import { Duration, type Stack, Token } from 'aws-cdk-lib';
import {
  consumerDefaults,
  defaultPollers,
  holdsSecret,
  leastReceives,
  leastVisibilityOfInstancesSeconds,
  leastVisibilitySeconds,
  mostReceives,
  type Problem,
  type ProvisionedPollers,
  refusal,
  WiringError,
  wiringProblems,
} from 'pawl/deployment';
import type { ConsumerProps } from './consumer-props.ts';
import { eventSourcePropNames } from './event-source-props.ts';
import { functionPropNames } from './function-props.ts';
import { queuePropNames } from './queue-props.ts';
import { isManagedSoFar } from './seen.ts';

export const deadLetterRetention = Duration.seconds(consumerDefaults.deadLetterRetentionSeconds);

/** The defaults of a consumer, as CDK writes them. */
export const defaults = {
  timeout: Duration.seconds(consumerDefaults.timeoutSeconds),
  retentionPeriod: Duration.seconds(consumerDefaults.retentionSeconds),
  claimRetention: Duration.seconds(consumerDefaults.claimRetentionSeconds),
  batchSize: consumerDefaults.batchSize,
} as const;

/** What follows from a consumer's options. */
export interface Times {
  readonly timeout: Duration;
  readonly visibilityTimeout: Duration;
  readonly maxReceiveCount: number;
}

/** The options that decide how a resource is made. Beside a resource that exists, they are refused. */
const propNamesOfMade = { function: functionPropNames, queue: queuePropNames };

/**
 * Throws a `WiringError` when the consumer in `stack` at `path` could not work as promised, as far as its options say.
 *
 * @param existing the timeout of the function that exists in seconds, as far as it can be seen
 */
export function checkedTimes(stack: Stack, path: string, props: ConsumerProps, existing: number | undefined): Times {
  const { maxBatchingWindow = Duration.seconds(0), visibilityTimeout } = props;
  const seen = existing === undefined ? defaults.timeout : Duration.seconds(existing);
  const timeout = props.timeout ?? seen;
  const { lease, claimRetention = defaults.claimRetention, retentionPeriod = defaults.retentionPeriod } = props;
  const { handlerTimeout, lockLease } = props;
  const ofHandler = { lease, handlerTimeout, lockLease };
  refuseIfAny(path, [
    ...unknownTimes({ timeout, maxBatchingWindow, visibilityTimeout, claimRetention, retentionPeriod, ...ofHandler }),
    ...unknownNumbers(props),
    ...misplacedOptions(props),
    ...unseenTimeout(props, existing),
    ...environmentProblems(stack, props.environment, ['CLAIMS_TABLE', 'DEAD_LETTER_QUEUE_URL']),
  ]);

  const timeoutSeconds = timeout.toSeconds();
  const maxBatchingWindowSeconds = maxBatchingWindow.toSeconds();
  const ofInstances =
    props.function !== undefined && isManagedSoFar(props.function)
      ? leastVisibilityOfInstancesSeconds(timeoutSeconds, maxBatchingWindowSeconds)
      : 0;
  const leastVisible = Math.max(ofInstances, leastVisibilitySeconds(timeoutSeconds, maxBatchingWindowSeconds));
  const visible = visibilityTimeout ?? Duration.seconds(leastVisible);
  const makesQueue = props.queue === undefined;
  const handling = {
    timeoutSeconds: props.function === undefined || existing !== undefined ? timeoutSeconds : undefined,
    batchSize: props.batchSize ?? defaults.batchSize,
    fifo: props.queue?.fifo ?? props.fifo ?? false,
    concurrency: props.concurrency,
    handlerTimeoutSeconds: handlerTimeout?.toSeconds(),
    maxAttempts: props.maxAttempts,
    lockLeaseSeconds: lockLease?.toSeconds(),
    lockAttempts: props.lockAttempts,
  };
  const maxReceiveCount = props.maxReceiveCount ?? Math.min(mostReceives, leastReceives(handling).all);
  refuseIfAny(
    path,
    // What exists is checked when the app is complete: much of it may still change.
    wiringProblems({
      ...handling,
      maxBatchingWindowSeconds,
      maxConcurrency: plain(props.maxConcurrency),
      provisionedPollers: pollersOf(props),
      visibilityTimeoutSeconds: makesQueue ? visible.toSeconds() : undefined,
      leaseSeconds: lease?.toSeconds(),
      retentionSeconds: makesQueue ? retentionPeriod.toSeconds() : undefined,
      deadLetterRetentionSeconds: props.deadLetterQueue === undefined ? deadLetterRetention.toSeconds() : undefined,
      claimRetentionSeconds: claimRetention.toSeconds(),
      maxReceiveCount: makesQueue ? maxReceiveCount : undefined,
      deadLetterQueueFifo: props.deadLetterQueue?.fifo,
      defersInFlight: props.onInFlight !== 'discard',
    }),
  );
  return { timeout, visibilityTimeout: visible, maxReceiveCount };
}

function pollersOf({ provisionedPollerConfig }: ConsumerProps): ProvisionedPollers | undefined {
  if (provisionedPollerConfig === undefined) return undefined;
  const { minimumPollers, maximumPollers } = { ...provisionedPollerConfig };
  return {
    minimum: plain(minimumPollers ?? defaultPollers.minimum),
    maximum: plain(maximumPollers ?? defaultPollers.maximum),
  };
}

/** A number that is known before deployment. */
function plain(value: number | undefined): number | undefined {
  return Token.isUnresolved(value) ? undefined : value;
}

/** @throws {WiringError} */
export function refuse(path: string, problems: readonly Problem[]): never {
  throw new WiringError(
    path,
    problems.map(({ text }) => text),
  );
}

/** @throws {WiringError} when there is a problem; a warning waits for the end of synthesis */
export function refuseIfAny(path: string, problems: readonly Problem[]): void {
  const refusals = problems.filter(({ level }) => level === 'problem');
  if (refusals.length > 0) refuse(path, refusals);
}

/** What decides how the event source is made, beside one that exists. */
export function misplacedEventSourceOptions(props: ConsumerProps): Problem[] {
  return given(props, eventSourcePropNames).map((name) =>
    refusal('misplaced', `${name} is given, and the event source exists already. Set it there, and leave it out here.`),
  );
}

/** The names of those that are given. */
function given(props: ConsumerProps, names: Partial<Record<keyof ConsumerProps, true>>): readonly string[] {
  return Object.entries(props).flatMap(([name, value]) => (name in names && value !== undefined ? [name] : []));
}

function misplacedOptions(props: ConsumerProps): Problem[] {
  const problems = Object.entries(propNamesOfMade).flatMap(([existing, making]) =>
    props[existing as keyof typeof propNamesOfMade] === undefined
      ? []
      : given(props, making).map((name) =>
          refusal(
            'misplaced',
            `${name} is given beside ${existing}, which exists already. Set it there, and leave it out here.`,
          ),
        ),
  );
  if (props.claimRights !== undefined && props.externalPermissions === true) {
    problems.push(
      refusal(
        'misplaced',
        'claimRights is given beside externalPermissions, with which nothing is granted. Limit the role where it is given its permissions, and leave claimRights out.',
      ),
    );
  }
  if (props.entry === undefined && props.function === undefined) {
    problems.push(
      refusal(
        'misplaced',
        'There is no function. Give entry (the path of the handler’s file) or function (an existing one).',
      ),
    );
  }
  return problems;
}

function unseenTimeout(props: ConsumerProps, existing: number | undefined): Problem[] {
  const unseen = props.function !== undefined && existing === undefined;
  if (!unseen || props.queue !== undefined || props.visibilityTimeout !== undefined) return [];
  return [
    refusal(
      'visibility',
      'pawl cannot see the timeout of the existing function, so it cannot choose a visibilityTimeout. ' +
        'Set visibilityTimeout to 6 × its timeout + maxBatchingWindow or more.',
    ),
  ];
}

/** A time that is only known at deployment cannot be compared: as a number it is a placeholder far below zero. */
function unknownTimes(times: Readonly<Record<string, Duration | undefined>>): Problem[] {
  return Object.entries(times)
    .filter(([, time]) => time?.isUnresolved())
    .map(([name]) => unknownBeforeDeployment(name));
}

/** The numbers that a rule compares. Of the others, such as `maxConcurrency`, CloudFormation may know more than pawl does. */
const compared = ['batchSize', 'maxReceiveCount', 'concurrency', 'maxAttempts', 'lockAttempts'] as const;

function unknownNumbers(props: ConsumerProps): Problem[] {
  return compared.filter((name) => Token.isUnresolved(props[name])).map(unknownBeforeDeployment);
}

function unknownBeforeDeployment(name: string): Problem {
  return refusal(
    'deploymentTime',
    `${name} is not known before deployment, so pawl cannot check it. Give it a plain number.`,
  );
}

/** What must not be in the environment of a function that a construct makes. @param own the variables that the construct sets itself */
export function environmentProblems(
  stack: Stack,
  environment: Readonly<Record<string, string>> = {},
  own: readonly string[],
): readonly Problem[] {
  return [...takenVariables(environment, own), ...secrets(stack, environment)];
}

function takenVariables(environment: Readonly<Record<string, string>>, own: readonly string[]): readonly Problem[] {
  return own
    .filter((name) => name in environment)
    .map((name) =>
      refusal('variables', `environment sets ${name}, which the construct sets itself. Remove it, or rename it.`),
    );
}

/** CloudFormation puts a secret's value in its place: everyone who may describe the function could then read it. */
function secrets(stack: Stack, environment: Readonly<Record<string, string>>): Problem[] {
  return Object.entries(environment)
    .filter(([, value]) => Token.isUnresolved(value) || value.includes('{{resolve:'))
    .filter(([, value]) => holdsSecret(stack.resolve(value)))
    .map(([name]) => secretProblem(name));
}

export function secretProblem(name: string): Problem {
  return refusal(
    'secrets',
    `environment.${name} holds a secret's value, and everyone who may describe the function could read it. Put the ` +
      "secret's ARN there, call secret.grantRead(consumer.function), and read it in the function.",
  );
}
