import { expectOptions, type NamesOf, OptionError } from 'pawl/kernel';
import type { Stub } from '../engine/not-run.ts';
import type { App } from './app.ts';
import type { Counted } from './effects.ts';
import type { Expected } from './judge.ts';
import { defaultFaults, type Faults, faultNames } from './plan.ts';
import type { Provider } from './providers.ts';

/**
 * What the machine gave to a rehearsal.
 *
 * @example
 * const check = (_: App, { starved }: Given) => (starved.has('order-1') ? [] : ['order-1 was never tried']);
 */
export interface Given {
  /** The intents of which a function did not have its time, since the machine was busy: what became of them late shows nothing. */
  readonly starved: ReadonlySet<string>;
  /** Whether the machine was too slow to go on. What a check finds then does not count: what is missing was not waited for. */
  readonly isCutOff: boolean;
}

/**
 * What a rehearsal file says: which traffic an app gets, what stands for the outside, and which effects are to happen once.
 *
 * @example
 * const mail = mailer('orderId');
 * const options: RehearsalOptions = {
 *   providers: { MAILER_URL: mail },
 *   traffic: ({ queue }) => queue('Orders').send({ orderId: 'order-1' }, { intent: 'order-1' }),
 *   effects: { email: mail },
 *   faults: { kill: 0.5, duplicate: 0.2 },
 * };
 */
export interface RehearsalOptions {
  /**
   * The folder of the CDK app, which has its `cdk.json`; or the command that synthesizes it, with the folder in which it runs.
   * @default the nearest folder with a `cdk.json`, from the rehearsal file upwards
   */
  readonly app?: string | { readonly command: readonly [program: string, ...args: string[]]; readonly folder: string };
  /** The context to synthesize the app with, as `cdk deploy -c name=value` sets it. @default none */
  readonly context?: Readonly<Record<string, unknown>>;
  /** Environment variables of all functions, in place of the app's. @default those of the app */
  readonly environment?: Readonly<Record<string, string>>;
  /** What stands for a resource that a rehearsal does not run, by the end of its construct's path. @default nothing */
  readonly stubs?: Readonly<Record<string, Stub>>;
  /** Values of the parameters of the app's templates, as `cdk deploy --parameters name=value` sets them. @default those of the templates */
  readonly parameters?: Readonly<Record<string, string | number>>;
  /**
   * How much faster than a clock the schedules with a rate run: with 60, `rate(5 minutes)` runs every five seconds.
   * @default a schedule runs when `schedule(name).run` says so
   */
  readonly clockSpeed?: number;
  /** Environment variable of the functions → what stands for the outside at that address. @default none */
  readonly providers?: Readonly<Record<string, Provider>>;
  /** Sends the traffic. What it sends is waited for, also if its promises are not returned. If it waits itself before it sends, it returns that promise, or a list. */
  readonly traffic: (app: App) => unknown;
  /** Effect → how often it happened. @default each provider is an effect */
  readonly effects?: Readonly<Record<string, Counted>>;
  /** Effect → how often it is to happen for an intent. @default once for each intent that is sent with it */
  readonly expect?: Readonly<Record<string, (intent: string) => Expected>>;
  /**
   * What an operator does when all is quiet: decides parked claims, redrives dead letters. After each step the rehearsal waits again until all
   * is quiet, unless the step returns `false`. Its effects are counted at the very end.
   * @default nothing
   */
  readonly afterwards?: readonly ((app: App) => unknown)[];
  /**
   * Looks at what the app has made of it all. Each text that it returns is a finding, and fails the rehearsal. The second argument says what the machine
   * gave, for a check of what depends on time.
   * @default none
   */
  readonly check?: (app: App, given: Given) => readonly string[] | undefined | Promise<readonly string[] | undefined>;
  /** What goes wrong. What is not named does not happen. @default `defaultFaults` */
  readonly faults?: Faults;
  /** What the deployments of `faults.deploy` deploy, one after the other. @default the same code again */
  readonly deploys?: readonly Deployment[];
  /**
   * The longest timeout of a function, in seconds. Longer ones are shortened, and the visibility timeouts of their queues with them: each
   * kill costs one. `as-written` shortens nothing.
   * @default 6
   */
  readonly functionTimeoutSeconds?: number | 'as-written';
  /** How many sandboxes each function may have at once, if its template does not reserve fewer. @default 3 */
  readonly sandboxesPerFunction?: number;
  /** How long to wait for the queues after the traffic, and for traffic in which nothing happens, in seconds. @default 120 */
  readonly settleSeconds?: number;
}

