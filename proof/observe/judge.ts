import {
  type AppName,
  type Circumstance,
  circumstances,
  isSentTwice,
  namedIn,
  nameOf,
  type PlannedOrder,
} from './plan.ts';

/*
 * What must be true of an app that is observed, with its table, without it, and when it is taken away.
 *
 * 1. An order whose sandbox handles no other one comes to what its plan says, and to the same in every circumstance as without pawl: its effects, how each of its
 *    deliveries ended (an acknowledgement, a failure, a kill), what its client was told, and whether it is a dead letter.
 * 2. Where chance decides (a batch in which one message kills the others, a kill at a request for the table, which there is not without pawl), no order
 *    is lost, and there are no more effects than the kills explain.
 * 3. No queue holds a message in the end. In a message group, first effects are in the order in which they were sent.
 * 4. What the report calls certain has happened at the provider: so many times, by its key. What happened there more than once is certain or perhaps in the
 *    report, or was reported as unseen, or its sandbox was killed.
 * 5. With a healthy table nothing is unseen but what a sandbox was killed at, or what the machine gave its function less time for.
 *
 * An order of which the machine did not give a function its time is left out in all circumstances, and counted.
 */

/** How an invocation ended for an order: acknowledged, brought back, or cut off. */
export type End = 'done' | 'failed' | 'killed';

/** What happened to an order in a circumstance. */
export interface Happened {
  readonly effects: number;
  /** How the invocations ended that had it. */
  readonly ends: readonly End[];
  readonly responses: readonly string[];
  readonly deadLetters: number;
  /** pawl has reported a run of it as not written. */
  readonly isUnseen: boolean;
  /** A function did not have its time. */
  readonly isStarved: boolean;
  /** A function had a good part less of it. */
  readonly isSlowed: boolean;
}

/** What the operator's report says, by the name of the order. */
export type Reported = ReadonlyMap<string, { readonly certain: number; readonly perhaps: number }>;

export interface Evidence {
  readonly of: (intent: string) => Happened;
  /** The orders of a message group, as they had their effects first. */
  readonly orderOf: (circumstance: Circumstance, app: AppName, seed: number, group: string) => readonly number[];
  readonly reports: Reported;
  /** How many messages are on queues in the end. */
  readonly left: number;
  readonly kills: number;
}

/** The name of the order in the id of a record, which is `app#order`. */
export function reportedKey(id: string): string {
  const [named] = namedIn(id);
  return named === undefined ? id : nameOf(named);
}

export interface Figures {
  /** Orders that came to the same in all four circumstances. */
  same: number;
  /** Orders that were compared by what chance may decide. */
  byProperty: number;
  /** Orders that the machine gave no time to. */
  leftOut: number;
  effects: number;
  doubled: number;
  certain: number;
  perhaps: number;
  unseen: number;
  /** With a healthy table: what was unseen at kills, and what was unseen because the machine took time. */
  unseenAtKills: number;
  unseenSlowed: number;
  kills: number;
}

export interface Judged {
  readonly problems: readonly string[];
  readonly figures: Figures;
}

export interface JudgeOptions {
  readonly apps: readonly AppName[];
  readonly seeds: readonly number[];
  readonly planOf: (app: AppName, seed: number) => readonly PlannedOrder[];
  readonly batchSize: number;
  /** Whether a kill strikes other messages as well. */
  readonly killsStrikeOthers: (seed: number) => boolean;
}

export function judge(evidence: Evidence, options: JudgeOptions): Judged {
  const problems: string[] = [];
  const figures: Figures = {
    ...{ same: 0, byProperty: 0, leftOut: 0, effects: 0, doubled: 0, certain: 0, perhaps: 0 },
    ...{ unseen: 0, unseenAtKills: 0, unseenSlowed: 0, kills: evidence.kills },
  };
  if (evidence.left > 0) problems.push(`${evidence.left} messages are on queues in the end`);
  for (const seed of options.seeds) {
    for (const app of options.apps) {
      const orders = options.planOf(app, seed);
      const isLoose = options.killsStrikeOthers(seed) && app !== 'plain' && app !== 'http';
      for (const planned of orders) judgeOrder({ evidence, app, seed, planned, isLoose, options, problems, figures });
      if (isLoose) judgeExtra({ evidence, app, seed, orders, problems });
      if (app === 'each') judgeGroups({ evidence, app, seed, orders, problems });
    }
  }
  return { problems, figures };
}

interface Of {
  readonly evidence: Evidence;
  readonly app: AppName;
  readonly seed: number;
  readonly problems: string[];
}

