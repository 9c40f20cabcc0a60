import type { Poller } from '../rehearsal.ts';
import { about, intentsOf, type Rule } from './hint-rule.ts';
import type { Entry } from './journal.ts';
import { short } from './story.ts';

/* What can be wrong between a queue and a function: the mapping, its filters, and what the queue says. */

function isOf(entry: Entry, { mapping }: Pick<Poller, 'mapping'>): boolean {
  return 'construct' in entry && entry.construct === mapping.function.construct;
}

/** The message waits at a mapping that is off. */
export const mappingIsOff: Rule = ({ consumers }, cases) =>
  consumers
    .filter(({ mapping }) => !mapping.enabled)
    .flatMap(({ mapping, queue, construct }) =>
      about(
        'mapping-disabled',
        cases.filter(
          ({ problem, entries }) => problem === 'unfinished' && !entries.some((entry) => isOf(entry, { mapping })),
        ),
        `${short(construct)} is not enabled: ${short(mapping.function.construct)} gets nothing from ${short(queue.construct)}.`,
      ),
    );

/** Lambda deleted the message, since no filter of the mapping matched it. */
export const filteredOut: Rule = ({ consumers }, cases) =>
  consumers.flatMap((consumer) =>
    about(
      'filtered-out',
      cases.filter(
        ({ problem, entries }) =>
          problem === 'lost' &&
          entries.some((entry) => entry.kind === 'filtered-out' && entry.construct === consumer.mapping.construct) &&
          !entries.some(({ kind }) => kind === 'began'),
      ),
      `No filter of ${short(consumer.construct)} matches the message: Lambda deletes it, and ${short(consumer.mapping.function.construct)} never gets it.`,
    ),
  );

/** The consumer had said that a message failed, and Lambda does not listen. */
export const reportsAreOff: Rule = ({ consumers, hasClaims }, cases) =>
  consumers
    .filter(({ mapping }) => !mapping.reportsBatchItemFailures)
    .flatMap((consumer) => {
      const ignored = cases.filter(
        ({ problem, intent, entries }) =>
          problem === 'lost' &&
          entries.some((entry) => entry.kind === 'ended' && isOf(entry, consumer) && entry.failed.has(intent)),
      );
      const fn = short(consumer.mapping.function.construct);
      return about(
        'report-batch-item-failures',
        ignored,
        `${hasClaims ? 'Acknowledged while its claim was held elsewhere or not done' : `${fn} named the message as failed, and it was deleted all the same`}: ReportBatchItemFailures is off on ${short(consumer.construct)}.`,
      );
    });

/** One failure gives the whole batch back, with those that were done. */
export const wholeBatchReturns: Rule = (_, cases) => {
  const returned = cases.filter(({ problem, entries }) => problem === 'doubled' && hasReturnedDone(entries));
  return about(
    'whole-batch',
    returned,
    'The function failed as a whole, so the whole batch came back, with the messages whose effect had happened. Report each message by itself: ReportBatchItemFailures, and batchItemFailures in the response.',
  );
};

/** Whether a batch failed as a whole in which the effect had happened by then. */
function hasReturnedDone(entries: readonly Entry[]): boolean {
  const done = new Set<string>();
  return entries.some((entry) => {
    if (entry.kind === 'began') done.delete(entry.sandbox);
    if (entry.kind === 'called' && entry.result === 'applied' && entry.sandbox !== undefined) done.add(entry.sandbox);
    if (entry.kind === 'stored' && entry.write.result.startsWith('written')) done.add(entry.sandbox);
    return entry.kind === 'ended' && entry.batch > 1 && entry.outcome.kind === 'error' && done.has(entry.sandbox);
  });
}

export const visibilityIsShort: Rule = ({ consumers, shortened }) =>
  consumers.flatMap(({ mapping, queue }) => {
    const original = (construct: string, now: number) =>
      shortened.find((one) => one.construct === construct)?.from ?? now;
    const timeout = original(mapping.function.construct, mapping.function.timeoutMs / 1_000);
    const visibility = original(queue.construct, queue.visibilitySeconds);
    const window = mapping.windowMs / 1_000;
    if (visibility >= timeout + window) return [];
    const and = window > 0 ? ` and the batching window (${window} s)` : '';
    return [
      {
        name: 'visibility-timeout',
        text: `The visibility timeout of ${short(queue.construct)} (${visibility} s) is shorter than the timeout of ${short(mapping.function.construct)} (${timeout} s)${and}: messages come back while they are handled. AWS recommends six times the timeout, and the window.`,
        intents: [],
      },
    ];
  });

export const noDeadLetterQueue: Rule = ({ consumers }, cases) =>
  consumers
    .filter(({ queue }) => queue.deadLetterArn === undefined)
    .map(({ queue }) => ({
      name: 'no-dead-letter-queue',
      text: `${short(queue.construct)} has no dead-letter queue: a message that never succeeds comes back until its retention ends, and is gone then.`,
      intents: intentsOf(cases.filter(({ problem }) => problem === 'unfinished')),
    }));

/** A few faults in a row use up a message's receives. */
export const fewReceives: Rule = ({ consumers, verdicts }) =>
  consumers.flatMap(({ queue }) => {
    const { maxReceiveCount } = queue;
    if (maxReceiveCount === undefined || maxReceiveCount >= 5) return [];
    const setAside = [...new Set(verdicts.flatMap((verdict) => verdict.setAside))];
    return [
      {
        name: 'max-receive-count',
        text: `maxReceiveCount of ${short(queue.construct)} is ${maxReceiveCount}: kills and faults of others in a batch use up a message's receives. Set 5 or more.`,
        intents: setAside,
      },
    ];
  });
