import type { PlannedRedrive, RedriveResult } from 'pawl/operate';
import { carryOut, type Part } from './carry-out.ts';
import type { Io, Line } from './command.ts';
import { eachQueue, type LettersGiven, sayLetter } from './dead-letters.ts';
import { withAccount } from './open-account.ts';
import type { Values } from './option.ts';
import type { plan as planOptions } from './options.ts';
import { userName } from './user-name.ts';

interface Given extends LettersGiven, Values<typeof planOptions> {
  readonly to: string | undefined;
  readonly by: string | undefined;
  readonly note: string | undefined;
}

/** `pawl redrive`. @returns 1 if a message stays */
export async function redrive({ options }: Line<Given>, io: Io): Promise<number> {
  const { by = userName(), note = '', json } = options;
  // The command prints its results itself.
  return withAccount(options, { io, onEvent: () => undefined }, async (account) => {
    const { operate } = account;
    const parts: Part<PlannedRedrive, RedriveResult>[] = [];
    for await (const { from, queueUrl, letters } of eachQueue(options, io, account, options.to)) {
      const plan = await operate.planRedrive({ from, to: queueUrl, letters, by, note });
      const { to, isSource } = plan;
      parts.push({
        ...plan,
        head() {
          if (isSource === false) {
            io.error.line(
              `${to} does not feed ${from}: its redrive policy does not name it. Its consumer may not be the one that the messages are for.`,
            );
          }
          if (json) return;
          io.out.line(`From ${from}`);
          io.out.line(`  to ${to}`);
        },
        common: { from, to, isSource },
        run: (signal) => operate.redrive(plan, { signal }),
      });
    }
    return carryOut(options, io, {
      parts,
      thing: 'message',
      verb: 'redriven',
      columns: [
        ['WILL', 18],
        ['REASON', 16],
        ['MESSAGE', 36],
        ['CLAIM', 0],
      ],
      row: (item) => [
        item.will === 'stay' ? `stay: ${item.whyNot}` : item.will,
        item.reason ?? '(moved by SQS)',
        item.messageId,
        item.claimId ?? '?',
      ],
      question: (messages) => `Redrive ${messages}?`,
      isDone: ({ outcome }) => outcome === 'redriven' || outcome === 'deleted',
      say(result) {
        if (result.outcome === 'redriven') return undefined;
        if (result.outcome === 'deleted') return `Deleted, as its effect is confirmed: ${result.messageId}`;
        return sayLetter('Not redriven', result);
      },
      left: 'Of those under way, each is redriven or stays; those that stay are hidden for two minutes at most. Start it again: a copy that is sent twice runs once.',
    });
  });
}
