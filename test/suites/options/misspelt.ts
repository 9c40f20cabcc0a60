import { App, Stack } from 'aws-cdk-lib';
import {
  ClaimsDashboard,
  ClaimsTable,
  Consumer,
  ExecutionEnds,
  OpenClaimsSweep,
  OutboxRelay,
  OutboxTable,
  StatementCheck,
} from '../../../lib/cdk/index.ts';
import { headerKey, httpOnce, onceOverHttp } from '../../../lib/pawl/http/index.ts';
import { memoryStore, once, reconcile, rememberCompleted, step } from '../../../lib/pawl/index.ts';
import {
  forEachItem,
  lockOperator,
  memoryLockStore,
  readProgress,
  resourceLocks,
} from '../../../lib/pawl/locks/index.ts';
import { sqsOnce } from '../../../lib/pawl/middy/index.ts';
import { hashedKeys, metricEvents } from '../../../lib/pawl/observe/index.ts';
import { operator, operatorActs } from '../../../lib/pawl/operate/index.ts';
import { eventBuses } from '../../../lib/pawl/outbox/destinations/event-buses.ts';
import { topics } from '../../../lib/pawl/outbox/destinations/topics.ts';
import {
  dynamoOutbox,
  outboxOperator,
  outboxRelay,
  outboxSweep,
  postgresOutbox,
  queues,
} from '../../../lib/pawl/outbox/index.ts';
import { largeBodies } from '../../../lib/pawl/outbox/large-bodies.ts';
import { largePayload } from '../../../lib/pawl/payload/envelopes/large-payload.ts';
import {
  checkPostgres,
  deleteExpired,
  postgresLockStore,
  postgresMigration,
  postgresStore,
  readAllRecords as readAllRows,
  readPostgresMigration,
} from '../../../lib/pawl/postgres/index.ts';
import {
  besidePowertools,
  DynamoDBPersistenceLayer,
  IdempotencyConfig,
  makeHandlerIdempotent,
  makeIdempotent,
} from '../../../lib/pawl/powertools/index.ts';
import { eachMessage, sendOnce } from '../../../lib/pawl/sqs/index.ts';
import { findings, reconcileStatements, settleFindings } from '../../../lib/pawl/statements/index.ts';
import {
  correctRestore,
  dynamoStore,
  individualDynamoStore,
  liftRestore,
  markRestored,
  readAllRecords,
  readRestored,
  sdk,
} from '../../../lib/pawl/stores/dynamodb/index.ts';
import * as leanStores from '../../../lib/pawl/stores/dynamodb/lean.ts';
import { withListing } from '../../../lib/pawl/stores/listing.ts';
import { sweepOpenClaims } from '../../../lib/pawl/sweep/index.ts';
import { commit, eachTransaction, inPhases } from '../../../lib/pawl/transactions/index.ts';
import { durableFunctions } from '../../../lib/pawl/workflows/durable-functions.ts';
import { executionEnded, startAgain, startOnce, waitingExecutions } from '../../../lib/pawl/workflows/index.ts';
import { stepFunctions } from '../../../lib/pawl/workflows/step-functions.ts';
import { httpProvider, rehearsal } from '../../../lib/rehearsal/index.ts';
import {
  assertSurvivesCrashes,
  claimStoreLaws,
  crashSweep,
  lockStoreLaws,
  type World,
} from '../../../lib/testing/index.ts';

/** A public function or construct that takes options, or an object of options in them. */
export interface Taker {
  /** The exported name, and after it what is called on its result. */
  readonly door: string;
  /** What the message begins with. @default the last name of `door` */
  readonly by?: string;
  /** The option that holds these options. */
  readonly within?: string;
  /** Calls it, as a program without types does, with these options beside those that it needs. It throws, or rejects, where one of them is unknown. */
  readonly take: (options: object) => unknown;
}

const untyped = (options: object) => options as never;
const nothing = () => undefined;

