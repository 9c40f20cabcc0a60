import type { Claim } from '../engine/claim.ts';
import { type ClaimEvent, reportTheUnusual } from '../engine/events.ts';
import type { Lease } from '../engine/lease.ts';
import { type OnceFunction, once } from '../engine/once.ts';
import type { Policy } from '../engine/policy.ts';
import { nodeHost } from '../host.ts';
import { expect, expectFunction, expectWhole } from '../kernel/check.ts';
import type { Host } from '../kernel/host.ts';
import { expectOptions } from '../kernel/take-options.ts';
import type { NamesOf } from '../kernel/unknown-option.ts';
import { expectOperation } from '../rules/identity.ts';
import type { KeepsNotes } from '../rules/notes.ts';
import type { RemedyAmounts, RemedyLimits } from '../rules/reservations.ts';
import type { ClaimStore } from '../rules/store.ts';
import { type Finding, type FindingKind, findingKinds } from './finding.ts';
import { docs, withNotes } from './options.ts';
import { remedyKey } from './remedy-key.ts';

/**
 * What answers a finding of one kind: an effect, under a claim of its own.
 *
 * @example
 * declare const refund: (transaction: string, options: { idempotencyKey: string }) => Promise<{ id: string }>;
 *
 * const twice: Remedy = {
 *   operation: 'refund',
 *   onAbandoned: 'retry',
 *   amountOf: ({ line }) => Number(line?.facts?.['amountCents']),
 *   run: ({ line }, claim) => refund(String(line?.id), { idempotencyKey: claim.effectKey }),
 * };
 */
export interface Remedy {
  /** What it does, such as `refund`: the namespace of its claims. Another one than that of the findings. */
  readonly operation: string;
  /**
   * What becomes of a remedy in doubt: its worker died, or it threw an error that does not say whether the effect was applied. There is no default, as for
   * every claim: `'retry'`, `'park'`, or `reconcile({ ask, settleMs })`.
   */
  readonly onAbandoned: Policy<Finding>;
  /** What the remedy costs, as a whole number in the smallest unit of the currency, 0 or more. For one finding always the same. */
  readonly amountOf: (finding: Finding) => number;
  /** Applies the effect. `claim.effectKey` is for the provider, as in every handler. */
  readonly run: (finding: Finding, claim: Claim) => unknown;
  /**
   * `'required'`: a second person approves each remedy before it runs. Needs `identity`.
   * @default no approval
   */
  readonly approval?: 'required' | undefined;
}

/**
 * The options of `settleFindings`.
 *
 * @example
 * declare const twice: Remedy;
 *
 * const options: SettleFindingsOptions = {
 *   store,
 *   operation: 'charge',
 *   remedies: { twice },
 *   limits: { perRun: { count: 50, amount: 100_000 }, perDay: { count: 200, amount: 250_000 } },
 * };
 */
export interface SettleFindingsOptions {
  /** The store of the consumers and of the findings. It must keep notes. */
  readonly store: ClaimStore & Partial<KeepsNotes>;
  /** The operation whose findings are settled. */
  readonly operation: string;
  /** What answers a finding, by its kind. Findings of other kinds stay. */
  readonly remedies: Readonly<Partial<Record<Exclude<FindingKind, 'undecided'>, Remedy>>>;
  /** Up to where remedies go, in number and in money, in one run and in one day of UTC. There is no default. The limits of a day count the remedies of all runs. */
  readonly limits: RemedyLimits;
  /**
   * Returns who calls, as AWS knows the caller: the `Arn` of `GetCallerIdentity`. Remedies with `approval: 'required'` need it.
   * @default none: what needs an approval is not asked for
   */
  readonly identity?: (() => Promise<string>) | undefined;
  /**
   * How long the claim of a remedy is exclusive: `renewedLease(10_000)`.
   * @default that of `once`
   */
  readonly lease?: Lease | undefined;
  /**
   * Hears of each finding that is settled, of a limit that stops a run, and of the claims of the remedies. What it throws is ignored.
   * @default what is out of the ordinary goes to `console.warn`, as one line of JSON
   */
  readonly onEvent?: (event: ClaimEvent) => void;
  /**
   * The clock, the random source and the timers. Only simulations set it.
   * @default those of Node
   */
  readonly host?: Host;
}

