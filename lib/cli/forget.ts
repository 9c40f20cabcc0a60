import { forgetRefusal } from 'pawl/internal';
import type { ClaimView, ForgetResult, NotReached } from 'pawl/operate';
import { carryOut } from './carry-out.ts';
import type { Io, Line } from './command.ts';
import { perhapsHidden } from './hidden-keys.ts';
import { withAccount } from './open-account.ts';
import type { Values } from './option.ts';
import type { account as accountOptions, plan as planOptions } from './options.ts';

interface Given extends Values<typeof accountOptions>, Values<typeof planOptions> {
  readonly by: string;
  readonly note: string;
  readonly json: boolean;
}

const places: Readonly<Record<NotReached, string>> = {
  key: 'the key as it stands in the id of the claim, or its hash where your key function hashes it',
  fingerprint: 'the fingerprint of the payload, which is a hash: another payload under the key stays refused',
  'other-claims':
    'other claims of the key, each to be forgotten by itself: those of sendOnce, and one that waits for an execution',
  'statement-line': "the line of the provider's statement that the claim is marked with",
  findings: 'findings of statements about the claim',
  'dead-letters': 'dead letters, and messages that are still on a queue',
  logs: 'logs and events that were written before',
  backups: 'backups of the table, and what point-in-time recovery brings back',
  provider: 'what your provider keeps',
};

const refusals: Readonly<Record<Extract<ForgetResult, { outcome: 'stays' }>['whyNot'], string>> = {
  'unknown-key': 'nothing is known of this key',
  'in-flight': 'it is in flight: a worker holds it, or died. Its next attempt, a sweep or pawl resolve decides it',
  'not-decided': 'it may still run: resolve it first, or wait until it is completed',
  changed: 'it has changed since it was read: look at it again',
};

/** `pawl forget`. @returns 1 if nothing was erased */
export async function forget({ names, options }: Line<Given>, io: Io): Promise<number> {
  const [operation = '', key = ''] = names;
  const { by, note } = options;
  const whyOf = (whyNot: keyof typeof refusals) =>
    whyNot === 'unknown-key' ? `${refusals[whyNot]}. ${perhapsHidden(options)}` : refusals[whyNot];
  // The command prints its result itself.
  return withAccount(options, { io, onEvent: () => undefined }, async ({ operate }) => {
    const claim = await operate.readClaim({ operation, key });
    const whyNot = forgetRefusal(claim);
    const item = { id: claim?.id ?? key, claim, whyNot };
    return carryOut<typeof item, ForgetResult>(options, io, {
      ...{ thing: 'claim', verb: 'forgotten', expectsSome: true },
      parts: [
        {
          items: [item],
          count: whyNot === undefined ? 1 : 0,
          async *run() {
            yield await operate.forget({ operation, key }, { by, note, revision: claim?.revision });
          },
        },
      ],
      columns: [
        ['WILL', 80],
        ['CLAIM', 0],
      ],
      row: ({ id }) => [whyNot === undefined ? `be forgotten: ${keptBy(claim)}` : `stay: ${whyOf(whyNot)}`, id],
      question: () => 'Erase what this claim keeps? This cannot be undone.',
      isDone: ({ outcome }) => outcome === 'forgotten',
      say: (result) =>
        result.outcome === 'stays'
          ? `Not forgotten: ${result.id}: ${whyOf(result.whyNot)}`
          : `Not reached: ${result.notReached.map((one) => places[one]).join('; ')}.`,
      left: 'The claim is forgotten, or as it was: pawl claim shows which. Start it again.',
    });
  });
}

/** What would be erased, by its names. */
function keptBy(claim: ClaimView | undefined): string {
  const { hasResult, attributes, error, steps = [], resolution, discarded } = claim ?? {};
  const kept = { result: hasResult || undefined, attributes, error, resolution, discarded };
  const names = Object.entries(kept).flatMap(([name, value]) => (value === undefined ? [] : name));
  return [...names, ...(steps.length > 0 ? ['steps'] : [])].join(', ') || 'nothing is kept';
}
