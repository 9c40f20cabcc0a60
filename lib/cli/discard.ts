import type { DiscardResult, PlannedDiscard } from 'pawl/operate';
import { carryOut, type Part } from './carry-out.ts';
import { type Io, type Line, UsageError } from './command.ts';
import { eachQueue, type LettersGiven, sayLetter } from './dead-letters.ts';
import { withAccount } from './open-account.ts';
import type { Values } from './option.ts';
import type { plan as planOptions } from './options.ts';
import { userName } from './user-name.ts';

interface Given extends LettersGiven, Values<typeof planOptions> {
  readonly 'even-in-doubt': boolean;
  readonly by: string | undefined;
  readonly note: string;
}

/** `pawl discard`. @returns 1 if a message stays */
export async function discard({ options }: Line<Given>, io: Io): Promise<number> {
  // A whole queue is never meant by leaving something out.
  if (options.message.length === 0 && options.reason === undefined)
    throw new UsageError('pawl discard needs --message or --reason: which dead letters can never run?');
  const { by = userName(), note, json, 'even-in-doubt': evenInDoubt } = options;
  // The command prints its results itself.
  return withAccount(options, { io, onEvent: () => undefined }, async (account) => {
    const { operate } = account;
    const parts: Part<PlannedDiscard, DiscardResult>[] = [];
    for await (const { from, letters } of eachQueue(options, io, account)) {
      const plan = await operate.planDiscard({ from, letters, evenInDoubt, by, note });
      parts.push({
        ...plan,
        head: () => json || io.out.line(`From ${from}`),
        common: { from },
        run: (signal) => operate.discard(plan, { signal }),
      });
    }
    const inDoubt = parts.flatMap(({ items }) => items).filter((item) => item.will === 'discard' && item.inDoubt);
    const doubt =
      inDoubt.length === 0 ? '' : ` Of ${inDoubt.length}, the effect may have happened: their claims stay as they are.`;
    return carryOut(options, io, {
      parts,
      thing: 'message',
      verb: 'discarded',
      columns: [
        ['WILL', 22],
        ['REASON', 16],
        ['CLAIM IS', 10],
        ['MESSAGE', 36],
        ['CLAIM', 0],
      ],
      row: (item) => [
        item.will === 'stay' ? `stay: ${item.whyNot}` : item.inDoubt ? 'discard, in doubt' : 'discard',
        item.reason ?? '(moved by SQS)',
        item.will === 'discard' ? item.claim : '',
        item.messageId,
        item.claimId ?? '?',
      ],
      question: (messages) => `Delete ${messages} for good?${doubt} This cannot be undone.`,
      isDone: ({ outcome }) => outcome === 'discarded',
      say: (result) => (result.outcome === 'discarded' ? undefined : sayLetter('Not discarded', result)),
      left: 'Of those under way, each is deleted or stays, hidden for two minutes at most. Start it again.',
    });
  });
}
