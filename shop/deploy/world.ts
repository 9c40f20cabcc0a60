import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { scratchFolder } from '../../lib/rehearsal/engine/scratch.ts';
import { startTap, type TapCall } from '../../lib/rehearsal/engine/servers/tap.ts';
import { combineHooks } from '../../lib/rehearsal/engine/servers/tap-hooks.ts';
import type { Progress } from '../../lib/rehearsal/progress.ts';
import { startProvider } from '../../lib/rehearsal/provider.ts';
import { project } from '../app/project.ts';
import { type Account, createAccount } from '../emulator/account.ts';
import { type Cdk, createCdk, resourceEvent } from '../emulator/cdk.ts';
import { type Emulator, startEmulator } from '../emulator/emulator.ts';
import { emulatorPackage, installEmulator } from '../emulator/install.ts';
import { run } from '../emulator/process.ts';
import { createDynamoDbFaults } from '../faults/dynamodb-faults.ts';
import { createFaults, type FaultStats } from '../faults/faults.ts';
import { createAccounts } from '../providers/accounts.ts';
import { startGiftCards } from '../providers/gift-cards.ts';
import { createLedger, type Ledger } from '../providers/ledger.ts';
import { mailRoutes } from '../providers/mails.ts';
import { type Processor, startProcessor } from '../providers/processor.ts';
import { startSes } from '../providers/ses.ts';
import { createPawlEvents, type PawlEvents } from '../traffic/pawl-events.ts';
import { type Followed, noting } from './chain.ts';
import { withHostFailures } from './host-failures.ts';
import { withRefusals } from './incident-plan.ts';
import { type StackName, stacks } from './part.ts';
import type { DeployPlan, DeployPlanOptions } from './plan.ts';
import { type Roles, writeProfiles } from './roles.ts';

export interface DeployOptions extends DeployPlanOptions {
  /** The timeout with which the stacks are deployed. An update while messages are on their way sets one second more. */
  readonly timeoutSeconds: number;
  readonly progress: Progress;
  /** Gets every line that the CDK, the emulator and the functions print. */
  readonly onLine?: (line: string) => void;
}

/** What a deployment happens in: an account of the emulator, and the providers that the stacks' functions call. */
export interface World {
  readonly plan: DeployPlan;
  readonly account: Account;
  readonly cdk: Cdk;
  readonly processor: Processor;
  /** A file with the certificate of the emulator. */
  readonly certificate: string;
  /** What the providers really did. */
  readonly ledger: Ledger;
  /** What they did behind the payments. */
  readonly followed: Followed;
  readonly events: PawlEvents;
  /** What `cdk deploy` sets, with this timeout of the functions. */
  context(functionTimeoutSeconds: number): Readonly<Record<string, string>>;
  faultStats(): FaultStats;
  /** From then on, the providers do what they are asked for, but for what they refuse. */
  calm(): void;
  /** How often all processes of a stack's functions were killed at once, and how many these were. */
  hostFailures(): number;
  killed(): number;
  /** Runs `pawl doctor`, as a user does. Returns its exit code, and the last line that it printed. */
  doctor(name: string): Promise<string>;
  /** From then on, `pawl` finds a profile for each of these roles, and nothing else that it may act as. */
  assume(roles: Roles): Promise<void>;
  /** The actions that were permitted to those who assumed a role, so far. */
  permittedTo(roleName: string): ReadonlySet<string>;
  /** Runs a command of `pawl`, as a user does. */
  pawl(args: readonly string[]): Promise<PawlRun>;
}

export interface PawlRun {
  readonly code: number;
  /** What it printed, on both streams. */
  readonly lines: readonly string[];
}

