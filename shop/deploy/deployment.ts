import { setTimeout as sleep } from 'node:timers/promises';
import { drainQueues, messagesIn } from '../../lib/rehearsal/drain.ts';
import { readClaims, type StoredClaims } from '../../lib/rehearsal/pawl/claims-table.ts';
import { CONSTRUCT_OF, EFFECTS, OPERATION_OF } from '../app/app-functions.ts';
import { createPlan, type PlannedOrder } from '../plan/plan.ts';
import type { EffectKind } from '../providers/ledger.ts';
import { stopwatch } from '../stopwatch.ts';
import { deadLetteredOrders } from '../traffic/dead-letters.ts';
import { type OrderQueues, type Sent, sendOrders } from '../traffic/producer.ts';
import { judge } from '../traffic/verdict.ts';
import { createJournal, type Journal } from './journal.ts';
import type { DeployResult } from './result.ts';
import { type DeployOptions, STACK, startWorld, type World } from './world.ts';

/** The timeout with which the stack is deployed, and the one that an update sets while messages are on their way. */
const FIRST = { functionTimeoutSeconds: '3' };
const UPDATED = { functionTimeoutSeconds: '4' };
const VISIBILITY_PER_TIMEOUT = 6;

const CLEAN = '0: 0 problems, 0 warnings.';

const DRAIN_TIMEOUT_MS = 150_000;
const BETWEEN_ORDERS_MS = 1_500;

/** A deployed stack, and what was sent to it. */
interface Run {
  readonly world: World;
  readonly journal: Journal;
  readonly plan: readonly PlannedOrder[];
  /** The names of the functions. */
  readonly functions: readonly string[];
  readonly table: string;
  readonly queues: OrderQueues;
  readonly deadLetterQueue: Readonly<Record<EffectKind, string>>;
  readonly sent: { -readonly [Count in keyof Sent]: Sent[Count] };
}

/** What is known of the stack before it is destroyed. */
interface Seen {
  readonly claims: StoredClaims;
  readonly deadLettered: number;
  readonly setAside: Readonly<Record<EffectKind, ReadonlySet<string>>>;
}

/** The life of a stack: bootstrapped, deployed, used, updated while it is used, checked, and destroyed. */
export async function runDeployment(options: DeployOptions): Promise<DeployResult> {
  const elapsed = stopwatch();
  const journal = createJournal(options.progress, elapsed);
  await using cleanUp = new AsyncDisposableStack();
  const plan = createPlan({ orders: options.orders, killShare: 0, seed: options.seed });
  const world = await startWorld({ ...options, plan, say: journal.say }, cleanUp);
  const run = await deploy(world, journal, plan);
  const left = (await useAndUpdate(run)) + (await sendAllAgain(run));
  await breakAndRepair(run);
  const seen = await look(run);
  const claimsKept = await destroy(run, seen);
  options.progress.end();
  return resultOf(run, seen, { left, claimsKept, seconds: elapsed() });
}

async function deploy(world: World, journal: Journal, plan: readonly PlannedOrder[]): Promise<Run> {
  const { account, cdk, giftCardApiUrl, doctor } = world;
  journal.say('cdk bootstrap');
  await cdk.bootstrap();
  journal.say('cdk deploy');
  const outputs = await cdk.deploy({ ...FIRST, giftCardApiUrl });
  const resources = await account.stackResources(STACK);
  const functions = resources.filter(({ type }) => type === 'AWS::Lambda::Function').map(({ name }) => name);
  const table = outputs['ClaimsTableName'] ?? '';
  journal.expect(
    `deployed: ${resources.length} resources, of which ${functions.length} functions and 1 table`,
    functions.length === 2 && table !== '',
  );
  journal.say(`pawl doctor ${STACK}`);
  journal.expect('pawl doctor finds nothing wrong', (await doctor(STACK)) === CLEAN);
  const queueOf = (effect: EffectKind) => ({
    queue: { url: outputs[`${CONSTRUCT_OF[OPERATION_OF[effect]]}QueueUrl`] ?? '' },
  });
  const deadLetterQueueOf = (effect: EffectKind) => {
    const logicalId = `${CONSTRUCT_OF[OPERATION_OF[effect]]}DeadLetterQueue`;
    const found = resources.find((one) => one.type === 'AWS::SQS::Queue' && one.logicalId.startsWith(logicalId));
    return found?.name ?? '';
  };
  return {
    world,
    journal,
    plan,
    functions,
    table,
    queues: { sqs: account.sqs, consumers: { email: queueOf('email'), 'gift-card': queueOf('gift-card') } },
    deadLetterQueue: { email: deadLetterQueueOf('email'), 'gift-card': deadLetterQueueOf('gift-card') },
    sent: { messages: 0, duplicates: 0 },
  };
}