function judgeOrder({
  evidence,
  app,
  seed,
  planned,
  isLoose,
  options,
  problems,
  figures,
}: Of & {
  readonly planned: PlannedOrder;
  readonly isLoose: boolean;
  readonly options: JudgeOptions;
  readonly figures: Figures;
}): void {
  const { n, trouble } = planned;
  const all = circumstances.map((circumstance) => {
    const name = nameOf({ circumstance, app, seed, n });
    return { circumstance, name, happened: evidence.of(name) };
  });
  if (all.some(({ happened }) => happened.isStarved)) {
    figures.leftOut += 1;
    return;
  }
  const without = all[0]?.happened as Happened;
  const hasMates = app === 'each' && options.batchSize > 1;
  const isExact = !isLoose && planned.effects !== undefined;
  if (isExact) figures.same += 1;
  else figures.byProperty += 1;
  for (const { circumstance, name, happened } of all) {
    figures.effects += happened.effects;
    if (isExact) {
      if (happened.effects !== planned.effects)
        problems.push(`${name} (${trouble}) has ${happened.effects} effects, and by its plan ${planned.effects}`);
      const [came, plain] = [happened, without].map((one) => textOf(one, hasMates)) as [string, string];
      if (came !== plain) problems.push(`${name} (${trouble}) came to ${came}, and without pawl to ${plain}`);
    } else {
      // A killed worker may or may not have had its effect, and the message comes again.
      if (happened.effects === 0 && trouble !== 'poison') problems.push(`${name} (${trouble}) has no effect`);
      if (!isLoose && happened.effects > 2) problems.push(`${name} (${trouble}) has ${happened.effects} effects`);
      if (happened.deadLetters > 0 !== (trouble === 'poison')) problems.push(`${name} (${trouble}) is a dead letter`);
    }
    if (circumstance === 'without') continue;
    const copiesAtOnce = isLoose && isSentTwice(trouble) ? 2 : 1;
    judgeReport({ circumstance, name, happened, copiesAtOnce, evidence, problems, figures });
  }
}

/** Behind the first failure of its group, a message comes back as often as it was received with it: of batches, that is chance. */
function textOf({ effects, ends, responses, deadLetters }: Happened, hasMates: boolean): string {
  return JSON.stringify({ effects, responses, deadLetters, ...(hasMates ? {} : { ends }) });
}

function killsOf({ ends }: Happened): number {
  return ends.filter((end) => end === 'killed').length;
}

function judgeReport({
  circumstance,
  name,
  happened,
  copiesAtOnce,
  evidence,
  problems,
  figures,
}: Pick<Of, 'evidence' | 'problems'> & {
  readonly circumstance: Circumstance;
  readonly name: string;
  readonly happened: Happened;
  /** How many copies of it one sandbox may have had at work. */
  readonly copiesAtOnce: number;
  readonly figures: Figures;
}): void {
  const { certain = 0, perhaps = 0 } = evidence.reports.get(name) ?? {};
  const again = Math.max(0, happened.effects - 1);
  const { isUnseen } = happened;
  const kills = killsOf(happened);
  figures.doubled += again > 0 ? 1 : 0;
  figures.certain += certain > 0 ? 1 : 0;
  figures.perhaps += perhaps > 0 ? 1 : 0;
  figures.unseen += isUnseen ? 1 : 0;
  if (certain > again)
    problems.push(`${name} has happened ${again} times again, and the report calls ${certain} certain`);
  if (again > certain + perhaps && !isUnseen && kills === 0)
    problems.push(
      `${name} has happened ${again} times again, of which the report and the events have ${certain + perhaps}`,
    );
  if (circumstance !== 'healthy') return;
  if (isUnseen) figures[kills > 0 ? 'unseenAtKills' : 'unseenSlowed'] += 1;
  if (isUnseen && kills === 0 && !happened.isSlowed)
    problems.push(`${name} is unseen, with a healthy table and without a kill`);
  // A killed sandbox leaves its own runs unwritten, and no other one.
  if (again > certain + perhaps + kills * copiesAtOnce)
    problems.push(`${name} has happened ${again} times again, and a healthy table has ${certain} + ${perhaps} of it`);
}

/** Where a kill strikes a whole batch: no more effects than without kills, but those that the killed batches may have had. */
function judgeExtra({ evidence, app, seed, orders, problems }: Of & { readonly orders: readonly PlannedOrder[] }) {
  for (const circumstance of circumstances) {
    for (const { n, effects, trouble } of orders) {
      const name = nameOf({ circumstance, app, seed, n });
      const happened = evidence.of(name);
      if (happened.isStarved) continue;
      const killed = killsOf(happened);
      // Both copies of an order may be in the batch.
      const copies = isSentTwice(trouble) ? 2 : 1;
      const most = (trouble.startsWith('killed') ? 1 : (effects ?? 1)) + killed * copies;
      if (happened.effects > most)
        problems.push(`${name} (${trouble}) has ${happened.effects} effects, with ${killed} kills`);
    }
  }
}

function judgeGroups({ evidence, app, seed, orders, problems }: Of & { readonly orders: readonly PlannedOrder[] }) {
  for (const group of new Set(orders.map((one) => one.group))) {
    const sent = orders.filter((one) => one.group === group).map(({ n }) => n);
    for (const circumstance of circumstances) {
      const isStarved = sent.some((n) => evidence.of(nameOf({ circumstance, app, seed, n })).isStarved);
      const had = evidence.orderOf(circumstance, app, seed, group);
      if (!isStarved && had.join() !== sent.join())
        problems.push(
          `${circumstance}-${app}-${seed}: the group ${group} was sent as ${sent}, and had its effects as ${had}`,
        );
    }
  }
}
