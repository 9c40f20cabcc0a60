import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IConstruct } from 'constructs';
import {
  deadLetterActions,
  handlerDefaults,
  isElsewhere,
  isSameFunction,
  mostBatchesOfAll,
  type Problem,
  queueActions,
  refusal,
  tableNeeds,
  tableProblems,
  wiringProblems,
} from 'pawl/deployment';
import { defaults } from './consumer-checks.ts';
import type { ConsumerProps } from './consumer-props.ts';
import type { Queues } from './consumer-queues.ts';
import { variableProblems } from './environment.ts';
import { isLocking, knownConsumers } from './known-consumers.ts';
import { permissionProblems } from './permissions.ts';
import {
  type SeenEventSource,
  seenArn,
  seenEventSources,
  seenFunction,
  seenFunctionArn,
  seenQueue,
  seenTable,
} from './seen.ts';

/** The parts of a consumer, whether it made them or they existed. */
export interface Parts extends Queues {
  readonly function: IFunction;
}

/** The problems of a consumer as the whole app will be deployed. Call it at the end of the app's construction. */
export function seenProblems(consumer: IConstruct, parts: Parts, props: ConsumerProps): readonly Problem[] {
  const arns = {
    queue: seenArn(parts.queue, parts.queue.queueArn),
    deadLetterQueue: seenArn(parts.deadLetterQueue, parts.deadLetterQueue.queueArn),
    function: seenFunctionArn(parts.function),
    table: seenArn(props.claimsTable, props.claimsTable.tableArn),
  };
  const { path } = consumer.node;
  const table = seenTable(props.claimsTable);
  return [
    ...(table === undefined ? [] : tableProblems(table)),
    ...placeProblems(arns),
    ...consumerProblems(consumer, parts, props, arns),
    ...operationProblems(consumer, props, arns),
    ...variableProblems(parts.function, path),
    ...(props.externalPermissions === true ? [] : missingPermissions(parts, props, arns)),
  ];
}

interface Arns {
  readonly queue: string;
  readonly deadLetterQueue: string;
  readonly function: string;
  readonly table: string;
}

function consumerProblems(consumer: IConstruct, parts: Parts, props: ConsumerProps, arns: Arns): readonly Problem[] {
  const sources = seenEventSources(consumer);
  const ofQueue = sources.filter(({ queueArn }) => queueArn === arns.queue);
  const own = ofQueue.filter(({ functionArn }) => isSameFunction(functionArn, arns.function));
  const ofFunction = sources.filter(({ functionArn }) => isSameFunction(functionArn, arns.function));
  const queue = seenQueue(consumer, arns.queue);
  const deadLetterQueue = seenQueue(consumer, queue?.redriveArn ?? arns.deadLetterQueue);
  const made = seenFunction(parts.function);
  const common = {
    timeoutSeconds: made?.timeoutSeconds,
    runtime: made?.runtime,
    reservedConcurrency: made?.reservedConcurrency,
    managedInstances: made?.managedInstances,
    maxConcurrencyOfAll: mostBatchesOfAll(ofFunction),
    queueArn: arns.queue,
    visibilityTimeoutSeconds: queue?.visibilityTimeoutSeconds,
    retentionSeconds: queue?.retentionSeconds,
    maxReceiveCount: queue?.maxReceiveCount,
    redriveArn: queue?.redriveArn,
    fifo: queue?.fifo ?? parts.queue.fifo,
    deadLetterArn: arns.deadLetterQueue,
    deadLetterQueueFifo: deadLetterQueue?.fifo ?? parts.deadLetterQueue.fifo,
    deadLetterRetentionSeconds: deadLetterQueue?.retentionSeconds,
    redriveAllowedFor: deadLetterQueue?.redriveAllowedFor,
    leaseSeconds: props.lease?.toSeconds(),
    claimRetentionSeconds: (props.claimRetention ?? defaults.claimRetention).toSeconds(),
    concurrency: props.concurrency,
    handlerTimeoutSeconds: props.handlerTimeout?.toSeconds(),
    maxAttempts: props.maxAttempts,
    lockLeaseSeconds: lockLeaseSeconds(parts, props, arns),
    lockAttempts: props.lockAttempts,
    defersInFlight: props.onInFlight !== 'discard',
    sources: own.map(({ path }) => path),
    otherFunctions: otherFunctions(consumer, ofQueue, arns),
  };
  const unseen = { batchSize: props.batchSize ?? defaults.batchSize, maxBatchingWindowSeconds: 0 };
  const [first = unseen, ...more] = own;
  // A second event source is a problem by itself. What is wrong with it is reported as well.
  return unique([first, ...more].flatMap((source) => wiringProblems({ ...common, ...source })));
}