/** Sends a third of the orders, another one while the stack is updated, and the rest. Returns how many messages are left. */
async function useAndUpdate(run: Run): Promise<number> {
  const { plan, journal, world } = run;
  const { ledger } = world;
  const third = Math.ceil(plan.length / 3);
  journal.say(`sending ${plan.length} orders, each to both queues, some twice; providers fail, and hosts die`);
  await send(run, plan.slice(0, third));
  const before = ledger.entries.length;
  journal.say(`cdk deploy again, in mid-traffic: ${before} effects so far, the function timeout goes from 3 s to 4 s`);
  const updating = world.cdk.deploy({ ...UPDATED, giftCardApiUrl: world.giftCardApiUrl });
  // An update that fails throws below. Until then its rejection must not end the process.
  updating.catch(() => undefined);
  await send(run, plan.slice(third, 2 * third));
  await updating;
  const meanwhile = ledger.entries.length - before;
  await checkUpdate(run);
  await send(run, plan.slice(2 * third));
  const left = await drain(run);
  const after = ledger.entries.length - before - meanwhile;
  journal.expect(
    `effects happened before, during and after the update: ${before}, ${meanwhile} and ${after}`,
    before > 0 && meanwhile > 0 && after > 0,
  );
  return left;
}

async function checkUpdate({ world: { account }, queues, functions, journal }: Run): Promise<void> {
  const urls = EFFECTS.map((effect) => queues.consumers[effect].queue.url);
  const visibilities = await Promise.all(urls.map((url) => account.visibilitySeconds(url)));
  const timeouts = await Promise.all(functions.map((name) => account.functionTimeoutSeconds(name)));
  const wanted = Number(UPDATED.functionTimeoutSeconds);
  journal.expect(
    `updated: timeouts ${timeouts.join(' and ')} s, visibility timeouts ${visibilities.join(' and ')} s`,
    timeouts.every((seconds) => seconds === wanted) &&
      visibilities.every((seconds) => seconds === wanted * VISIBILITY_PER_TIMEOUT),
  );
}

async function send(run: Run, orders: readonly PlannedOrder[]): Promise<void> {
  for (let start = 0; start < orders.length; start += 10) {
    count(run, await sendOrders(run.queues, orders.slice(start, start + 10)));
    show(run, `${run.sent.messages} messages sent`);
    await sleep(BETWEEN_ORDERS_MS);
  }
}

function count({ sent }: Run, { messages, duplicates }: Sent): void {
  sent.messages += messages;
  sent.duplicates += duplicates;
}

function show({ world: { ledger }, journal }: Run, state: string): void {
  const done = (effect: EffectKind) => ledger.countByOrder(effect).size;
  journal.update(`${done('email')} emails   ${done('gift-card')} gift cards   ${state}`);
}

async function drain(run: Run): Promise<number> {
  const { world, queues } = run;
  return drainQueues({
    depths: () => Promise.all(EFFECTS.map((effect) => world.account.depth(queues.consumers[effect].queue.url))),
    until: Date.now() + DRAIN_TIMEOUT_MS,
    onLook: ({ left }) => show(run, `${left} messages on their queues`),
    betweenLooksMs: 500,
  });
}

