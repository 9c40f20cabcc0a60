import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { deadLetteredOrders } from '../../lib/rehearsal/dead-letters.ts';
import type { Progress } from '../../lib/rehearsal/progress.ts';
import { createRandom } from '../../lib/rehearsal/random.ts';
import { createStoreFaults } from '../../lib/rehearsal/store-faults.ts';
import { PROJECT, scratchFolder } from '../../lib/rehearsal/synthesize.ts';
import { createFaults } from '../faults.ts';
import { startGiftCards } from '../gift-cards.ts';
import { createLedger, type EffectKind } from '../ledger.ts';
import { createPawlEvents } from '../pawl-events.ts';
import { createPlan, EFFECTS, type PlannedOrder } from '../plan.ts';
import { sendOrders } from '../producer.ts';
import { startSes } from '../ses.ts';
import type { StackFaults } from '../stack.ts';
import { judge } from '../verdict.ts';
import { type Account, createAccount } from './account.ts';
import { createCdk, STACK } from './cdk.ts';
import { type Emulator, startEmulator } from './emulator.ts';
import { EMULATOR, installEmulator } from './install.ts';
import { run } from './process.ts';
import type { DeployResult } from './result.ts';

export interface DeployOptions {
  readonly orders: number;
  readonly seed: number;
  readonly progress: Progress;
  /** Every line that the CDK, the emulator and the functions print. */
  readonly onLine?: (line: string) => void;
}

/** What the stack is deployed with, and what it is updated to while messages are on their way. */
const FIRST = { functionTimeoutSeconds: '3' };
const UPDATED = { functionTimeoutSeconds: '4' };
const VISIBILITY_PER_TIMEOUT = 6;

const CLEAN = '0: 0 problems, 0 warnings.';

const DRAIN_TIMEOUT_MS = 150_000;
const BETWEEN_ORDERS_MS = 1_500;
const HOST_FAILURES = 4;

const CONSUMER_OF: Readonly<Record<EffectKind, string>> = { email: 'SendEmail', 'gift-card': 'IssueGiftCard' };

