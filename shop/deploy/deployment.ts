import { setTimeout as sleep } from 'node:timers/promises';
import { readClaims } from '../../lib/rehearsal/pawl/claims-table.ts';
import { constructOf } from '../app/app-functions.ts';
import { drainQueues } from '../emulator/drain.ts';
import { stopwatch } from '../stopwatch.ts';
import { judgeChain } from './chain.ts';
import { createJournal, type Journal } from './journal.ts';
import { type OrdersPart, ordersPart } from './orders.ts';
import { type Deployed, nameOf, namesOf, type Part, type StackName, stacks } from './part.ts';
import { type PaymentsPart, paymentsPart } from './payments.ts';
import { planDeployment } from './plan.ts';
import { type RepaymentsPart, repaymentsPart } from './repayments.ts';
import type { DeployResult } from './result.ts';
import { settleBySchedule } from './settle-by-schedule.ts';
import { settleIncident } from './settle-incident.ts';
import { type DeployOptions, startWorld, type World } from './world.ts';

const visibilityPerTimeout = 6;

const clean = '0: 0 problems, 0 warnings.';
/** How long the queues may take to be empty, in timeouts of the functions: a message that was killed comes again after six. */
const drainTimeouts = 80;
/** How long the update waits for the first effects of each stack. */
const firstEffectsMs = 30_000;

/** The deployed stacks, and the traffic of each. */
interface Run {
  readonly world: World;
  readonly journal: Journal;
  readonly orders: OrdersPart;
  readonly payments: PaymentsPart;
  readonly repayments: RepaymentsPart;
  readonly parts: readonly Part[];
  /** The timeout with which the stacks are deployed, and the one that the update sets, in seconds. */
  readonly timeouts: { readonly first: number; readonly updated: number };
  /** The functions whose timeout the update changes. */
  readonly functions: readonly string[];
}

/** The life of the stacks: bootstrapped, deployed, used, updated while they are used, checked, and destroyed. */
export async function runDeployment(options: DeployOptions): Promise<DeployResult> {
  const elapsed = stopwatch();
  const journal = createJournal(options.progress, elapsed);
  await using cleanUp = new AsyncDisposableStack();
  const world = await startWorld({ ...options, plan: planDeployment(options), say: journal.say }, cleanUp);
  const run = await deploy(world, journal, options.timeoutSeconds);
  const left = (await useAndUpdate(run)) + (await sendAllAgain(run));
  await breakAndRepair(run);
  const verdicts = {
    ...(await run.orders.judge(left)),
    payments: await run.payments.judge(),
    repayments: await run.repayments.judge(),
    chain: judgeChain(
      world.plan.payments.map(({ payment }) => payment.paymentId),
      world.followed,
    ),
    outboxLeft: await run.payments.outboxLeft(),
  };
  await settleIncident({ ...run, drain: () => drain(run) });
  await settleBySchedule(run);
  const claimsKept = await destroy(run);
  options.progress.end();
  const { events } = world;
  return {
    ...verdicts,
    suppressed: events.count('replayed', 'repeated'),
    deferred: events.count('deferred'),
    takeovers: events.count('taken-over'),
    verdicts: events.verdicts(),
    providerFaults: world.faultStats().providerFaults,
    hostFailures: world.hostFailures(),
    killed: world.killed(),
    failures: journal.failures,
    left,
    claimsKept,
    seconds: elapsed(),
  };
}

