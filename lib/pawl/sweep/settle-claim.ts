import type { Engine } from '../engine/engine.ts';
import { emit } from '../engine/engine.ts';
import { factsOf } from '../engine/events.ts';
import type { Reconcile } from '../engine/reconcile.ts';
import { recordOutcome } from '../engine/record-outcome.ts';
import type { Recorded } from '../engine/run-result.ts';
import { ask, settleDoubt } from '../engine/settle-doubt.ts';
import { recordedError } from '../kernel/recorded-error.ts';
import { answeredBy } from '../kernel/request.ts';
import { kept, stepsInDoubt } from '../rules/checkpoints.ts';
import { afterVerdict, unsettledFor } from '../rules/doubt.ts';
import type { Grant } from '../rules/grant.ts';
import { identityOf, stepEffectKey } from '../rules/identity.ts';
import { type ClaimRecord, type StepResolution, understood } from '../rules/record.ts';
import { type LeftAlone, type RepairRules, repair } from '../rules/repair.ts';
import type { SweptClaim } from './report.ts';

/** What the claims of one operation are settled with. */
export interface Settler {
  readonly engine: Engine<undefined>;
  readonly rules: RepairRules;
  /** How long a claim is held for its question, in milliseconds. */
  readonly leaseMs: number;
}

const notApplied = { name: 'NotApplied', message: 'the provider says that nothing was applied' };

/**
 * Settles one claim that is in doubt: grants it anew, so that its earlier worker is fenced off; asks its provider; and records what that says.
 * The index may lag behind, so the record decides.
 *
 * @throws the store's error
 */
export async function settleClaim(settler: Settler, id: string): Promise<SweptClaim> {
  const { engine, rules, leaseMs } = settler;
  const { host, store } = engine.settings;
  const claimId = host.randomId();
  const until = host.now() + leaseMs;
  let found = understood(await answeredBy(host, until, store.read(id)));
  for (;;) {
    const begun = repair(found, { claimId, leaseUntil: host.now() + leaseMs }, rules, host.now());
    if (begun.kind === 'leave') return leftAs[begun.why];
    const { write, record } = begun;
    const written = write && (await answeredBy(host, until, store.write(write)));
    if (written?.applied === false) {
      found = understood(written.found);
      continue;
    }
    const identity = identityOf(id, host);
    if (begun.kind === 'park') {
      emit(engine, identity, { type: 'parked', ...factsOf(record) });
      return 'parked';
    }
    emit(engine, identity, { type: begun.takesOver ? 'taken-over' : 'granted', ...factsOf(record) });
    return settleGranted(engine, { identity, record, deadline: record.leaseUntil });
  }
}

const leftAs = {
  settled: 'settledMeanwhile',
  held: 'held',
  parked: 'alreadyParked',
  'too-early': 'tooEarly',
} as const satisfies Record<LeftAlone, SweptClaim>;

async function settleGranted(engine: Engine<undefined>, grant: Grant): Promise<SweptClaim> {
  const { record } = grant;
  const { provider } = engine.settings;
  if (provider !== undefined && stepsInDoubt(record).length > 0) return settleSteps(engine, grant, provider);
  const settled = await settleDoubt(engine, grant, undefined);
  if (settled === undefined) {
    return sweptAs(
      await recordOutcome(engine, grant, { status: 'released', error: notApplied, doubtEnded: true }),
      'notApplied',
    );
  }
  return sweptAs(settled.recorded, settled.kind === 'reconciled' ? 'applied' : 'inconclusive');
}

/** What was recorded decides: an outcome that was refused, or may not have arrived, is looked at by a later run. */
function sweptAs(recorded: Recorded, as: SweptClaim): SweptClaim {
  if (recorded === 'stale' || recorded === 'lost') return 'failed';
  return recorded === 'parked' ? 'parked' : as;
}

/** Asks about each step in doubt. The claim is released when that is all that was in doubt: its handler goes on from there, if it is called again. */
async function settleSteps(
  engine: Engine<undefined>,
  grant: Grant,
  provider: Reconcile<undefined>,
): Promise<SweptClaim> {
  const { record, identity } = grant;
  const said = new Map<string, StepResolution>();
  let thrown: unknown;
  let tooOften = false;
  let inconclusive = false;
  const inDoubt = stepsInDoubt(record);
  for (const { name, at } of inDoubt) {
    const one = await askOfStep(engine, grant, record, name, at);
    if (one.said !== undefined) {
      said.set(name, one.said);
      continue;
    }
    thrown = one.thrown;
    inconclusive ||= one.inconclusive;
    tooOften ||= one.tooOften;
  }
  if (said.size === inDoubt.length) {
    const error = {
      name: 'StepsDecided',
      message: 'the provider has said of each step in doubt whether it was applied',
    };
    const allApplied = Array.from(said.values()).every((one) => one !== 'not-applied');
    return sweptAs(
      await recordOutcome(engine, grant, { status: 'released', error, doubtEnded: true, steps: said }),
      allApplied ? 'applied' : 'notApplied',
    );
  }
  const error = recordedError(thrown);
  const outcome = tooOften
    ? ({ status: 'parked', error } as const)
    : ({ status: 'released', error, inconclusive, steps: said } as const);
  return sweptAs(await recordOutcome(engine, grant, outcome), 'inconclusive');

  async function askOfStep(
    { settings }: Engine<undefined>,
    of: Grant,
    { unknownAt = 0, abandoned }: ClaimRecord,
    step: string,
    at: number,
  ) {
    const { host } = settings;
    const unknown = { unknownAt: Math.max(unknownAt, at), abandoned };
    const effectKey = stepEffectKey(identity.effectKey, step, host);
    const about = { step, effectKey, inDoubtSince: unknown.unknownAt };
    const asked = await ask(engine, of, provider, undefined, about);
    const after = afterVerdict(asked.verdict, unknown, settings, recordedError(asked.thrown), asked.at);
    const settled = unsettledFor(unknown, settings, asked.at) === 0;
    emit(engine, identity, { type: 'reconciled', verdict: asked.verdict, settled });
    const nothing = { said: undefined, thrown: asked.thrown, inconclusive: false, tooOften: false };
    if (after.kind === 'run') return { ...nothing, said: 'not-applied' } as const;
    if (after.kind === 'applied') {
      const { omitted } = kept(asked.result, settings.maxResultBytes);
      if (omitted === undefined) return { ...nothing, said: { verdict: 'applied', result: asked.result } } as const;
      return { ...nothing, thrown: `the result of step ${step} cannot be kept: it is ${omitted}`, inconclusive: true };
    }
    const { outcome } = after;
    const isInconclusive = outcome.status === 'released' && outcome.inconclusive === true;
    return { ...nothing, inconclusive: isInconclusive, tooOften: outcome.status === 'parked' };
  }
}
