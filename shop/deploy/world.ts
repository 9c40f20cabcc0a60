import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createDynamoDbFaults } from '../../lib/rehearsal/dynamodb-faults.ts';
import { type Account, createAccount } from '../../lib/rehearsal/emulator/account.ts';
import { type Cdk, createCdk, resourceEvent } from '../../lib/rehearsal/emulator/cdk.ts';
import { type Emulator, startEmulator } from '../../lib/rehearsal/emulator/emulator.ts';
import { EMULATOR, installEmulator } from '../../lib/rehearsal/emulator/install.ts';
import { run } from '../../lib/rehearsal/emulator/process.ts';
import { createPawlEvents, type PawlEvents } from '../../lib/rehearsal/pawl/events.ts';
import type { Progress } from '../../lib/rehearsal/progress.ts';
import { createRandom } from '../../lib/rehearsal/random.ts';
import { scratchFolder } from '../../lib/rehearsal/scratch.ts';
import { PROJECT } from '../app/project.ts';
import { createFaults, type FaultStats } from '../faults/faults.ts';
import type { PlannedOrder } from '../plan/plan.ts';
import { startGiftCards } from '../providers/gift-cards.ts';
import { createLedger, type Ledger } from '../providers/ledger.ts';
import { startSes } from '../providers/ses.ts';
import { withHostFailures } from './host-failures.ts';

export interface DeployOptions {
  readonly orders: number;
  readonly seed: number;
  readonly progress: Progress;
  /** Gets every line that the CDK, the emulator and the functions print. */
  readonly onLine?: (line: string) => void;
}

/** The stack that is deployed. */
export const STACK = 'PawlOrders';

/** What a deployment happens in: an account of the emulator, and the providers that the stack's functions call. */
export interface World {
  readonly account: Account;
  readonly cdk: Cdk;
  readonly giftCardApiUrl: string;
  /** What the providers really did. */
  readonly ledger: Ledger;
  readonly events: PawlEvents;
  faultStats(): FaultStats;
  /** How many processes of functions were killed. */
  killed(): number;
  /** Runs `pawl doctor`, as a user does. Returns its exit code, and the last line that it printed. */
  doctor(name: string): Promise<string>;
}

/** Installs and starts all of it. `cleanUp` gets what has to be stopped. */
export async function startWorld(
  options: DeployOptions & { readonly plan: readonly PlannedOrder[]; readonly say: (text: string) => void },
  cleanUp: AsyncDisposableStack,
): Promise<World> {
  const { plan, progress, say, onLine = () => undefined } = options;
  const python = await installEmulator(PROJECT, say);
  const folder = await scratchFolder(PROJECT, 'deploy-');
  cleanUp.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const ledger = createLedger();
  const events = createPawlEvents();
  const { faults, stats } = createFaults({ orders: plan }, createDynamoDbFaults(createRandom(options.seed)));
  let killed = 0;
  let emulator: Emulator | undefined;
  const provider = {
    nextFault: withHostFailures(plan, faults.provider),
    kill: () => {
      killed += emulator?.killFunctions() ?? 0;
    },
  };
  const ses = cleanUp.adopt(await startSes(ledger, provider), (server) => server.stop());
  const cards = await startGiftCards(ledger, { lookupLagMs: 300, ...provider });
  const giftCards = cleanUp.adopt(cards, (server) => server.stop());
  const started = await startEmulator({
    project: PROJECT,
    python,
    folder,
    // Of all AWS services only SES is ours: the run has to know what really went out, and to make it fail.
    functionEnvironment: { AWS_ENDPOINT_URL_SESV2: ses.endpoint },
    onLine(line) {
      events.read(line);
      onLine(line);
    },
  });
  emulator = cleanUp.adopt(started, (running) => running.stop());
  say(`${EMULATOR.replace('==', ' ')} runs, with TLS, and with every permission checked`);
  const indented = (text: string) => progress.say(`          ${text}`);
  return {
    account: cleanUp.adopt(createAccount(started.endpoint), (clients) => clients.destroy()),
    cdk: createCdk({
      emulator: started,
      project: PROJECT,
      stack: STACK,
      folder,
      onLine(line) {
        const happened = resourceEvent(line);
        if (happened !== undefined) indented(happened);
        onLine(line);
      },
    }),
    giftCardApiUrl: giftCards.endpoint,
    ledger,
    events,
    faultStats: stats,
    killed: () => killed,
    doctor: (name) => runDoctor(started, name, indented),
  };
}

async function runDoctor(emulator: Emulator, name: string, onLine: (line: string) => void): Promise<string> {
  let last = '';
  const code = await run(process.execPath, [join(PROJECT, 'bin', 'pawl.ts'), 'doctor', name], {
    name: 'pawl doctor',
    cwd: PROJECT,
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