const known = {
  store: true,
  operation: true,
  remedies: true,
  limits: true,
  identity: true,
  lease: true,
  onEvent: true,
  host: true,
} as const satisfies NamesOf<SettleFindingsOptions>;
const knownOfRemedy = {
  operation: true,
  onAbandoned: true,
  amountOf: true,
  run: true,
  approval: true,
} as const satisfies NamesOf<Remedy>;
const knownOfLimits = { perRun: true, perDay: true } as const satisfies NamesOf<RemedyLimits>;
const knownOfAmounts = { count: true, amount: true } as const satisfies NamesOf<RemedyAmounts>;

/** A remedy as a run uses it. */
export interface SettledRemedy {
  readonly operation: string;
  readonly needsApproval: boolean;
  /** `undefined`, unless it is a whole number, 0 or more. */
  readonly amountOf: (finding: Finding) => number | undefined;
  readonly call: OnceFunction<Finding, unknown>;
  /** Whether a call with this very finding has run the author's function. */
  readonly hasRun: (finding: Finding) => boolean;
}

/** The options, checked and with their defaults. */
export interface RemedySettings {
  readonly store: ClaimStore & KeepsNotes;
  readonly operation: string;
  readonly host: Host;
  readonly limits: RemedyLimits;
  readonly identity: (() => Promise<string>) | undefined;
  readonly onEvent: (event: ClaimEvent) => void;
  readonly remedyFor: (kind: FindingKind) => SettledRemedy | undefined;
}

/** @throws OptionError */
export function remedySettings(options: SettleFindingsOptions): RemedySettings {
  const door = 'settleFindings';
  expectOptions(options, { door, known, docs });
  const {
    store: given,
    operation,
    remedies,
    limits,
    identity,
    lease,
    onEvent = reportTheUnusual,
    host = nodeHost,
  } = options;
  const store = withNotes(given);
  expectOperation(operation);
  expectFunction('onEvent', 'a function', onEvent, 'wrong-handler');
  if (identity !== undefined) expectFunction('identity', 'a function that returns the ARN of its caller', identity);
  expectOptions(limits, { door, within: 'limits', known: knownOfLimits, docs });
  for (const [name, each] of [
    ['perRun', limits.perRun],
    ['perDay', limits.perDay],
  ] as const) {
    expectOptions(each, { door, within: `limits.${name}`, known: knownOfAmounts, docs });
    expectWhole(`limits.${name}.count`, each.count);
    expectWhole(`limits.${name}.amount`, each.amount);
  }
  const settled = new Map<FindingKind, SettledRemedy>();
  expect(
    typeof remedies === 'object' && remedies !== null,
    'remedies',
    'remedies by the kind of a finding, such as { twice: { … } }',
    remedies,
  );
  for (const [name, remedy] of Object.entries(remedies)) {
    const kind = findingKinds.find((one) => one === name && one !== 'undecided');
    expect(
      kind !== undefined,
      'remedies',
      `kinds of findings: ${findingKinds.filter((one) => one !== 'undecided').join(', ')}`,
      name,
    );
    if (kind !== undefined && remedy !== undefined) settled.set(kind, checked(kind, remedy));
  }
  return { store, operation, host, limits, identity, onEvent, remedyFor: (kind) => settled.get(kind) };

  function checked(kind: FindingKind, remedy: Remedy): SettledRemedy {
    const within = `remedies.${kind}`;
    expectOptions(remedy, { door, within, known: knownOfRemedy, docs });
    const { operation: own, onAbandoned, amountOf, run, approval } = remedy;
    expect(
      own !== operation,
      `${within}.operation`,
      `another operation than '${operation}', whose claims are those of the findings`,
      own,
    );
    expectFunction(`${within}.amountOf`, 'a function from a finding to a whole number', amountOf);
    expectFunction(`${within}.run`, 'a function that applies the effect', run, 'wrong-handler');
    expect(approval === undefined || approval === 'required', `${within}.approval`, "'required', or nothing", approval);
    const began = new WeakSet<Finding>();
    return {
      operation: own,
      needsApproval: approval === 'required',
      amountOf(finding) {
        const amount = amountOf(finding);
        return Number.isSafeInteger(amount) && amount >= 0 ? amount : undefined;
      },
      call: once<Finding, unknown>(
        // A forgotten claim would let the remedy of a finding happen again that no run has closed.
        {
          ...{
            operation: own,
            store,
            key: remedyKey,
            onAbandoned,
            onEvent,
            host,
            retentionSeconds: 'forever' as const,
          },
          ...(lease && { lease }),
        },
        async (finding, claim) => {
          began.add(finding);
          return run(finding, claim);
        },
      ),
      hasRun: (finding) => began.has(finding),
    };
  }
}
