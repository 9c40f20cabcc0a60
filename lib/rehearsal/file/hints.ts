import { plural } from 'pawl/kernel';
import { sayShortened } from './cut-short.ts';
import type { Facts, Rule } from './hint-rule.ts';
import {
  calledTwice,
  claimOfTheCopy,
  clientRetries,
  memoryFailed,
  neverCalled,
  nothingRemembers,
  onlyObserved,
  outsideOfTheClaim,
  recordedTooEarly,
  swallowed,
} from './hints-of-effects.ts';
import { missingAwait, oneOfTheBatch } from './hints-of-handlers.ts';
import {
  indexLags,
  keyMadeAnew,
  keyOfTheCopy,
  recordExpired,
  twoConsumers,
  windowHasEnded,
} from './hints-of-records.ts';
import {
  fewReceives,
  filteredOut,
  mappingIsOff,
  noDeadLetterQueue,
  reportsAreOff,
  visibilityIsShort,
  wholeBatchReturns,
} from './hints-of-sources.ts';
import type { Hint } from './result.ts';
import { entriesOf, short } from './story.ts';

/*
 * Why it happened, where that is known.
 *
 * Each rule names one cause, and looks at what the app says of itself and at what happened to those that came to harm. A rule that is not
 * sure says nothing: the story is there.
 */

/** The hints on a run, those about its harm first. */
export function hintsFor(facts: Facts): readonly Hint[] {
  const cases = facts.harmed.map((one) => ({ ...one, entries: entriesOf(one.intent, facts.journal) }));
  return rules.flatMap((rule) => rule(facts, cases));
}

const neverResponds: Rule = ({ journal, shortened }) => {
  const ended = Map.groupBy(
    journal.entries.filter((entry) => entry.kind === 'ended'),
    ({ construct }) => construct,
  );
  return Array.from(ended).flatMap(([construct, invocations]) => {
    const late = invocations.filter(({ outcome }) => outcome.kind === 'timed-out');
    if (late.length === 0 || late.length < invocations.length / 2) return [];
    const its = shortened.find((one) => one.construct === construct);
    return [
      {
        name: 'timeouts',
        text: [
          `${short(construct)} did not respond before its timeout in ${late.length} of ${plural(invocations.length, 'invocation')}.`,
          ...(its ? [sayShortened(its)] : []),
        ].join(' '),
        intents: [],
      },
    ];
  });
};

/** More than a fifth was parked without a call to its provider: it only shared its worker with a message that made one. */
const muchParked: Rule = ({ verdicts, journal, hasClaims }) => {
  const called = new Set(journal.entries.flatMap((entry) => (entry.kind === 'called' ? entry.intents : [])));
  const parked = [...new Set(verdicts.flatMap((verdict) => verdict.parked))].filter((intent) => !called.has(intent));
  const intents = Math.max(0, ...verdicts.map((verdict) => verdict.intents));
  if (!hasClaims || parked.length <= intents / 5) return [];
  return [
    {
      name: 'much-parked',
      text: 'More than a fifth is parked, and had called no provider. Mark the effect with claim.effect and set concurrency: 1, so that a worker that dies leaves one message in doubt, and not its batch; or ask the provider with reconcile.',
      intents: parked,
    },
  ];
};

const rules: readonly Rule[] = [
  mappingIsOff,
  filteredOut,
  reportsAreOff,
  neverCalled,
  swallowed,
  wholeBatchReturns,
  clientRetries,
  calledTwice,
  onlyObserved,
  claimOfTheCopy,
  outsideOfTheClaim,
  missingAwait,
  oneOfTheBatch,
  twoConsumers,
  windowHasEnded,
  recordExpired,
  indexLags,
  keyMadeAnew,
  keyOfTheCopy,
  nothingRemembers,
  memoryFailed,
  recordedTooEarly,
  visibilityIsShort,
  noDeadLetterQueue,
  fewReceives,
  neverResponds,
  muchParked,
];