async function deploy(world: World, journal: Journal, first: number): Promise<Run> {
  const { account, cdk, plan, ledger } = world;
  journal.say('cdk bootstrap');
  await cdk.bootstrap();
  journal.say(`cdk deploy ${stacks.join(' ')}`);
  const outputs = await cdk.deploy(world.context(first));
  const deployed = async (stack: StackName): Promise<Deployed> => {
    const resources = await account.stackResources(stack);
    return { account, stack, outputs: outputs[stack] ?? {}, resources };
  };
  const orders = ordersPart(await deployed('PawlOrders'), plan.orders, ledger);
  const payments = await paymentsPart(await deployed('PawlPayments'), plan.payments, world);
  const repayments = repaymentsPart(await deployed('PawlRepayments'), plan.repayments);
  const parts = [orders, payments, repayments];
  for (const part of parts) {
    const count = (type: string) => namesOf(part.deployed, type).length;
    const [functions, tables] = [count('AWS::Lambda::Function'), count('AWS::DynamoDB::Table')];
    journal.expect(
      `${part.deployed.stack}: ${part.deployed.resources.length} resources, of which ${functions} functions, ${tables} tables`,
      functions > 0 && tables > 0 && part.queues.every((url) => url !== ''),
    );
  }
  const all = parts.flatMap((part) => namesOf(part.deployed, 'AWS::Lambda::Function'));
  const timeouts = await Promise.all(all.map((name) => account.functionTimeoutSeconds(name)));
  const run = {
    ...{ world, journal, orders, payments, repayments, parts, timeouts: { first, updated: first + 1 } },
    functions: all.filter((_, index) => timeouts[index] === first),
  };
  await askDoctor(run);
  return run;
}

async function askDoctor({ world, journal }: Run): Promise<void> {
  for (const stack of stacks) {
    journal.say(`pawl doctor ${stack}`);
    journal.expect('pawl doctor finds nothing wrong', (await world.doctor(stack)) === clean);
  }
}

/** Sends a third of everything, another one while the stacks are updated, and the rest. Returns how many messages are left. */
async function useAndUpdate(run: Run): Promise<number> {
  const { journal, world, parts } = run;
  const { orders, payments, repayments } = world.plan;
  journal.say(
    `sending ${orders.length} orders to both queues, some twice; the processor reports ${payments.length} payments to the HTTP API, ` +
      `each twice at once; ${repayments.length} requests to repay debts, each twice. Providers fail, the queue fails, and hosts die`,
  );
  await send(run, 0);
  const before = await firstEffects(run);
  journal.say(
    `cdk deploy again, in mid-traffic: the functions' timeout goes from ${run.timeouts.first} s to ${run.timeouts.updated} s`,
  );
  const updating = world.cdk.deploy(world.context(run.timeouts.updated));
  // An update that fails throws below. Until then its rejection must not end the process.
  updating.catch(() => undefined);
  await send(run, 1);
  await updating;
  const updated = await effectsOf(parts);
  await checkUpdate(run);
  await send(run, 2);
  const left = await drain(run);
  const after = await effectsOf(parts);
  for (const [index, { deployed }] of parts.entries()) {
    const [first = 0, second = 0, third = 0] = [before[index], updated[index], after[index]];
    journal.expect(
      `${deployed.stack}: effects before, during and after the update: ${first}, ${second - first} and ${third - second}`,
      first > 0 && third > first,
    );
  }
  journal.expect('effects happened during the update', sum(updated) > sum(before));
  return left;
}

async function send(run: Run, third: number): Promise<void> {
  await Promise.all(run.parts.map((part) => part.send(third)));
  run.journal.update(await stateOf(run));
}

/** Waits until every stack had effects, so that the update meets a stack at work. */
async function firstEffects({ parts }: Run): Promise<readonly number[]> {
  const until = Date.now() + firstEffectsMs;
  for (;;) {
    const effects = await effectsOf(parts);
    if (effects.every((count) => count > 0) || Date.now() >= until) return effects;
    await sleep(500);
  }
}

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);

const effectsOf = (parts: readonly Part[]) => Promise.all(parts.map((part) => part.effects()));

async function stateOf({ parts, world: { followed } }: Pick<Run, 'parts' | 'world'>): Promise<string> {
  const [effects = 0, posted = 0, repaid = 0] = await effectsOf(parts);
  const behind = `${followed.receipt.length} receipts   ${followed.points.length} bookings of points`;
  return `${effects} mails and gift cards   ${posted} payments posted   ${behind}   ${repaid} debts repaid`;
}