/** The life of a stack: bootstrapped, deployed, used, updated while it is being used, checked, and destroyed. */
export async function runDeployment(options: DeployOptions): Promise<DeployResult> {
  const { progress } = options;
  const onLine = options.onLine ?? (() => undefined);
  const begun = Date.now();
  const elapsed = () => Math.round((Date.now() - begun) / 100) / 10;
  const say = (text: string) => progress.say(`${elapsed().toFixed(1).padStart(6)} s  ${text}`);
  const failures: string[] = [];
  const expect = (what: string, is: boolean) => {
    say(`${is ? 'ok ' : 'NOT'} ${what}`);
    if (!is) failures.push(what);
  };

  const python = await installEmulator(say);
  const folder = await scratchFolder('deploy-');
  await using cleanUp = new AsyncDisposableStack();
  cleanUp.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

  const plan = createPlan({ orders: options.orders, killShare: 0, seed: options.seed });
  const orderIds = plan.map(({ order }) => order.orderId);
  const ledger = createLedger();
  const events = createPawlEvents();
  const { faults, stats: faultStats } = createFaults(plan, createStoreFaults(createRandom(options.seed)));
  let killed = 0;
  const provider = {
    nextFault: withKills(plan, faults.provider),
    kill: () => {
      killed += emulator.killFunctions();
    },
  };
  const ses = cleanUp.adopt(await startSes(ledger, provider), (server) => server.stop());
  const giftCards = cleanUp.adopt(await startGiftCards(ledger, { lookupLagMs: 300, ...provider }), (server) =>
    server.stop(),
  );
  const emulator = cleanUp.adopt(
    await startEmulator({
      python,
      folder,
      // Of all AWS services only the mail provider is ours: we have to know what really went out, and to make it fail.
      functionEnvironment: { AWS_ENDPOINT_URL_SESV2: ses.endpoint },
      onLine(line) {
        events.read(line);
        onLine(line);
      },
    }),
    (running) => running.stop(),
  );
  say(`${EMULATOR.replace('==', ' ')} runs, with TLS, and with every permission checked`);
  const account = cleanUp.adopt(createAccount(emulator.endpoint), (clients) => clients.destroy());
  const cdk = createCdk(emulator, folder, (line) => {
    const happened = stackEvent(line);
    if (happened !== undefined) progress.say(`          ${happened}`);
    onLine(line);
  });

  say('cdk bootstrap');
  await cdk.bootstrap();
  say('cdk deploy');
  const outputs = await cdk.deploy({ ...FIRST, giftCardApiUrl: giftCards.endpoint });
  const queueUrl = (effect: EffectKind) => outputs[`${CONSUMER_OF[effect]}QueueUrl`] ?? '';
  const table = outputs['ClaimsTableName'] ?? '';
  const resources = await account.stackResources(STACK);
  const functions = resources.filter(({ type }) => type === 'AWS::Lambda::Function').map(({ name }) => name);
  const deadLetterQueue = (effect: EffectKind) =>
    resources.find(
      ({ type, logicalId }) =>
        type === 'AWS::SQS::Queue' && logicalId.startsWith(`${CONSUMER_OF[effect]}DeadLetterQueue`),
    )?.name ?? '';
  expect(
    `deployed: ${resources.length} resources, of which ${functions.length} functions and 1 table`,
    functions.length === 2 && table !== '',
  );
  const doctor = (name: string) => runDoctor(emulator, name, (line) => progress.say(`          ${line}`));
  say(`pawl doctor ${STACK}`);
  expect('pawl doctor finds nothing wrong', (await doctor(STACK)) === CLEAN);

  const shop = {
    sqs: account.sqs,
    consumers: { email: { queue: { url: queueUrl('email') } }, 'gift-card': { queue: { url: queueUrl('gift-card') } } },
  };
  const done = (effect: EffectKind) => ledger.countByOrder(effect).size;
  const show = (state: string) =>
    progress.update(
      `${elapsed().toFixed(1).padStart(6)} s      ${done('email')} emails   ${done('gift-card')} gift cards   ${state}`,
    );
  const drained = () => drain(account, EFFECTS.map(queueUrl), (left) => show(`${left} messages on their queues`));
  const sent = { messages: 0, duplicates: 0 };
  async function send(part: readonly PlannedOrder[]): Promise<void> {
    for (let start = 0; start < part.length; start += 10) {
      const { messages, duplicates } = await sendOrders(shop, part.slice(start, start + 10));
      sent.messages += messages;
      sent.duplicates += duplicates;
      show(`${sent.messages} messages sent`);
      await sleep(BETWEEN_ORDERS_MS);
    }
  }

  const third = Math.ceil(plan.length / 3);
  say(`sending ${plan.length} orders, each to both queues, some twice; providers fail, and hosts die`);
  await send(plan.slice(0, third));
  const beforeUpdate = ledger.entries.length;
  say(`cdk deploy again, in mid-traffic: ${beforeUpdate} effects so far, the function timeout goes from 3 s to 4 s`);
  const updating = cdk.deploy({ ...UPDATED, giftCardApiUrl: giftCards.endpoint });
  // A failing update is looked at below, and must not be taken for one that nobody looks at.
  updating.catch(() => undefined);
  await send(plan.slice(third, 2 * third));
  await updating;
  const beforeRest = ledger.entries.length;
  const visibilities = await Promise.all(EFFECTS.map((effect) => account.visibilitySeconds(queueUrl(effect))));
  const timeouts = await Promise.all(functions.map((name) => account.functionTimeoutSeconds(name)));
  const wanted = Number(UPDATED.functionTimeoutSeconds);
  expect(
    `updated: timeouts ${timeouts.join(' and ')} s, visibility timeouts ${visibilities.join(' and ')} s`,
    timeouts.every((seconds) => seconds === wanted) &&
      visibilities.every((seconds) => seconds === wanted * VISIBILITY_PER_TIMEOUT),
  );
  await send(plan.slice(2 * third));
  let left = await drained();
  expect(
    `effects happened before, during and after the update: ${beforeUpdate}, ${beforeRest - beforeUpdate} and ${ledger.entries.length - beforeRest}`,
    beforeUpdate > 0 && beforeRest > beforeUpdate && ledger.entries.length > beforeRest,
  );

  const afterFirst = ledger.entries.length;
  say(`sending all ${plan.length} orders once more, as a scheduler that runs twice would`);
  const again = await sendAgain(shop, plan);
  sent.messages += again;
  sent.duplicates += again;
  left += await drained();
  expect(`not one more effect: ${ledger.entries.length} before and after`, ledger.entries.length === afterFirst);

  const mailFunction = functions.find((name) => name.includes('SendEmail')) ?? '';
  say(`somebody sets the visibility timeout of the mail queue to 5 s; pawl doctor ${mailFunction}`);
  await account.setVisibilitySeconds(queueUrl('email'), 5);
  expect('pawl doctor finds it', (await doctor(mailFunction)) === '1: 1 problem, 0 warnings.');
  await account.setVisibilitySeconds(queueUrl('email'), wanted * VISIBILITY_PER_TIMEOUT);
  expect('pawl doctor finds nothing wrong once it is set back', (await doctor(mailFunction)) === CLEAN);

  const claims = await account.claims(table);
  const depths = await Promise.all(EFFECTS.map((effect) => account.depth(deadLetterQueue(effect))));
  const deadLettered = depths.reduce((sum, depth) => sum + depth.ready + depth.delayed + depth.inFlight, 0);
  const setAside = new Map<EffectKind, ReadonlySet<string>>();
  for (const effect of EFFECTS)
    setAside.set(effect, await deadLetteredOrders(account.sqs.client, deadLetterQueue(effect)));
  say('cdk destroy');
  await cdk.destroy({ ...UPDATED, giftCardApiUrl: giftCards.endpoint });
  const remains = await account.remains(STACK);
  expect(
    `destroyed: ${remains.length === 0 ? 'no stack, no queue, no function is left' : remains.join(', ')}`,
    remains.length === 0,
  );
  const kept = await account.claims(table);
  expect(`the table stays, with its ${kept?.total ?? 0} claims`, kept !== undefined && kept.total === claims?.total);
  progress.end();

  const verdictOn = (effect: EffectKind) =>
    judge(effect, orderIds, ledger, {
      parkedClaims: claims?.parked ?? new Set(),
      deadLettered: setAside.get(effect) ?? new Set(),
      left,
    });
  return {
    orders: plan.length,
    ...sent,
    suppressed: events.count('replayed', 'repeated'),
    deferred: events.count('deferred'),
    takeovers: events.count('taken-over'),
    verdicts: events.verdicts(),
    deadLettered,
    providerFaults: faultStats.providerFaults,
    killed,
    emails: verdictOn('email'),
    giftCards: verdictOn('gift-card'),
    left,
    failures,
    claimsKept: kept?.total ?? 0,
    seconds: elapsed(),
  };
}