function unique(problems: readonly Problem[]): readonly Problem[] {
  return problems.filter(({ text }, index) => problems.findIndex((other) => other.text === text) === index);
}

/** The `lockLease` of the construct. If it has none and the function was granted locks, their default. */
function lockLeaseSeconds(parts: Parts, props: ConsumerProps, arns: Arns): number | undefined {
  if (props.lockLease !== undefined) return props.lockLease.toSeconds();
  const isGranted = isLocking(parts.function.grantPrincipal, arns.table);
  return isGranted ? handlerDefaults.lockLeaseSeconds : undefined;
}

/** The functions that get messages of the queue besides this one. A disabled event source delivers none: its function may be on its way out. */
function otherFunctions(consumer: IConstruct, ofQueue: readonly SeenEventSource[], arns: Arns): readonly string[] {
  /** Not known, and so false, of a function that has no event source in the app. */
  const isDisabled = (functionArn: string) => {
    const own = ofQueue.filter((source) => isSameFunction(source.functionArn, functionArn));
    return own.length > 0 && own.every(({ enabled }) => enabled === false);
  };
  if (isDisabled(arns.function)) return [];
  const fed = ofQueue
    .filter(
      ({ enabled, functionArn }) =>
        enabled !== false && functionArn !== undefined && !isSameFunction(functionArn, arns.function),
    )
    .map(({ path }) => `another function, by ${path}`);
  const consumed = knownConsumers(consumer.node.root)
    .filter((other) => other.queueArn() === arns.queue && !isSameFunction(other.functionArn(), arns.function))
    .filter((other) => !isDisabled(other.functionArn()))
    .map((other) => `the function of ${other.path}`);
  return consumed.length > 0 ? consumed : fed;
}

function operationProblems(
  consumer: IConstruct,
  { operation, sharedOperation }: ConsumerProps,
  arns: Arns,
): readonly Problem[] {
  if (operation === undefined || sharedOperation === true) return [];
  const others = knownConsumers(consumer.node.root).filter(
    (other) =>
      other.operation === operation &&
      other.tableArn() === arns.table &&
      !isSameFunction(other.functionArn(), arns.function),
  );
  return others.map(({ path }) =>
    refusal(
      'operation',
      `The operation '${operation}' is that of ${path} as well, another function on the same claims table: once one of them ` +
        'has completed a key, the other takes its own effect for done, and never runs. Give each its own operation, here and in the handler. ' +
        'If both have the same effect, such as an old and a new function of one queue, set sharedOperation: true on both.',
    ),
  );
}

function placeProblems(arns: Arns): readonly Problem[] {
  const problems: Problem[] = [];
  const [region, tableRegion] = [arns.function, arns.queue].map((arn) => arn.split(':').slice(3, 4).join());
  if (isElsewhere(`:::${region}`, `:::${tableRegion}`)) {
    problems.push(
      refusal(
        'place',
        `The function is in ${region}, and its queue in ${tableRegion}: Lambda polls queues of its own region only. Put both in one region.`,
      ),
    );
  }
  if (isElsewhere(arns.function, arns.table)) {
    problems.push(
      refusal(
        'place',
        `The function is ${arns.function}, and the claims table ${arns.table}, in another region or account: the function looks for its table by ` +
          'name, in its own region and account. Use a claims table of the same region and account.',
      ),
    );
  }
  return problems;
}

function missingPermissions(parts: Parts, props: ConsumerProps, arns: Arns): readonly Problem[] {
  const operations = props.operation === undefined ? props.claimRights?.operations : [props.operation];
  return permissionProblems(parts.function, [
    ...tableNeeds({ operations }).map((need) => ({ ...need, resourceArn: arns.table })),
    { actions: queueActions, resourceArn: arns.queue, of: 'the queue' },
    { actions: deadLetterActions, resourceArn: arns.deadLetterQueue, of: 'the dead-letter queue' },
  ]);
}