const store = memoryStore();
const table = dynamoStore({ tableName: 't' });
const outbox = () => dynamoOutbox({ tableName: 'outbox', aws: sdk({}) });
const pool = { connect: nothing } as never;
const workflow = { kind: 'named', target: 'jobs', remembersSeconds: 60, start: nothing, describe: nothing };
const claims = { operation: 'send-email', key: nothing, store, onAbandoned: 'retry' };
const locks = resourceLocks({ store: memoryLockStore() });
const holder = { holder: 'request-1' };
const unlock = { onSuccess: 'unlock', onFailure: 'keep' };
const operate = operator({ store });
const most = { count: 1, amount: 1 };
const remedying = {
  ...{ store, operation: 'charge', limits: { perRun: most, perDay: most } },
  remedies: { twice: { operation: 'refund', onAbandoned: 'park' as const, amountOf: () => 1, run: nothing } },
};
const lockDesk = lockOperator({ store: memoryLockStore() });
const acted = { by: 'maria', note: 'seen' };
const fence = { ConditionCheck: {} };
const sweep = { messages: [{ body: {} }], provider: nothing, effects: () => 1, handler: nothing };
const scope = () => new Stack(new App({ context: { 'aws:cdk:bundling-stacks': [] } }), 'Shop');

/** Lets the handler of a sweep misspell an option of its world. */
function inWorld(misspell: (world: World) => unknown): Promise<unknown> {
  const thrown = Promise.withResolvers<never>();
  const handler = (world: World) => async () => {
    try {
      await misspell(world);
    } catch (error) {
      thrown.reject(error);
    }
  };
  const swept = crashSweep(untyped({ ...sweep, callers: {}, handler }));
  return Promise.race([thrown.promise, swept]);
}