/** Every order once more, to both queues, with new message ids. */
async function sendAgain(shop: Parameters<typeof sendOrders>[0], plan: readonly PlannedOrder[]): Promise<number> {
  const once = { sentAgainAfterSeconds: undefined, redelivery: undefined, trouble: undefined };
  const { messages } = await sendOrders(
    shop,
    plan.map(({ order }) => ({ order, effects: { email: once, 'gift-card': once } })),
  );
  return messages;
}

/** Waits until the queues are empty or the time is up. Answers how many messages are left. */
async function drain(account: Account, queueUrls: readonly string[], show: (left: number) => void): Promise<number> {
  const deadline = Date.now() + DRAIN_TIMEOUT_MS;
  for (;;) {
    const depths = await Promise.all(queueUrls.map((url) => account.depth(url)));
    const left = depths.reduce((sum, depth) => sum + depth.ready + depth.delayed + depth.inFlight, 0);
    if (left === 0 || Date.now() >= deadline) return left;
    show(left);
    await sleep(500);
  }
}

type NextFault = NonNullable<StackFaults['provider']>;

const KILLS = ['kill-before', 'kill-applied', 'kill-answered'] as const;

/** Beside what the plan has in store, the host dies in the middle of some effects, before and after they happened. */
function withKills(plan: readonly PlannedOrder[], planned: NextFault | undefined): NextFault {
  const step = Math.max(1, Math.floor(plan.length / HOST_FAILURES));
  const victims = new Map<string, (typeof KILLS)[number]>();
  for (let index = 0; index < HOST_FAILURES && index * step < plan.length; index += 1) {
    const orderId = plan[index * step]?.order.orderId ?? '';
    victims.set(`${index % 2 === 0 ? 'gift-card' : 'email'} ${orderId}`, KILLS[index % KILLS.length] ?? 'kill-before');
  }
  return (effect, orderId) => {
    const kind = victims.get(`${effect} ${orderId}`);
    if (kind === undefined) return planned?.(effect, orderId);
    victims.delete(`${effect} ${orderId}`);
    return { kind };
  };
}

/** `pawl doctor`, as a user runs it. Answers its exit code, and the last line that it printed. */
async function runDoctor(emulator: Emulator, name: string, onLine: (line: string) => void): Promise<string> {
  let last = '';
  const code = await run(process.execPath, [join(PROJECT, 'bin', 'pawl.ts'), 'doctor', name], {
    name: 'pawl doctor',
    timeoutMs: 60_000,
    expected: [0, 1],
    env: { ...emulator.environment, NO_COLOR: '1' },
    onLine(line) {
      last = line;
      onLine(line);
    },
  });
  return `${code}: ${last}`;
}

/** The part of a line of the CDK's that says what became of one resource. */
function stackEvent(line: string): string | undefined {
  const found = /\|\s*(\w+_(?:COMPLETE|FAILED|SKIPPED))\s*\|\s*(AWS::\S+)\s*\|\s*(\S+)/.exec(line);
  if (found === null) return undefined;
  const [, state = '', type = '', path = ''] = found;
  return `${state.padEnd(16)} ${type.padEnd(32)} ${path}`;
}