/** Sends every order once more, with new message ids. Returns how many messages are left. */
async function sendAllAgain(run: Run): Promise<number> {
  const { plan, journal, world, queues } = run;
  const before = world.ledger.entries.length;
  journal.say(`sending all ${plan.length} orders once more, as a scheduler that runs twice would`);
  const calm = { sentAgainAfterSeconds: undefined, redelivery: undefined, trouble: undefined };
  const again = plan.map(({ order }) => ({ order, effects: { email: calm, 'gift-card': calm } }));
  const { messages } = await sendOrders(queues, again);
  count(run, { messages, duplicates: messages });
  const left = await drain(run);
  const after = world.ledger.entries.length;
  journal.expect(`not one more effect: ${after} before and after`, after === before);
  return left;
}

/** Sets a visibility timeout that contradicts the function's timeout, for `pawl doctor` to find, and sets it back. */
async function breakAndRepair({ world: { account, doctor }, functions, queues, journal }: Run): Promise<void> {
  const mail = functions.find((name) => name.includes(CONSTRUCT_OF['send-email'])) ?? '';
  const { url } = queues.consumers.email.queue;
  journal.say(`an operator sets the visibility timeout of the mail queue to 5 s; pawl doctor ${mail}`);
  await account.setVisibilitySeconds(url, 5);
  journal.expect('pawl doctor finds it', (await doctor(mail)) === '1: 1 problem, 0 warnings.');
  await account.setVisibilitySeconds(url, Number(UPDATED.functionTimeoutSeconds) * VISIBILITY_PER_TIMEOUT);
  journal.expect('pawl doctor finds nothing wrong once it is set back', (await doctor(mail)) === CLEAN);
}

async function look({ world: { account }, table, deadLetterQueue }: Run): Promise<Seen> {
  const depths = await Promise.all(EFFECTS.map((effect) => account.depth(deadLetterQueue[effect])));
  const setAside = (effect: EffectKind) => deadLetteredOrders(account.sqs.client, deadLetterQueue[effect]);
  return {
    claims: await readClaims(account.dynamo, table),
    deadLettered: depths.reduce((sum, depth) => sum + messagesIn(depth), 0),
    setAside: { email: await setAside('email'), 'gift-card': await setAside('gift-card') },
  };
}

/** Destroys the stack. Returns how many claims the table still has, which stays. */
async function destroy({ world, table, journal }: Run, { claims }: Seen): Promise<number> {
  journal.say('cdk destroy');
  await world.cdk.destroy({ ...UPDATED, giftCardApiUrl: world.giftCardApiUrl });
  const remains = await world.account.remains(STACK);
  journal.expect(
    `destroyed: ${remains.length === 0 ? 'no stack, no queue, no function is left' : remains.join(', ')}`,
    remains.length === 0,
  );
  const kept = await readClaims(world.account.dynamo, table).catch(() => ({ total: 0 }));
  journal.expect(`the table stays, with its ${kept.total} claims`, kept.total > 0 && kept.total === claims.total);
  return kept.total;
}

function resultOf(
  { world, journal, plan, sent }: Run,
  { claims, deadLettered, setAside }: Seen,
  end: Pick<DeployResult, 'left' | 'claimsKept' | 'seconds'>,
): DeployResult {
  const { events, ledger } = world;
  const orderIds = plan.map(({ order }) => order.orderId);
  const verdictOn = (effect: EffectKind) =>
    judge(effect, orderIds, ledger, {
      parkedClaims: claims.parked,
      deadLettered: setAside[effect],
      left: end.left,
    });
  return {
    orders: plan.length,
    ...sent,
    suppressed: events.count('replayed', 'repeated'),
    deferred: events.count('deferred'),
    takeovers: events.count('taken-over'),
    verdicts: events.verdicts(),
    deadLettered,
    providerFaults: world.faultStats().providerFaults,
    killed: world.killed(),
    emails: verdictOn('email'),
    giftCards: verdictOn('gift-card'),
    failures: journal.failures,
    ...end,
  };
}