async function checkUpdate({
  world: { account },
  parts,
  functions,
  journal,
  timeouts: { updated },
}: Run): Promise<void> {
  const queues = parts.flatMap((part) => part.queues);
  const visibilities = await Promise.all(queues.map((url) => account.visibilitySeconds(url)));
  const timeouts = await Promise.all(functions.map((name) => account.functionTimeoutSeconds(name)));
  const visibility = updated * visibilityPerTimeout;
  journal.expect(
    `updated: ${functions.length} functions with ${[...new Set(timeouts)].join(', ')} s, ${queues.length} queues with ${[...new Set(visibilities)].join(', ')} s`,
    functions.length > 0 &&
      timeouts.every((seconds) => seconds === updated) &&
      visibilities.every((seconds) => seconds === visibility),
  );
}

/** Waits until no caller waits, and the queues and the outbox are empty. Returns how many messages are left. */
async function drain(run: Run): Promise<number> {
  const { world, parts, payments, journal, timeouts } = run;
  await Promise.all(parts.map((part) => part.answered()));
  const queues = parts.flatMap((part) => part.queues);
  let state = '';
  return drainQueues({
    async depths() {
      state = await stateOf(run);
      // The outbox first: what leaves it is on a queue then.
      const ready = await payments.outboxLeft();
      const depths = await Promise.all(queues.map((url) => world.account.depth(url)));
      return [{ ready, delayed: 0, inFlight: 0 }, ...depths];
    },
    until: Date.now() + drainTimeouts * timeouts.updated * 1000,
    onLook: ({ left }) => journal.update(`${state}   ${left} messages on their queues and in the outbox`),
    betweenLooksMs: 500,
  });
}

/** Sends everything once more, with new message ids. Returns how many messages are left. */
async function sendAllAgain(run: Run): Promise<number> {
  const { journal, parts } = run;
  const before = await stateOf(run);
  journal.say('sending all orders, payments and requests once more, as a scheduler that runs twice would');
  await Promise.all(parts.map((part) => part.sendAgain()));
  const left = await drain(run);
  const after = await stateOf(run);
  journal.expect(`not one more effect: ${after}`, after === before);
  return left;
}

/** Sets a visibility timeout that contradicts the function's timeout, for `pawl doctor` to find, and sets it back. */
async function breakAndRepair(run: Run): Promise<void> {
  const { world, orders, journal } = run;
  const { account, doctor } = world;
  const mail = nameOf(orders.deployed, 'AWS::Lambda::Function', constructOf['send-email']);
  const [url = ''] = orders.queues;
  journal.say(`an operator sets the visibility timeout of the mail queue to 5 s; pawl doctor ${mail}`);
  await account.setVisibilitySeconds(url, 5);
  journal.expect('pawl doctor finds it', (await doctor(mail)) === '1: 1 problem, 0 warnings.');
  await account.setVisibilitySeconds(url, run.timeouts.updated * visibilityPerTimeout);
  await askDoctor(run);
}

/** Destroys the stacks. Returns how many records their tables still have: these stay. */
async function destroy({ world, parts, payments, journal, timeouts }: Run): Promise<number> {
  const { account, cdk } = world;
  const tables = parts.flatMap((part) => namesOf(part.deployed, 'AWS::DynamoDB::Table'));
  const recordsIn = async (table: string) =>
    (await readClaims(account.dynamo, table).catch(() => ({ total: undefined }))).total;
  const counted = () => Promise.all(tables.map(recordsIn));
  const before = await counted();
  journal.say('cdk destroy');
  await cdk.destroy(world.context(timeouts.updated));
  const remains = (await Promise.all(stacks.map((stack) => account.remains(stack)))).flat();
  journal.expect(
    `destroyed: ${remains.length === 0 ? 'no stack, no queue, no function is left' : remains.join(', ')}`,
    remains.length === 0,
  );
  const { status } = await fetch(payments.callbackUrl, { method: 'POST' });
  journal.expect(`the HTTP API is gone: ${status}`, status === 404);
  const after = await counted();
  const total = sum(after.map((count = 0) => count));
  journal.expect(
    `the ${tables.length} tables stay, with their ${total} records`,
    // An outbox is empty in the end, and its table stays.
    total > 0 && after.every((count, index) => count !== undefined && count === before[index]),
  );
  return total;
}