/** Another version of the app's code. Environment variables stay as they are. */
export interface Deployment {
  /** The app of the new version. @default the same */
  readonly app?: RehearsalOptions['app'];
  /** The context that makes the new version. */
  readonly context?: Readonly<Record<string, unknown>>;
}

/** What `rehearsal` returns, for `npx pawl rehearse`. */
export interface Rehearsal {
  readonly kind: 'pawl.rehearsal';
  readonly options: RehearsalOptions;
}

const known: NamesOf<RehearsalOptions> = {
  app: true,
  context: true,
  environment: true,
  stubs: true,
  parameters: true,
  clockSpeed: true,
  providers: true,
  traffic: true,
  effects: true,
  expect: true,
  afterwards: true,
  check: true,
  faults: true,
  deploys: true,
  functionTimeoutSeconds: true,
  sandboxesPerFunction: true,
  settleSeconds: true,
};

const docs = 'docs/guides/rehearsal.md';

/**
 * Describes a rehearsal of a CDK app: `npx pawl rehearse` runs it on this machine, on real parts, under faults, and counts its effects.
 *
 * @throws OptionError if an option is unknown, missing or out of range
 * @example
 * const payments = httpProvider({ intent: ({ body }) => body.orderId });
 *
 * export default rehearsal({
 *   providers: { PAYMENTS_URL: payments },
 *   traffic: ({ queue }) =>
 *     times(300, (n) => queue('Orders').send({ orderId: `order-${n}` }, { intent: `order-${n}` })),
 *   effects: { charge: payments },
 * });
 */
export function rehearsal(options: RehearsalOptions): Rehearsal {
  expectOptions(options, { door: 'rehearsal', known, docs });
  const { traffic, faults = defaultFaults, effects, providers = {}, expect = {} } = options;
  if (typeof traffic !== 'function') throw new OptionError(`traffic: expected a function; got ${typeof traffic}`);
  expectOptions(faults, { door: 'rehearsal', within: 'faults', known: defaultFaults, docs });
  for (const name of faultNames) checkShare(name, faults[name]);
  checkSeconds('settleSeconds', options.settleSeconds);
  checkSpeed(options.clockSpeed);
  if (options.functionTimeoutSeconds !== 'as-written')
    checkSeconds('functionTimeoutSeconds', options.functionTimeoutSeconds);
  const names = Object.keys(effects ?? providers);
  if (names.length === 0) {
    throw new OptionError(
      'effects: expected at least one effect to count; got none. Name a provider, or a function that counts',
    );
  }
  checkSteps(options.afterwards);
  for (const name of Object.keys(expect)) {
    if (names.includes(name)) continue;
    throw new OptionError(`expect: there is no effect '${name.slice(0, 64)}'; there are ${names.join(', ')}`);
  }
  return { kind: 'pawl.rehearsal', options };
}

function checkShare(name: keyof Faults, value: number | undefined): void {
  if (value === undefined) return;
  const whole = name === 'deploy';
  const isGood = typeof value === 'number' && value >= 0 && (whole ? Number.isInteger(value) : value <= 1);
  if (isGood) return;
  throw new OptionError(
    `faults.${name}: expected ${whole ? 'a whole number from 0' : 'a share from 0 to 1'}; got ${value}`,
  );
}

function checkSteps(steps: RehearsalOptions['afterwards']): void {
  if (steps === undefined || (Array.isArray(steps) && steps.every((step) => typeof step === 'function'))) return;
  throw new OptionError(`afterwards: expected a list of functions; got ${typeof steps}`);
}

function checkSpeed(speed: number | undefined): void {
  if (speed === undefined || (typeof speed === 'number' && speed > 0 && Number.isFinite(speed))) return;
  throw new OptionError(`clockSpeed: expected a number above 0; got ${speed}`);
}

function checkSeconds(name: string, value: number | undefined): void {
  if (value === undefined || (typeof value === 'number' && value > 0 && Number.isFinite(value))) return;
  throw new OptionError(`${name}: expected a number of seconds above 0; got ${value}`);
}

/**
 * Calls a function for 1 to `count`, and returns what it returned.
 *
 * @example
 * const orderIds = times(3, (n) => `order-${n}`); // order-1, order-2, order-3
 */
export function times<Made>(count: number, make: (n: number) => Made): readonly Made[] {
  return Array.from({ length: count }, (_, index) => make(index + 1));
}
