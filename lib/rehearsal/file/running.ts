import type { Assembly, CdkApp } from '../engine/app/synthesize.ts';
import type { FunctionsOptions } from '../engine/lambda/functions.ts';
import type { Machine } from '../engine/machine.ts';
import type { Rehearsal as Engine, Poller } from '../rehearsal.ts';
import type { ProvisionedTable } from '../services/dynamodb/create-tables.ts';
import type { StreamConsumer } from '../services/streams/consumers.ts';
import type { CarriedOut } from './carry-out.ts';
import type { RehearsalOptions } from './define.ts';
import type { Failing } from './failing.ts';
import type { Intents } from './intents.ts';
import type { Journal } from './journal.ts';
import type { OwnFaults } from './own-faults.ts';
import type { Plan } from './plan.ts';
import type { RehearsalResult } from './result.ts';
import type { ServedProvider } from './serve-provider.ts';
import type { Shortened } from './shorten.ts';
import type { Traffic } from './traffic.ts';

/** An app, and the context of its own `cdk.json`. */
type RehearsedApp = CdkApp & { readonly context?: Readonly<Record<string, unknown>> };

/** How a rehearsal is run. */
export interface RunOptions {
  readonly seed: number;
  /** The app, as it was found. */
  readonly app: RehearsedApp;
  /** Finds the app of a deployment that names one. */
  readonly appOf?: (app: RehearsalOptions['app']) => Promise<RehearsedApp>;
  /** Only the consumer at this construct. */
  readonly filter?: string | undefined;
  /** An intent whose story is told, whatever became of it. */
  readonly story?: string | undefined;
  /** A DynamoDB Local that runs already, and goes on afterwards. */
  readonly dynamoDb?: { readonly endpoint: string } | undefined;
  /** Says how much time the machine gave. @default what this machine says */
  readonly machine?: Machine;
  /** Ends the run: it rejects with the reason. */
  readonly signal?: AbortSignal | undefined;
  /** What goes wrong by rules of the caller's, besides what is drawn from the seed. @default nothing */
  readonly faults?: OwnFaults;
  /** The folder of another bundle for a function; `undefined` if it keeps its own. @default each keeps its own */
  readonly bundleFor?: NonNullable<FunctionsOptions['bundleFor']>;
  /** Another version of the functions, which runs beside this one. @default none */
  readonly other?: NonNullable<FunctionsOptions['other']>;
  readonly onStarting?: (what: string) => void;
  /** Called when everything is up, before anything is sent. */
  readonly onUp?: (running: Running) => unknown;
  /** Called with the result while everything is still up, which ends after it. */
  readonly onResult?: (result: RehearsalResult) => unknown;
  readonly onLook?: (state: Look) => void;
  readonly onLog?: (line: string, sandbox: string) => void;
}

/** Where a run is. */
export interface Look {
  readonly seconds: number;
  /** How many intents have each effect that a provider counts. */
  readonly done: ReadonlyMap<string, number>;
  readonly killed: number;
  readonly left: number;
  readonly isWaiting: boolean;
  /** The functions that keep failing, with the queues whose messages wait for them. */
  readonly failing: readonly Failing[];
}

/** A run, once everything is up. */
export interface Running {
  readonly options: RehearsalOptions;
  readonly run: RunOptions;
  readonly plan: Plan;
  readonly intents: Intents;
  readonly journal: Journal;
  readonly providers: readonly ServedProvider[];
  readonly engine: Engine;
  readonly traffic: Traffic;
  readonly carried: CarriedOut;
  readonly shortened: readonly Shortened[];
  /** The constructs whose timeouts stay as they are, since a rehearsal does not know what their templates say. */
  readonly unread: readonly string[];
  /** The versions that are deployed in mid-traffic. */
  readonly versions: readonly Assembly[];
  /** When it was called, in epoch milliseconds. */
  readonly begunAt: number;
}

export function tablesOf(engine: Engine | undefined): readonly ProvisionedTable[] {
  return engine?.stacks.flatMap(({ tables }) => tables) ?? [];
}

export function consumersOf({ stacks }: Engine): readonly Poller[] {
  return stacks.flatMap(({ consumers }) => consumers);
}

export function streamConsumersOf({ stacks }: Engine): readonly StreamConsumer[] {
  return stacks.flatMap(({ streamConsumers }) => streamConsumers);
}
