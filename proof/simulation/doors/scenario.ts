import { drawHttpTroubles } from '../dynamodb/http-troubles.ts';
import { drawScenario as drawBase, drawFaults, type Policy, type Scenario } from '../scenario.ts';
import { createRandom, type Random } from '../world/random.ts';
import { drawSeams, type Seams } from './seams.ts';
import { drawSweep, type SweepPlan } from './sweep-plan.ts';

/** How work comes in. */
type Door = 'each-message' | 'once' | 'each-transaction' | 'sqs-once' | 'http' | 'http-once';

/**
 * What a handler is made of. `plain`: one effect that is not marked. `beside`: `claim.effect` beside other work. `steps`: parts with
 * checkpoints of their own. `phases`: `inPhases`. `commits`: `commitStep` and `commit`.
 */
type Shape = 'plain' | 'beside' | 'steps' | 'phases' | 'commits';

export type StepPolicy = 'retry' | 'park' | 'ask';

/** How a handler calls its steps. `unawaited`: it returns without them. `caught`: it goes on when one fails. */
type Arrangement = 'sequence' | 'parallel' | 'unawaited' | 'caught';

/** Everything that a seed decides before time begins. */
export interface DoorsScenario extends Scenario {
  readonly door: Door;
  readonly shape: Shape;
  readonly clientTimeoutMs: number;
  readonly arrangement: Arrangement;
  /** The policy of each step; of `phases`, the first is that of its remote call. */
  readonly steps: readonly StepPolicy[];
  /** Share of the runs in which the work beside the effect fails. */
  readonly auditFails: number;
  /** Whether what is thrown without saying anything may be `undefined`, `''` and the like. */
  readonly throwsFalsy: boolean;
  /** Whether a refused commit ends its claim, or has it come again. */
  readonly refusalIsFinal: boolean;
  /** How a batch handler treats its event. */
  readonly mangles: 'nothing' | 'sorts' | 'reverses' | 'splices';
  readonly operators: readonly OperatorPlan[];
  readonly clients: ClientPlan;
  readonly seams: Seams;
  readonly sweep: SweepPlan | undefined;
}

/** Who decides parked claims: a person, or a job. */
export interface OperatorPlan {
  readonly name: string;
  /** How far its clock is from ours, in milliseconds. */
  readonly clockMs: number;
  readonly visits: number;
  /** How long after it has looked it may decide, in milliseconds. */
  readonly dawdlesMs: number;
  /** Share of its decisions that say which fence they are about. One that dawdles always says so. */
  readonly namesFence: number;
  /** Looks at one step, and speaks of the claim. */
  readonly seesOneStep: boolean;
}

interface ClientPlan {
  /** How many clients send each request; they share its key. */
  readonly perRequest: number;
  /** After which a client gives up waiting, and sends again. */
  readonly patienceMs: number;
}

/** Circumstances that are worst together, and would seldom meet by chance. */
type Focus = 'late copies' | 'work beside' | 'hanging beats';

export function createDoorsScenario(seed: number): DoorsScenario {
  const scenario = createUnswept(seed);
  return { ...scenario, sweep: drawSweep(scenario) };
}

function createUnswept(seed: number): DoorsScenario {
  const random = createRandom(seed + 0x53_0000_0000);
  const chosen = drawScenario(seed);
  const scenario = { ...chosen, seams: drawSeams(chosen), http: drawHttpTroubles(seed), sweep: undefined };
  const focus = random.chance(0.4) && random.pick<Focus>(['late copies', 'work beside', 'hanging beats']);
  if (scenario.seams.answersEarlyMs !== undefined) return focusedOnEarlyAnswers(scenario);
  if (scenario.seams.isBulky) return focusedOnBulk(scenario);
  return focus && scenario.door !== 'sqs-once' && scenario.door !== 'each-transaction'
    ? focused(scenario, focus, random)
    : scenario;
}

/** All that is kept is as large as it may be, and the same is asked for once more. */
function focusedOnBulk(scenario: DoorsScenario): DoorsScenario {
  const { steps, traffic } = scenario;
  return {
    ...scenario,
    // No more than all checkpoints together may hold.
    steps: steps.slice(0, 2),
    recordsResult: true,
    traffic: { ...traffic, sentAgain: 0.6, forMs: 60_000 },
  };
}

/** Its effect has happened, its provider does not answer, and it waits for that: an early answer speaks for it. */
function focusedOnEarlyAnswers(scenario: DoorsScenario): DoorsScenario {
  const { door, faults, policy, handler } = scenario;
  return {
    ...scenario,
    ...(door !== 'sqs-once' && { shape: 'plain', policy: policy === 'retry' ? 'park' : policy, timeoutMs: 0 }),
    handler: { ...handler, usesSignal: false, patienceMs: undefined },
    faults: { ...faults, providerHangs: 0.1, providerHangsApplied: 0.25 },
  };
}