/** Installs and starts all of it. `cleanUp` gets what has to be stopped. */
export async function startWorld(
  options: DeployOptions & { readonly plan: DeployPlan; readonly say: (text: string) => void },
  cleanUp: AsyncDisposableStack,
): Promise<World> {
  const { plan, progress, say, onLine = () => undefined } = options;
  const python = await installEmulator(project, say);
  const folder = await scratchFolder(project, 'deploy-');
  cleanUp.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const ledger = createLedger();
  const events = createPawlEvents();
  // No bad day of DynamoDB: it changes requests on their way, and the emulator checks their signatures.
  const planned = { ...plan, orders: [...plan.orders, ...plan.incident] };
  const { faults, stats } = createFaults(planned, createDynamoDbFaults({ chance: () => false }));
  const dead = { hosts: 0, processes: 0 };
  let emulator: Emulator | undefined;
  const kill = (stack: StackName) => {
    dead.hosts += 1;
    dead.processes += emulator?.killFunctions(stack) ?? 0;
  };
  const fault = withHostFailures(plan.orders, faults.provider);
  let isCalm = false;
  const provider = {
    nextFault: withRefusals(plan.incident, (effect, orderId) => (isCalm ? undefined : fault(effect, orderId))),
    kill: () => kill('PawlOrders'),
  };
  /** The call names a table or a queue, and its name begins with the name of its stack. */
  const killCaller = (_: string, { body }: TapCall) => {
    const stack = stacks.find((name) => body.includes(`${name}-`));
    if (stack !== undefined) kill(stack);
  };
  const ses = cleanUp.adopt(await startSes(ledger, provider), (server) => server.stop());
  const cards = await startGiftCards(ledger, { lookupLagMs: 300, ...provider });
  const giftCards = cleanUp.adopt(cards, (server) => server.stop());
  const processor = cleanUp.adopt(await startProcessor(), (server) => server.stop());
  // What follows from payments has calm providers.
  const followed = { receipt: [] as string[], points: [] as string[] };
  const receipts = noting(mailRoutes(), (paymentId) => followed.receipt.push(paymentId));
  const points = noting(createAccounts().routes, (paymentId) => followed.points.push(paymentId));
  const mails = cleanUp.adopt(await startProvider(receipts), (server) => server.stop());
  const accounts = cleanUp.adopt(await startProvider(points), (server) => server.stop());
  const hooks = combineHooks(faults.store, faults.sqs);
  const started = await startEmulator({
    project: project,
    python,
    folder,
    async functionEnvironment(endpoint) {
      // What functions send to DynamoDB and SQS passes here, so that they can be killed in the middle of a claim or a posting.
      const tap = cleanUp.adopt(await startTap({ target: endpoint, hooks, kill: killCaller }), (server) =>
        server.stop(),
      );
      return {
        // Of all AWS services only SES is ours: the run has to know what really went out, and to make it fail.
        AWS_ENDPOINT_URL_SESV2: ses.endpoint,
        AWS_ENDPOINT_URL_DYNAMODB: tap.endpoint,
        AWS_ENDPOINT_URL_SQS: tap.endpoint,
      };
    },
    onLine(line) {
      events.read(line);
      onLine(line);
    },
  });
  emulator = cleanUp.adopt(started, (running) => running.stop());
  say(`${emulatorPackage.replace('==', ' ')} runs, with TLS, and with every permission checked`);
  let { environment } = started;
  const indented = (text: string) => progress.say(`          ${text}`);
  return {
    plan,
    account: cleanUp.adopt(createAccount(started.endpoint), (clients) => clients.destroy()),
    cdk: createCdk({
      emulator: started,
      project: project,
      stacks: stacks,
      folder,
      onLine(line) {
        const happened = resourceEvent(line);
        if (happened?.includes('_FAILED') === true) indented(happened);
        onLine(line);
      },
    }),
    context: (functionTimeoutSeconds) => ({
      functionTimeoutSeconds: String(functionTimeoutSeconds),
      giftCardApiUrl: giftCards.endpoint,
      mailsApiUrl: mails.endpoint,
      accountsApiUrl: accounts.endpoint,
      processorApiUrl: processor.endpoint,
      processorPublicKey: processor.publicKey.replaceAll('\n', String.raw`\n`),
    }),
    processor,
    certificate: started.certificate,
    ledger,
    followed,
    events,
    faultStats: stats,
    calm() {
      isCalm = true;
    },
    hostFailures: () => dead.hosts,
    killed: () => dead.processes,
    async doctor(name) {
      const { code, lines } = await runPawl(['doctor', name], started.environment, indented);
      return `${code}: ${lines.at(-1)}`;
    },
    async assume(roles) {
      environment = await writeProfiles(started, folder, roles);
    },
    permittedTo: started.permittedTo,
    pawl: (args) => runPawl(args, environment, onLine),
  };
}

/** Runs a command of pawl as an operator does. */
export async function runPawl(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  onLine: (line: string) => void,
): Promise<PawlRun> {
  const lines: string[] = [];
  const code = await run(process.execPath, [join(project, 'bin', 'pawl.ts'), ...args], {
    name: `pawl ${args[0]}`,
    cwd: project,
    timeoutMs: 120_000,
    expected: [0, 1, 2],
    env: { ...env, NO_COLOR: '1' },
    onLine(line) {
      lines.push(line);
      onLine(line);
    },
  });
  return { code, lines };
}