/** Every public function and construct that takes options, and every object of options in them. */
export const takers: readonly Taker[] = [
  { door: 'once', take: (o) => once(untyped({ ...claims, ...o }), nothing) },
  { door: 'once', by: 'fingerprint', take: (o) => once(untyped({ ...claims, fingerprint: o }), nothing) },
  {
    door: 'once',
    by: 'fingerprint',
    within: 'previous',
    take: (o) => once(untyped({ ...claims, fingerprint: { ignore: [], previous: { ignore: [], ...o } } }), nothing),
  },
  { door: 'once()', take: (o) => once(untyped(claims), nothing).outcome(1, untyped(o)) },
  { door: 'largePayload', take: (o) => largePayload(untyped({ s3Client: { send: nothing }, ...o })) },
  { door: 'operator', take: (o) => operator(untyped({ store, ...o })) },
  { door: 'operator().openClaims', take: (o) => operate.openClaims(untyped(o)).next() },
  { door: 'operator().observed', take: (o) => operate.observed('o', untyped(o)) },
  { door: 'operator().readClaim', take: (o) => operate.readClaim({ id: 'o#k' }, untyped(o)) },
  { door: 'operator().resolve', take: (o) => operate.resolve({ id: 'o#k' }, 'applied', untyped({ ...acted, ...o })) },
  {
    door: 'operator().resolve',
    within: 'charge',
    take: (o) => operate.resolve({ id: 'send-email#k' }, untyped({ charge: { verdict: 'applied', ...o } }), acted),
  },
  { door: 'operator().planResolutions', take: (o) => operate.planResolutions(untyped({ claims: [], ...acted, ...o })) },
  { door: 'operator().deadLetters', take: (o) => operate.deadLetters(untyped({ queueUrl: 'https://sqs/dead', ...o })) },
  {
    door: 'operator().planRedrive',
    take: (o) => operate.planRedrive(untyped({ from: 'https://sqs/dead', letters: [], ...acted, ...o })),
  },
  {
    door: 'operator().planDiscard',
    take: (o) => operate.planDiscard(untyped({ from: 'https://sqs/dead', letters: [], ...acted, ...o })),
  },
  { door: 'operator().redrive', take: async (o) => operate.redrive(untyped({ items: [] }), untyped(o)) },
  { door: 'operator().discard', take: async (o) => operate.discard(untyped({ items: [] }), untyped(o)) },
  { door: 'operator().resolveAll', take: async (o) => operate.resolveAll(untyped({ items: [] }), untyped(o)) },
  { door: 'operator().forget', take: (o) => operate.forget({ id: 'o#k' }, untyped({ ...acted, ...o })) },
  { door: 'lockOperator', take: (o) => lockOperator(untyped({ store: memoryLockStore(), ...o })) },
  { door: 'lockOperator().list', take: (o) => lockDesk.list(untyped(o)).next() },
  { door: 'lockOperator().planRelease', take: (o) => lockDesk.planRelease(untyped({ locks: [], ...acted, ...o })) },
  { door: 'lockOperator().release', take: (o) => lockDesk.release(untyped({ items: [] }), untyped(o)).next() },
  { door: 'sweepOpenClaims', take: (o) => sweepOpenClaims(untyped({ store, operations: {}, ...o })) },
  {
    door: 'sweepOpenClaims',
    within: 'operations.pay',
    take: (o) => sweepOpenClaims(untyped({ store, operations: { pay: { onAbandoned: 'park', ...o } } })),
  },
  { door: 'reconcile', take: (o) => reconcile(untyped({ ask: nothing, ...o })) },
  { door: 'rememberCompleted', take: (o) => rememberCompleted(store, untyped(o)) },
  { door: 'step', take: (o) => step(untyped({}), 'charge', nothing, untyped(o)) },
  { door: 'sdk', take: (o) => sdk(untyped(o)) },
  { door: 'lean', take: (o) => leanStores.lean(untyped(o)) },
  { door: 'dynamoStore', take: (o) => leanStores.dynamoStore(untyped({ tableName: 'claims', ...o })) },
  {
    door: 'individualDynamoStore',
    take: (o) => leanStores.individualDynamoStore(untyped({ tableName: 'claims', ...o })),
  },
  { door: 'dynamoStore', take: (o) => dynamoStore(untyped({ tableName: 'claims', ...o })) },
  {
    door: 'dynamoStore().listOpen',
    take: (o) => withListing(dynamoStore({ tableName: 'claims' })).listOpen(untyped({ limit: 10, ...o })),
  },
  { door: 'memoryStore().listOpen', take: (o) => memoryStore().listOpen(untyped({ limit: 10, ...o })) },
  {
    door: 'reconcileStatements',
    take: (o) => reconcileStatements(untyped({ operation: 'charge', store, statement: nothing, from: 0, ...o })),
  },
  { door: 'findings', take: (o) => findings(untyped({ store, ...o })) },
  { door: 'findings().list', by: 'findings.list', take: (o) => findings({ store }).list(untyped(o)).next() },
  {
    door: 'findings().accept',
    by: 'findings.accept',
    take: (o) => findings({ store }).accept('#finding#x', untyped({ ...acted, ...o })),
  },
  {
    door: 'findings().approve',
    by: 'findings.approve',
    take: (o) => findings({ store }).approve('#finding#x', untyped({ ...acted, ...o })),
  },
  {
    door: 'findings().settleByHand',
    by: 'findings.settleByHand',
    take: (o) => findings({ store }).settleByHand('#finding#x', untyped({ ...acted, ...o })),
  },
  { door: 'settleFindings', take: (o) => settleFindings(untyped({ ...remedying, ...o })) },
  {
    door: 'settleFindings',
    within: 'limits',
    take: (o) => settleFindings(untyped({ ...remedying, limits: { ...remedying.limits, ...o } })),
  },
  {
    door: 'settleFindings',
    within: 'limits.perDay',
    take: (o) =>
      settleFindings(
        untyped({ ...remedying, limits: { ...remedying.limits, perDay: { ...remedying.limits.perDay, ...o } } }),
      ),
  },
  {
    door: 'settleFindings',
    within: 'remedies.twice',
    take: (o) => settleFindings(untyped({ ...remedying, remedies: { twice: { ...remedying.remedies.twice, ...o } } })),
  },
  {
    door: 'settleFindings().plan',
    take: (o) => settleFindings(remedying).plan(untyped({ ...acted, ...o })),
  },
  {
    door: 'settleFindings().settle',
    take: (o) =>
      settleFindings(remedying)
        .settle(untyped({ ...acted, items: [] }), untyped(o))
        .next(),
  },
  { door: 'markRestored', take: (o) => markRestored(untyped({ tableName: 'claims', ...acted, ...o })) },
  { door: 'correctRestore', take: (o) => correctRestore(untyped({ tableName: 'claims', ...acted, ...o })) },
  { door: 'liftRestore', take: (o) => liftRestore(untyped({ tableName: 'claims', ...acted, ...o })) },
  { door: 'readRestored', take: (o) => readRestored(untyped({ tableName: 'claims', ...o })) },
  { door: 'readAllRecords', take: (o) => readAllRecords(untyped({ tableName: 'claims', ...o })) },
  {
    door: 'readAllRecords',
    take: (o) => readAllRows(untyped({ pool: {}, ...o })),
  },
  {
    door: 'operatorActs',
    take: (o) => operatorActs(untyped({ [Symbol.asyncIterator]: nothing }), untyped(o)),
  },
  { door: 'individualDynamoStore', take: (o) => individualDynamoStore(untyped({ tableName: 'claims', ...o })) },
  { door: 'eachMessage', take: (o) => eachMessage(untyped({ ...claims, ...o }), nothing) },
  { door: 'sqsOnce', take: (o) => sqsOnce(untyped({ ...claims, ...o })) },
  { door: 'eachTransaction', take: (o) => eachTransaction(untyped(o), () => []) },
  { door: 'postgresStore', take: (o) => postgresStore(untyped({ pool: {}, ...o })) },
  { door: 'postgresLockStore', take: (o) => postgresLockStore(untyped({ pool: {}, ...o })) },
  { door: 'checkPostgres', take: (o) => checkPostgres(untyped({ pool: {}, ...o })) },
  { door: 'readPostgresMigration', take: (o) => readPostgresMigration(untyped({ pool: {}, ...o })) },
  { door: 'deleteExpired', take: (o) => deleteExpired(untyped({ pool: {}, ...o })) },
  { door: 'postgresMigration', take: (o) => postgresMigration(untyped(o)) },
  { door: 'startOnce', take: (o) => startOnce(untyped({ operation: 'o', key: nothing, store, ...o })) },
  { door: 'durableFunctions', take: (o) => durableFunctions(untyped(o)) },
  { door: 'stepFunctions', take: (o) => stepFunctions(untyped({ type: 'STANDARD', ...o })) },
  {
    door: 'startOnce',
    within: 'waitForEnd',
    take: (o) => startOnce(untyped({ ...claims, onAbandoned: undefined, workflow, waitForEnd: o })),
  },
  ...Object.entries({ executionEnded, startAgain, waitingExecutions }).map(([door, make]) => ({
    door,
    take: (o: object) => make(untyped({ store, workflow, afterFailed: 'park', ...o })),
  })),
  { door: 'dynamoOutbox', take: (o) => dynamoOutbox(untyped({ tableName: 'outbox', ...o })) },
  {
    door: 'dynamoOutbox().message',
    within: 'message',
    take: (o) => outbox().message(untyped({ to: 'https://sqs', key: 'a', body: 1, ...o })),
  },
  { door: 'postgresOutbox', take: (o) => postgresOutbox(untyped({ pool, aws: sdk({}), ...o })) },
  {
    door: 'postgresOutbox().message',
    within: 'message',
    take: (o) =>
      postgresOutbox({ pool, aws: sdk({}) }).message(untyped({ to: 'https://sqs', key: 'a', body: 1, ...o })),
  },
  { door: 'largeBodies', take: (o) => largeBodies(untyped({ s3Client: { send: nothing }, ...o })) },
  {
    door: 'DynamoDBPersistenceLayer',
    take: (o) => new DynamoDBPersistenceLayer(untyped({ tableName: 'idempotency', onAbandoned: 'retry', ...o })),
  },
  { door: 'IdempotencyConfig', take: (o) => new IdempotencyConfig(untyped(o)) },
  {
    door: 'besidePowertools',
    take: (o) => besidePowertools(memoryStore(), untyped({ tableName: 'idempotency', ...o })),
  },
  { door: 'makeIdempotent', take: (o) => makeIdempotent(nothing, untyped(o)) },
  { door: 'makeHandlerIdempotent', take: (o) => makeHandlerIdempotent(untyped(o)) },
  { door: 'queues', take: (o) => queues(untyped(o)) },
  { door: 'topics', take: (o) => topics(untyped(o)) },
  { door: 'eventBuses', take: (o) => eventBuses(untyped(o)) },
  { door: 'outboxRelay', take: (o) => outboxRelay(untyped({ outbox: outbox(), ...o })) },
  { door: 'outboxSweep', take: (o) => outboxSweep(untyped({ outbox: outbox(), ...o })) },
  { door: 'outboxOperator', take: (o) => outboxOperator(untyped({ outbox: outbox(), ...o })) },
  {
    door: 'outboxOperator().list',
    by: 'outboxOperator.list',
    take: (o) => outboxOperator({ outbox: outbox() }).list(untyped(o)).next(),
  },
  { door: 'inPhases', take: (o) => inPhases(untyped({ execute: nothing, record: () => [], ...o })) },
  { door: 'commit', take: (o) => commit(untyped({}), [], untyped(o)) },
  { door: 'sendOnce', take: (o) => sendOnce(untyped({ operation: 'o', store, queueUrl: 'https://sqs', ...o })) },
  {
    door: 'sendOnce()',
    within: 'message',
    take: (o) =>
      sendOnce({ operation: 'o', store: table, queueUrl: 'https://sqs' })(untyped({ key: 'k', body: {}, ...o })),
  },
  { door: 'onceOverHttp', take: (o) => onceOverHttp(untyped({ ...claims, caller: 'anyone', ...o }), nothing) },
  { door: 'httpOnce', take: (o) => httpOnce(untyped({ ...claims, caller: 'anyone', ...o })) },
  { door: 'headerKey', take: (o) => headerKey(untyped(o)) },
  { door: 'resourceLocks', take: (o) => resourceLocks(untyped({ store: memoryLockStore(), ...o })) },
  { door: 'resourceLocks().lockAll', take: (o) => locks.lockAll([['debt', 1]], untyped({ ...holder, ...o })) },
  { door: 'resourceLocks().tryLockAll', take: (o) => locks.tryLockAll([['debt', 1]], untyped({ ...holder, ...o })) },
  {
    door: 'resourceLocks().withLock',
    take: (o) => locks.withLock([['debt', 1]], untyped({ ...holder, unlock, ...o }), nothing),
  },
  {
    door: 'resourceLocks().withLock',
    within: 'unlock',
    take: (o) => locks.withLock([['debt', 1]], untyped({ ...holder, unlock: { ...unlock, ...o } }), nothing),
  },
  {
    door: 'resourceLocks().tryWithLock',
    take: (o) => locks.tryWithLock([['debt', 1]], untyped({ ...holder, unlock, ...o }), nothing),
  },
  {
    door: 'forEachItem',
    take: (o) => forEachItem([1], untyped({ id: 'r', work: 'repay', fence, store: table, ...o }), () => []),
  },
  { door: 'readProgress', take: (o) => readProgress(untyped({ id: 'r', store: table, work: 'repay', ...o })) },
  { door: 'hashedKeys', take: (o) => hashedKeys(nothing, untyped(o)) },
  { door: 'metricEvents', take: (o) => metricEvents(untyped(o)) },
  { door: 'crashSweep', take: (o) => crashSweep(untyped({ ...sweep, ...o })) },
  { door: 'crashSweep', within: 'callers', take: (o) => crashSweep(untyped({ ...sweep, callers: o })) },
  {
    door: 'crashSweep',
    within: 'messages',
    take: (o) => crashSweep(untyped({ ...sweep, messages: [{ body: {}, ...o }] })),
  },
  {
    door: 'crashSweep() world.io',
    take: (o) => inWorld((world) => world.io('mailer.send', nothing, untyped(o))),
  },
  { door: 'crashSweep() world.wrap', take: (o) => inWorld((world) => world.wrap('mailer', {}, untyped(o))) },
  { door: 'assertSurvivesCrashes', take: (o) => assertSurvivesCrashes(untyped({ ...sweep, ...o })) },
  { door: 'claimStoreLaws', take: (o) => claimStoreLaws(untyped({ test: nothing, open: memoryStore, ...o })) },
  { door: 'lockStoreLaws', take: (o) => lockStoreLaws(untyped({ test: nothing, open: memoryLockStore, ...o })) },
  { door: 'ClaimsTable', take: (o) => new ClaimsTable(scope(), 'Claims', untyped(o)) },
  { door: 'Consumer', take: (o) => new Consumer(scope(), 'SendEmail', untyped(o)) },
  { door: 'ExecutionEnds', take: (o) => new ExecutionEnds(scope(), 'Ends', untyped(o)) },
  { door: 'OpenClaimsSweep', take: (o) => new OpenClaimsSweep(scope(), 'Sweep', untyped(o)) },
  { door: 'OutboxTable', take: (o) => new OutboxTable(scope(), 'Outbox', untyped(o)) },
  { door: 'OutboxRelay', take: (o) => new OutboxRelay(scope(), 'Relay', untyped(o)) },
  { door: 'ClaimsDashboard', take: (o) => new ClaimsDashboard(scope(), 'Dashboard', untyped(o)) },
  { door: 'StatementCheck', take: (o) => new StatementCheck(scope(), 'Statements', untyped(o)) },
  { door: 'rehearsal', take: (o) => rehearsal(untyped(o)) },
  { door: 'rehearsal', within: 'faults', take: (o) => rehearsal(untyped({ traffic: nothing, faults: o })) },
  { door: 'httpProvider', take: (o) => httpProvider(untyped(o)) },
];

