import { breaks, type Mutant } from './mutant.ts';

/** Breakages of what stands beside the gate: runs that are only watched, the share of keys that is enforced, and messages that follow a commit. */

type Follow = typeof import('../../lib/pawl/outbox/follow.ts');
type Observe = typeof import('../../lib/pawl/rules/observe.ts');
type Record = typeof import('../../lib/pawl/outbox/record.ts');
type Sender = typeof import('../../lib/pawl/outbox/sender.ts');
type Share = typeof import('../../lib/pawl/rules/share.ts');

const ofObserve = (what: string, breakage: (original: Observe) => Partial<Observe>): Mutant =>
  breaks<Observe>(what, 'lib/pawl/rules/observe.ts', breakage);
const ofSender = (what: string, breakage: (original: Sender) => Partial<Sender>): Mutant =>
  breaks<Sender>(what, 'lib/pawl/outbox/sender.ts', breakage);

export const beside: readonly Mutant[] = [
  ofObserve('a run that is watched counts twice, if the answer to its write is lost', ({ begun }) => ({
    begun: (found, asked, ...rest) => begun(found, { ...asked, run: `${asked.run}${found?.rev ?? ''}` }, ...rest),
  })),
  ofObserve('a run that failed in doubt is taken for one that did nothing', ({ ended }) => ({
    ended: (found, asked, outcome, ...rest) =>
      ended(found, asked, outcome.status === 'released' ? { ...outcome, unknown: false } : outcome, ...rest),
  })),
  ofObserve('another payload under a watched key is taken for the same', ({ begun }) => ({
    begun: (found, asked, ...rest) =>
      begun(found, { ...asked, fingerprint: found?.fingerprint ?? asked.fingerprint }, ...rest),
  })),
  breaks<Share>('a larger share has other keys than a smaller one', 'lib/pawl/rules/share.ts', ({ isInShare }) => ({
    isInShare: (id, share) => isInShare(share >= 1 ? id : `${id}${share}`, share),
  })),
  ofSender('a message is removed though its destination has not confirmed it', ({ sendInOrder }) => ({
    sendInOrder: async (outbox, records, until) => {
      const fates = await sendInOrder(outbox, records, until);
      for (const [index, record] of records.entries()) {
        if (fates[index] === 'left') await outbox.store.remove(record);
      }
      return fates;
    },
  })),
  ofSender('a lane goes on behind a message that was not sent', ({ sendInOrder }) => ({
    async sendInOrder(outbox, records, until) {
      const all = await Promise.all(records.map((record) => sendInOrder(outbox, [record], until)));
      return all.flat();
    },
  })),
  breaks<Follow>(
    'a worker sends ahead of what lay in the lane before',
    'lib/pawl/outbox/follow.ts',
    ({ followBy }) => ({
      followBy: (outbox, written) => followBy(outbox, { ...written, waiting: new Set() }),
    }),
  ),
  breaks<Follow>('what may not have been committed is sent', 'lib/pawl/outbox/follow.ts', ({ followBy }) => ({
    followBy(outbox, written) {
      const follow = followBy(outbox, written);
      return (until) => follow(until, true);
    },
  })),
  breaks<Record>('a group of one queue is the group of another', 'lib/pawl/outbox/record.ts', ({ laneOfGroup }) => ({
    laneOfGroup: (_, group, host) => laneOfGroup('', group, host),
  })),
];