function focused(scenario: DoorsScenario, focus: Focus, { pick, between }: Random): DoorsScenario {
  const { faults, provider, marginMs, timeoutMs, functionTimeoutMs } = scenario;
  const slow = { ...scenario, provider: { ...provider, worksMs: pick([1200, 3000]) } };
  switch (focus) {
    case 'late copies':
      return {
        ...slow,
        shape: pick<Shape>(['steps', 'steps', 'commits', 'phases']),
        arrangement: pick<Arrangement>(['sequence', 'parallel']),
        policy: 'retry',
        timeoutMs: 0,
        // Its end is the invocation's from its first write on, and comes back with every beat.
        leaseMs: marginMs + functionTimeoutMs * pick([0.5, 1, 2]),
        faults: { ...faults, storeRequestLate: 0.25, killAtTime: 0.3, deliveredTwice: pick([0, 0.3]), storeOutage: 0 },
      };
    case 'work beside':
      return {
        ...slow,
        shape: 'beside',
        arrangement: pick<Arrangement>(['parallel', 'unawaited']),
        policy: pick<Policy>(['park', 'reconcile']),
        auditFails: 0.4,
        faults: { ...faults, providerFailsApplied: 0.25, storeOutage: 0 },
      };
    default:
      return {
        ...slow,
        shape: pick<Shape>(['steps', 'beside', 'plain']),
        leaseMs: marginMs + timeoutMs + Math.round(between(900, 3000)),
        clientTimeoutMs: Infinity,
        faults: { ...faults, storeRequestLost: 0.08, storeAnswerLost: 0.08, storeOutage: 0 },
      };
  }
}

function drawScenario(seed: number): Omit<DoorsScenario, 'seams' | 'sweep'> {
  const base = drawBase(seed + 0x1_0000_0000);
  const random = createRandom(seed + 0x52_0000_0000);
  const { pick, chance, below, between } = random;
  const faults = drawFaults(random);
  const door = pick<Door>([
    'each-message',
    'each-message',
    'each-message',
    'once',
    'once',
    'each-transaction',
    'sqs-once',
    'http',
    'http-once',
  ]);
  const shape = shapeOf();
  const hasSteps = shape === 'steps' || shape === 'phases' || shape === 'commits';
  // Steps are documented for 'retry', which lets the handler run again.
  const policy: Policy = hasSteps
    ? pick(['retry', 'retry', 'retry', 'park'])
    : pick(['retry', 'park', 'park', 'reconcile']);
  const timeoutMs = door === 'sqs-once' ? 0 : pick([0, 0, 0, 2500]);
  const { marginMs, functionTimeoutMs } = base;
  const overheadMs = marginMs + timeoutMs;
  // The last one ends with the invocation from its first write on: its end comes back with every beat.
  const leaseMs =
    door === 'sqs-once' || door === 'each-transaction' || chance(0.4)
      ? undefined
      : overheadMs + pick([1000, 3000, 6000, functionTimeoutMs]);
  const operators = Array.from({ length: below(3) }, (_, index): OperatorPlan => {
    const dawdles = chance(0.5);
    return {
      name: ['operator', 'sweep'][index] ?? 'operator',
      clockMs: Math.round(pick([0, between(-8000, 8000), between(-2000, 2000)])),
      visits: 1 + below(4),
      dawdlesMs: dawdles ? pick([500, 20_000, 200_000]) : 0,
      namesFence: dawdles ? 1 : 0.5,
      seesOneStep: chance(0.4),
    };
  });
  return {
    ...base,
    seed,
    faults,
    door,
    shape,
    policy: door === 'each-transaction' ? 'retry' : policy,
    adapter: door === 'sqs-once' ? 'sqs-once' : door === 'once' ? 'once' : 'each-message',
    timeoutMs,
    leaseMs,
    clientTimeoutMs: chance(0.6) ? 3000 : Infinity,
    remembersCompleted: chance(0.2),
    fifo: false,
    onInFlight: 'defer',
    arrangement: pick<Arrangement>(['sequence', 'sequence', 'parallel', 'parallel', 'unawaited', 'caught']),
    steps: Array.from({ length: shape === 'steps' ? 1 + below(3) : 2 }, () =>
      pick<StepPolicy>(['park', 'park', 'retry', 'ask']),
    ),
    auditFails: pick([0, 0.1, 0.4]),
    throwsFalsy: chance(0.3),
    // A client may be refused for as long as it likes to ask.
    refusalIsFinal: door === 'http' || door === 'http-once' || chance(0.5),
    mangles: pick(['nothing', 'sorts', 'reverses', 'splices']),
    operators,
    clients: { perRequest: 1 + below(2), patienceMs: pick([2000, 8000, 29_000]) },
    faultsEndMs: between(15_000, 120_000),
    traffic: {
      ...base.traffic,
      keys: 1 + below(4),
      otherPayload: pick([0, 0, 0.2]),
      unusable: 0,
      refused: pick([0, 0, 0.2]),
      poison: pick([0, 0, 0, 0.2]),
      keyIn: 'body',
    },
  };

  function shapeOf(): Shape {
    if (door === 'each-transaction') return 'commits';
    if (door === 'sqs-once') return 'plain';
    return pick<Shape>(['steps', 'steps', 'steps', 'phases', 'commits', 'commits', 'beside', 'beside', 'plain']);
  }
}