const writesNothing = 'a value or functions, and no object of options';
const protocol = 'records and requests of the protocol, which stores make';

/** The other functions and classes that are exported, and what they take instead of options. */
export const withoutOptions: Readonly<Record<string, string>> = {
  transactionalStore: 'a store',
  dynamoLockStore: 'a store',
  startExecution: 'a claim, a target, and an input',
  decide: protocol,
  renew: protocol,
  settle: protocol,
  unchanged: protocol,
  decideLock: protocol,
  endLock: protocol,
  extendLock: protocol,
  keepLock: protocol,
  canonicalJson: writesNothing,
  IdempotencyRecord: 'what a record holds',
  CachePersistenceLayer: 'it is refused',
  idempotent: 'it is refused',
  canonicalValue: writesNothing,
  failOpen: writesNothing,
  logEvents: writesNothing,
  memoryStore: writesNothing,
  renewedLease: writesNothing,
  hashed: writesNothing,
  allOf: writesNothing,
  spanEvents: writesNothing,
  bodyField: writesNothing,
  compositeKey: writesNothing,
  messageAttribute: writesNothing,
  messageId: writesNothing,
  sentKey: writesNothing,
  entityKey: writesNothing,
  requestKey: writesNothing,
  deadLetterQueue: writesNothing,
  decoded: writesNothing,
  eventBridgeEnvelope: writesNothing,
  openedMessage: writesNothing,
  s3EventKey: writesNothing,
  s3Events: writesNothing,
  snsEnvelope: writesNothing,
  claimOf: writesNothing,
  scopedKey: 'who the caller is',
  claimHeld: writesNothing,
  fencedBy: writesNothing,
  memoryLockStore: writesNothing,
  explain: 'a report',
  commitStep: writesNothing,
  grantClaims: writesNothing,
  grantLocks: writesNothing,
  grantOperate: writesNothing,
  grantStatements: writesNothing,
  grantRestore: writesNothing,
  grantActs: writesNothing,
  grantStart: writesNothing,
  FirstExecution: writesNothing,
  mailer: writesNothing,
  rows: writesNothing,
  times: writesNothing,
};

/** An error that cannot be made would hide what it is about, so its options are not looked at. */
export const isError = (value: unknown) => typeof value === 'function' && value.prototype instanceof Error;

/** What a call throws, or rejects with. */
export async function thrownBy(call: () => unknown): Promise<unknown> {
  try {
    await call();
  } catch (error) {
    return error;
  }
  return undefined;
}

/** No option is near to it. */
const unlikeAny = 'zzzzzz';

/** The options that a function takes, as it says itself. */
export async function takenBy({ take }: Taker): Promise<readonly string[]> {
  const error = await thrownBy(() => take({ [unlikeAny]: 1 }));
  const said = error instanceof Error ? error.message : String(error);
  const [, names] = /\bIt takes ([\w, ]+)\./.exec(said) ?? [];
  if (names === undefined) throw new Error(`it does not say what it takes: ${said}`);
  return names.split(', ');
}
