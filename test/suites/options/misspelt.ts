import { App, Stack } from 'aws-cdk-lib';
import { ClaimsDashboard, ClaimsTable, Consumer, OpenClaimsSweep, StatementCheck } from '../../../lib/cdk/index.ts';
import { headerKey, httpOnce, onceOverHttp } from '../../../lib/pawl/http/index.ts';
import { memoryStore, once, reconcile, rememberCompleted, step } from '../../../lib/pawl/index.ts';
import { forEachItem, memoryLockStore, readProgress, resourceLocks } from '../../../lib/pawl/locks/index.ts';
import { sqsOnce } from '../../../lib/pawl/middy/index.ts';
import { hashedKeys, metricEvents } from '../../../lib/pawl/observe/index.ts';
import { operator } from '../../../lib/pawl/operate/index.ts';
import { eventBuses } from '../../../lib/pawl/outbox/destinations/event-buses.ts';
import { topics } from '../../../lib/pawl/outbox/destinations/topics.ts';
import { dynamoOutbox, outboxRelay, outboxSweep, queues } from '../../../lib/pawl/outbox/index.ts';
import { largeBodies } from '../../../lib/pawl/outbox/large-bodies.ts';
import { largePayload } from '../../../lib/pawl/payload/envelopes/large-payload.ts';
import {
  deleteExpired,
  postgresLockStore,
  postgresMigration,
  postgresStore,
} from '../../../lib/pawl/postgres/index.ts';
import {
  besidePowertools,
  DynamoDBPersistenceLayer,
  IdempotencyConfig,
  makeHandlerIdempotent,
  makeIdempotent,
} from '../../../lib/pawl/powertools/index.ts';
import { eachMessage, sendOnce } from '../../../lib/pawl/sqs/index.ts';
import { findings, reconcileStatements } from '../../../lib/pawl/statements/index.ts';
import {
  correctRestore,
  dynamoStore,
  individualDynamoStore,
  liftRestore,
  markRestored,
  readRestored,
  sdk,
} from '../../../lib/pawl/stores/dynamodb/index.ts';
import * as leanStores from '../../../lib/pawl/stores/dynamodb/lean.ts';
import { sweepOpenClaims } from '../../../lib/pawl/sweep/index.ts';
import { commit, eachTransaction, inPhases } from '../../../lib/pawl/transactions/index.ts';
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
import { memoryTransactions } from '../../support/memory-transactions.ts';

/** A misspelt option of a public function or construct. */
export interface Misspelt {
  /** The exported name, and after it what is called on its result. */
  readonly door: string;
  readonly option: string;
  readonly meant: string;
  /** What the message begins with. @default the last name of `door` */
  readonly by?: string;
  /** Calls it as a program without types does. It throws, or rejects. */
  readonly call: () => unknown;
}

const untyped = (options: object) => options as never;
const nothing = () => undefined;

const store = memoryStore();
const table = dynamoStore({ tableName: 't' });
const workflow = { kind: 'named', target: 'jobs', remembersSeconds: 60, start: nothing, describe: nothing };
const claims = { operation: 'send-email', key: nothing, store, onAbandoned: 'retry' };
const locks = resourceLocks({ store: memoryLockStore() });
const holder = { holder: 'request-1' };
const unlock = { onSuccess: 'unlock', onFailure: 'keep' };
const operate = operator({ store });
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
export const misspelt: readonly Misspelt[] = [
  {
    door: 'once',
    option: 'onAbandonned',
    meant: 'onAbandoned',
    call: () => once(untyped({ ...claims, onAbandonned: 'park' }), nothing),
  },
  {
    door: 'once',
    option: 'retention',
    meant: 'retentionSeconds',
    call: () => once(untyped({ ...claims, retention: 60 }), nothing),
  },
  {
    door: 'once',
    option: 'ingore',
    meant: 'ignore',
    by: 'fingerprint',
    call: () => once(untyped({ ...claims, fingerprint: { ingore: ['at'] } }), nothing),
  },
  {
    door: 'once',
    option: 'previous.untill',
    meant: 'previous.until',
    by: 'fingerprint',
    call: () =>
      once(
        untyped({ ...claims, fingerprint: { ignore: [], previous: { ignore: [], untill: '2027-01-01' } } }),
        nothing,
      ),
  },
  {
    door: 'once()',
    option: 'remaningMs',
    meant: 'remainingMs',
    call: () => once(untyped(claims), nothing).outcome(1, untyped({ remaningMs: () => 1 })),
  },
  {
    door: 'largePayload',
    option: 'bucket',
    meant: 'buckets',
    call: () => largePayload(untyped({ s3Client: { send: nothing }, bucket: 'payloads' })),
  },
  {
    door: 'operator',
    option: 'AWS',
    meant: 'aws',
    call: () => operator(untyped({ store, AWS: undefined })),
  },
  {
    door: 'operator().openClaims',
    option: 'stat',
    meant: 'state',
    call: () => operate.openClaims(untyped({ stat: 'parked' })).next(),
  },
  {
    door: 'operator().observed',
    option: 'mosst',
    meant: 'most',
    call: () => operate.observed('o', untyped({ mosst: 5 })),
  },
  {
    door: 'operator().readClaim',
    option: 'result',
    meant: 'results',
    call: () => operate.readClaim({ id: 'o#k' }, untyped({ result: true })),
  },
  {
    door: 'operator().resolve',
    option: 'notes',
    meant: 'note',
    call: () => operate.resolve({ id: 'o#k' }, 'applied', untyped({ by: 'maria', notes: 'seen' })),
  },
  {
    door: 'operator().resolve',
    by: 'resolve',
    option: 'charge.reslt',
    meant: 'charge.result',
    call: () => operate.resolve({ id: 'send-email#k' }, untyped({ charge: { verdict: 'applied', reslt: 1 } }), acted),
  },
  {
    door: 'operator().planResolutions',
    option: 'verdct',
    meant: 'verdict',
    call: () => operate.planResolutions(untyped({ claims: [], verdct: 'applied', ...acted })),
  },
  {
    door: 'operator().deadLetters',
    option: 'hideSecs',
    meant: 'hideSeconds',
    call: () => operate.deadLetters(untyped({ queueUrl: 'https://sqs/dead', hideSecs: 5 })),
  },
  {
    door: 'operator().planRedrive',
    option: 'letter',
    meant: 'letters',
    call: () => operate.planRedrive(untyped({ from: 'https://sqs/dead', letter: [], ...acted })),
  },
  {
    door: 'operator().planDiscard',
    option: 'evenIndoubt',
    meant: 'evenInDoubt',
    call: () => operate.planDiscard(untyped({ from: 'https://sqs/dead', letters: [], evenIndoubt: true, ...acted })),
  },
  {
    door: 'operator().redrive',
    option: 'signl',
    meant: 'signal',
    call: async () => operate.redrive(untyped({ items: [] }), untyped({ signl: undefined })),
  },
  {
    door: 'operator().discard',
    option: 'signl',
    meant: 'signal',
    call: async () => operate.discard(untyped({ items: [] }), untyped({ signl: undefined })),
  },
  {
    door: 'operator().resolveAll',
    option: 'signl',
    meant: 'signal',
    call: async () => operate.resolveAll(untyped({ items: [] }), untyped({ signl: undefined })),
  },
  {
    door: 'sweepOpenClaims',
    option: 'maxClaim',
    meant: 'maxClaims',
    call: () => sweepOpenClaims(untyped({ store, operations: {}, maxClaim: 5 })),
  },
  {
    door: 'sweepOpenClaims',
    option: 'operations.pay.maxAbandonned',
    meant: 'operations.pay.maxAbandoned',
    call: () => sweepOpenClaims(untyped({ store, operations: { pay: { onAbandoned: 'park', maxAbandonned: 5 } } })),
  },
  {
    door: 'reconcile',
    option: 'settleMS',
    meant: 'settleMs',
    call: () => reconcile(untyped({ ask: nothing, settleMS: 5 })),
  },
  {
    door: 'rememberCompleted',
    option: 'key',
    meant: 'keys',
    call: () => rememberCompleted(store, untyped({ key: 5 })),
  },
  {
    door: 'step',
    option: 'onAbandonded',
    meant: 'onAbandoned',
    call: () => step(untyped({}), 'charge', nothing, untyped({ onAbandonded: 'park' })),
  },
  {
    door: 'sdk',
    option: 'dynamoDB',
    meant: 'dynamodb',
    call: () => sdk(untyped({ dynamoDB: {} })),
  },
  {
    door: 'lean',
    option: 'endpoint',
    meant: 'endpoints',
    call: () => leanStores.lean(untyped({ endpoint: 'http://localhost:8000' })),
  },
  {
    door: 'dynamoOutbox',
    option: 'atOnce',
    meant: 'atOnceMs',
    call: () => dynamoOutbox(untyped({ tableName: 'outbox', atOnce: 0 })),
  },
  {
    door: 'dynamoOutbox().message',
    option: 'message.groups',
    meant: 'message.group',
    call: () =>
      dynamoOutbox({ tableName: 'outbox', aws: sdk({}) }).message(
        untyped({ to: 'https://sqs', key: 'a', body: 1, groups: 'b' }),
      ),
    by: 'message',
  },
  {
    door: 'largeBodies',
    option: 'buckets',
    meant: 'bucket',
    call: () => largeBodies(untyped({ s3Client: { send: nothing }, buckets: 'payloads' })),
  },
  {
    door: 'DynamoDBPersistenceLayer',
    option: 'tablename',
    meant: 'tableName',
    call: () => new DynamoDBPersistenceLayer(untyped({ tablename: 'idempotency', onAbandoned: 'retry' })),
  },
  {
    door: 'IdempotencyConfig',
    option: 'eventKeyJmespath',
    meant: 'eventKeyJmesPath',
    call: () => new IdempotencyConfig(untyped({ eventKeyJmespath: 'id' })),
  },
  {
    door: 'besidePowertools',
    option: 'keyprefix',
    meant: 'keyPrefix',
    call: () => besidePowertools(memoryStore(), untyped({ tableName: 'idempotency', keyprefix: 'mails' })),
  },
  {
    door: 'makeIdempotent',
    option: 'keyprefix',
    meant: 'keyPrefix',
    call: () => makeIdempotent(nothing, untyped({ keyprefix: 'mails' })),
  },
  {
    door: 'makeHandlerIdempotent',
    option: 'keyprefix',
    meant: 'keyPrefix',
    call: () => makeHandlerIdempotent(untyped({ keyprefix: 'mails' })),
  },
  { door: 'queues', option: 'AWS', meant: 'aws', call: () => queues(untyped({ AWS: {} })) },
  { door: 'topics', option: 'snsclient', meant: 'snsClient', call: () => topics(untyped({ snsclient: {} })) },
  {
    door: 'eventBuses',
    option: 'eventbridgeClient',
    meant: 'eventBridgeClient',
    call: () => eventBuses(untyped({ eventbridgeClient: {} })),
  },
  {
    door: 'outboxRelay',
    option: 'concurency',
    meant: 'concurrency',
    call: () => outboxRelay(untyped({ outbox: dynamoOutbox({ tableName: 'outbox', aws: sdk({}) }), concurency: 5 })),
  },
  {
    door: 'outboxSweep',
    option: 'olderThan',
    meant: 'olderThanMs',
    call: () => outboxSweep(untyped({ outbox: dynamoOutbox({ tableName: 'outbox', aws: sdk({}) }), olderThan: 5 })),
  },
  {
    door: 'dynamoStore',
    option: 'tablename',
    meant: 'tableName',
    call: () => leanStores.dynamoStore(untyped({ tablename: 'claims' })),
  },
  {
    door: 'individualDynamoStore',
    option: 'tablename',
    meant: 'tableName',
    call: () => leanStores.individualDynamoStore(untyped({ tablename: 'claims' })),
  },
  {
    door: 'dynamoStore',
    option: 'tablename',
    meant: 'tableName',
    call: () => dynamoStore(untyped({ tablename: 'claims' })),
  },
  {
    door: 'dynamoStore().listOpen',
    option: 'keyprefix',
    meant: 'keyPrefix',
    call: () => dynamoStore({ tableName: 'claims' }).listOpen(untyped({ limit: 10, keyprefix: 'order' })),
  },
  {
    door: 'memoryStore().listOpen',
    option: 'limits',
    meant: 'limit',
    call: () => memoryStore().listOpen(untyped({ limits: 10 })),
  },
  {
    door: 'reconcileStatements',
    option: 'cutoff',
    meant: 'cutOff',
    call: () => reconcileStatements(untyped({ operation: 'charge', store, statement: nothing, from: 0, cutoff: 1 })),
  },
  {
    door: 'findings',
    option: 'stores',
    meant: 'store',
    call: () => findings(untyped({ store, stores: store })),
  },
  {
    door: 'findings().list',
    by: 'findings.list',
    option: 'operations',
    meant: 'operation',
    call: () =>
      findings({ store })
        .list(untyped({ operations: 'charge' }))
        .next(),
  },
  {
    door: 'findings().accept',
    by: 'findings.accept',
    option: 'notes',
    meant: 'note',
    call: () => findings({ store }).accept('#finding#x', untyped({ ...acted, notes: 'x' })),
  },
  {
    door: 'markRestored',
    option: 'cutoff',
    meant: 'cutOff',
    call: () => markRestored(untyped({ tableName: 'claims', ...acted, cutoff: new Date() })),
  },
  {
    door: 'correctRestore',
    option: 'cutoff',
    meant: 'cutOff',
    call: () => correctRestore(untyped({ tableName: 'claims', ...acted, cutoff: new Date() })),
  },
  {
    door: 'liftRestore',
    option: 'notes',
    meant: 'note',
    call: () => liftRestore(untyped({ tableName: 'claims', by: 'maria', notes: 'seen' })),
  },
  {
    door: 'readRestored',
    option: 'table',
    meant: 'tableName',
    call: () => readRestored(untyped({ table: 'claims' })),
  },
  {
    door: 'individualDynamoStore',
    option: 'table',
    meant: 'tableName',
    call: () => individualDynamoStore(untyped({ table: 'claims' })),
  },
  {
    door: 'postgresStore',
    option: 'tableName',
    meant: 'table',
    call: () => postgresStore(untyped({ pool: {}, tableName: 'claims' })),
  },
  {
    door: 'postgresLockStore',
    option: 'tables',
    meant: 'table',
    call: () => postgresLockStore(untyped({ pool: {}, tables: 'claims' })),
  },
  {
    door: 'deleteExpired',
    option: 'limits',
    meant: 'limit',
    call: () => deleteExpired(untyped({ pool: {}, limits: 1 })),
  },
  {
    door: 'postgresMigration',
    option: 'tableName',
    meant: 'table',
    call: () => postgresMigration(untyped({ tableName: 'claims' })),
  },
  {
    door: 'eachMessage',
    option: 'concurency',
    meant: 'concurrency',
    call: () => eachMessage(untyped({ ...claims, concurency: 2 }), nothing),
  },
  {
    door: 'eachMessage',
    option: 'timeout',
    meant: 'timeoutMs',
    call: () => eachMessage(untyped({ ...claims, timeout: 2 }), nothing),
  },
  {
    door: 'sqsOnce',
    option: 'deadLetter',
    meant: 'deadLetters',
    call: () => sqsOnce(untyped({ ...claims, deadLetter: {} })),
  },
  {
    door: 'eachTransaction',
    option: 'onRefuse',
    meant: 'onRefused',
    call: () =>
      eachTransaction(
        untyped({ operation: 'o', key: nothing, store: memoryTransactions(memoryStore()).store, onRefuse: nothing }),
        () => [],
      ),
  },
  {
    door: 'eachTransaction',
    option: 'onInheritedDoubts',
    meant: 'onInheritedDoubt',
    call: () =>
      eachTransaction(
        untyped({
          operation: 'o',
          key: nothing,
          store: memoryTransactions(memoryStore()).store,
          onInheritedDoubts: 'park',
        }),
        () => [],
      ),
  },
  {
    door: 'inPhases',
    option: 'excute',
    meant: 'execute',
    call: () => inPhases(untyped({ excute: nothing, record: () => [], onAbandoned: 'retry' })),
  },
  {
    door: 'startOnce',
    option: 'inputs',
    meant: 'input',
    call: () => startOnce(untyped({ ...claims, inputs: nothing })),
  },
  {
    door: 'startOnce',
    option: 'waitForEnd.afterFail',
    meant: 'waitForEnd.afterFailed',
    call: () => startOnce(untyped({ ...claims, onAbandoned: undefined, workflow, waitForEnd: { afterFail: 'park' } })),
  },
  ...Object.entries({ executionEnded, startAgain, waitingExecutions }).map(([door, make]) => ({
    door,
    option: 'endsWithin',
    meant: 'endsWithinMs',
    call: () => make(untyped({ store, workflow, afterFailed: 'park', endsWithin: 600_000 })),
  })),
  {
    door: 'stepFunctions',
    option: 'stateMachineARN',
    meant: 'stateMachineArn',
    call: () => stepFunctions(untyped({ type: 'STANDARD', stateMachineARN: 'arn' })),
  },
  { door: 'commit', option: 'results', meant: 'result', call: () => commit(untyped({}), [], untyped({ results: 1 })) },
  {
    door: 'sendOnce',
    option: 'queueURL',
    meant: 'queueUrl',
    call: () => sendOnce(untyped({ operation: 'o', store, queueURL: 'https://sqs' })),
  },
  {
    door: 'sendOnce()',
    option: 'message.messageGroup',
    meant: 'message.messageGroupId',
    call: () =>
      sendOnce({ operation: 'o', store: table, queueUrl: 'https://sqs' })(
        untyped({ key: 'k', body: {}, messageGroup: 'g' }),
      ),
  },
  {
    door: 'onceOverHttp',
    option: 'isfinal',
    meant: 'isFinal',
    call: () => onceOverHttp(untyped({ ...claims, caller: 'anyone', isfinal: nothing }), nothing),
  },
  {
    door: 'httpOnce',
    option: 'documentationUrl',
    meant: 'documentation',
    call: () => httpOnce(untyped({ ...claims, caller: 'anyone', documentationUrl: '' })),
  },
  { door: 'headerKey', option: 'bareToken', meant: 'bareTokens', call: () => headerKey(untyped({ bareToken: true })) },
  {
    door: 'resourceLocks',
    option: 'lease',
    meant: 'leaseMs',
    call: () => resourceLocks(untyped({ store: memoryLockStore(), lease: 1000 })),
  },
  {
    door: 'resourceLocks().lockAll',
    option: 'waitMS',
    meant: 'waitMs',
    call: () => locks.lockAll([['debt', 1]], untyped({ ...holder, waitMS: 10 })),
  },
  {
    door: 'resourceLocks().tryLockAll',
    option: 'reasons',
    meant: 'reason',
    call: () => locks.tryLockAll([['debt', 1]], untyped({ ...holder, reasons: '' })),
  },
  {
    door: 'resourceLocks().withLock',
    option: 'unlocks',
    meant: 'unlock',
    call: () => locks.withLock([['debt', 1]], untyped({ ...holder, unlocks: unlock }), nothing),
  },
  {
    door: 'resourceLocks().withLock',
    option: 'unlock.onSucces',
    meant: 'unlock.onSuccess',
    call: () =>
      locks.withLock([['debt', 1]], untyped({ ...holder, unlock: { onSucces: 'unlock', onFailure: 'keep' } }), nothing),
  },
  {
    door: 'resourceLocks().tryWithLock',
    option: 'holders',
    meant: 'holder',
    call: () => locks.tryWithLock([['debt', 1]], untyped({ holders: 'r', unlock }), nothing),
  },
  {
    door: 'forEachItem',
    option: 'chunks',
    meant: 'chunk',
    call: () => forEachItem([1], untyped({ id: 'r', work: 'repay', fence, store: table, chunks: 5 }), () => []),
  },
  {
    door: 'readProgress',
    option: 'works',
    meant: 'work',
    call: () => readProgress(untyped({ id: 'r', store: table, works: 'repay' })),
  },
  { door: 'hashedKeys', option: 'sald', meant: 'salt', call: () => hashedKeys(nothing, untyped({ sald: 's' })) },
  {
    door: 'metricEvents',
    option: 'nameSpaces',
    meant: 'namespace',
    call: () => metricEvents(untyped({ nameSpaces: 'shop' })),
  },
  { door: 'crashSweep', option: 'maximum', meant: 'max', call: () => crashSweep(untyped({ ...sweep, maximum: 5 })) },
  {
    door: 'crashSweep',
    option: 'callers.attempt',
    meant: 'callers.attempts',
    call: () => crashSweep(untyped({ ...sweep, callers: { attempt: 3 } })),
  },
  {
    door: 'crashSweep',
    option: 'messages.messageGroupID',
    meant: 'messages.messageGroupId',
    call: () => crashSweep(untyped({ ...sweep, messages: [{ body: {}, messageGroupID: 'g' }] })),
  },
  {
    door: 'crashSweep() world.io',
    option: 'resend',
    meant: 'resends',
    call: () => inWorld((world) => world.io('mailer.send', nothing, untyped({ resend: true }))),
  },
  {
    door: 'crashSweep() world.wrap',
    option: 'takeMs',
    meant: 'takesMs',
    call: () => inWorld((world) => world.wrap('mailer', {}, untyped({ takeMs: 1 }))),
  },
  {
    door: 'assertSurvivesCrashes',
    option: 'effect',
    meant: 'effects',
    call: () => assertSurvivesCrashes(untyped({ ...sweep, effect: nothing })),
  },
  {
    door: 'claimStoreLaws',
    option: 'openElswhere',
    meant: 'openElsewhere',
    call: () => claimStoreLaws(untyped({ test: nothing, open: memoryStore, openElswhere: memoryStore })),
  },
  {
    door: 'lockStoreLaws',
    option: 'mayMeetitself',
    meant: 'mayMeetItself',
    call: () => lockStoreLaws(untyped({ test: nothing, open: memoryLockStore, mayMeetitself: true })),
  },
  {
    door: 'ClaimsTable',
    option: 'deletionProtected',
    meant: 'deletionProtection',
    call: () => new ClaimsTable(scope(), 'Claims', untyped({ deletionProtected: false })),
  },
  {
    door: 'Consumer',
    option: 'maxConcurency',
    meant: 'maxConcurrency',
    call: () => new Consumer(scope(), 'SendEmail', untyped({ maxConcurency: 2 })),
  },
  {
    door: 'OpenClaimsSweep',
    option: 'maxDoubtsAge',
    meant: 'maxDoubtAge',
    call: () => new OpenClaimsSweep(scope(), 'Sweep', untyped({ maxDoubtsAge: 5 })),
  },
  {
    door: 'ClaimsDashboard',
    option: 'consumer',
    meant: 'consumers',
    call: () => new ClaimsDashboard(scope(), 'Dashboard', untyped({ consumer: [] })),
  },
  {
    door: 'StatementCheck',
    option: 'operations',
    meant: 'operation',
    call: () => new StatementCheck(scope(), 'Statements', untyped({ operations: 'charge' })),
  },
  { door: 'rehearsal', option: 'provider', meant: 'providers', call: () => rehearsal(untyped({ provider: {} })) },
  {
    door: 'rehearsal(faults)',
    option: 'faults.kills',
    meant: 'faults.kill',
    by: 'rehearsal',
    call: () => rehearsal(untyped({ traffic: nothing, faults: { kills: 1 } })),
  },
  {
    door: 'httpProvider',
    option: 'idempotency',
    meant: 'idempotencyKey',
    call: () => httpProvider(untyped({ idempotency: 'x' })),
  },
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
  mailer: writesNothing,
  rows: writesNothing,
  times: writesNothing,
};

/** An error that cannot be made would hide what it is about, so its options are not looked at. */
export const isError = (value: unknown) => typeof value === 'function' && value.prototype instanceof Error;
