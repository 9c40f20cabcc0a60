import type { TapCall, TapHooks, TapVerdict } from '../engine/servers/tap.ts';
import { combineHooks } from '../engine/servers/tap-hooks.ts';
import type { ProviderFault } from '../provider.ts';
import type { RehearsalFaults } from '../rehearsal.ts';
import { endpoints } from '../services/registry.ts';
import { providerFaults } from './at-provider.ts';
import type { CarriedOut } from './carry-out.ts';
import type { Intents } from './intents.ts';
import type { Happening, Journal } from './journal.ts';

/*
 * What goes wrong by the rules of the caller, besides what is drawn from the seed. It is written down as the drawn faults are: a story
 * without the fault that caused it would tell nothing.
 */

/** What goes wrong by the rules of the caller of a run, at the taps of the engine. */
export interface OwnFaults extends RehearsalFaults {
  /** What happens to the call of a provider for an intent. The drawn faults come first. */
  readonly provider?: (intent: string, provider: string) => ProviderFault | undefined;
}

/** Where the faults of a run happen. */
export interface RunFaults {
  readonly engine: RehearsalFaults;
  readonly atProvider: CarriedOut['atProvider'];
  readonly killCaller: CarriedOut['killCaller'];
}

interface Notes {
  readonly intents: Intents;
  readonly journal: Journal;
}

/** The drawn faults, and then the caller's own. */
export function withOwnFaults(carried: CarriedOut, own: OwnFaults | undefined, notes: Notes): RunFaults {
  if (own === undefined) {
    const { dynamodb, s3, delivery, streamDelivery, eventDelivery, atProvider, killCaller } = carried;
    return { engine: { dynamodb, s3, delivery, streamDelivery, eventDelivery }, atProvider, killCaller };
  }
  const known = { ...notes, disturb: carried.disturb };
  const add = (about: string, happening: Happening) => notes.journal.add(notes.intents.namedIn(about), happening);
  const drawn: RehearsalFaults = { dynamodb: carried.dynamodb, s3: carried.s3 };
  // The drawn ones first: they write down what every request did.
  const taps = endpoints.map(
    ({ name, title }) => [name, combineHooks(drawn[name] ?? {}, noted(own[name], title, known))] as const,
  );
  return {
    engine: {
      ...Object.fromEntries(taps),
      streamDelivery(place) {
        const fault = own.streamDelivery?.(place)?.forgetsCheckpoint;
        return {
          forgetsCheckpoint: ownOrDrawn(fault, carried.streamDelivery(place).forgetsCheckpoint, (records) =>
            add(JSON.stringify(records), { kind: 'place-forgotten', construct: place.construct }),
          ),
        };
      },
      eventDelivery(place) {
        const fault = own.eventDelivery?.(place)?.deliversTwice;
        return {
          deliversTwice: ownOrDrawn(fault, carried.eventDelivery(place).deliversTwice, (event) =>
            add(JSON.stringify(event), { kind: 'event-twice', construct: place.construct }),
          ),
        };
      },
      delivery(place) {
        const faults = own.delivery?.(place);
        const drawn = carried.delivery(place);
        const { construct } = place;
        return {
          ...drawn,
          deliversTwice: ownOrDrawn(faults?.deliversTwice, drawn.deliversTwice, ({ Body = '', MessageId: message }) =>
            add(Body, { kind: 'visible-while-handled', construct, message }),
          ),
          async forgetsDeletion(given) {
            if ((await faults?.forgetsDeletion?.(given)) !== true) return drawn.forgetsDeletion?.(given) ?? false;
            const { Body = '', MessageId: message } = given;
            add(Body, { kind: 'acknowledged', construct, message, forgotten: true });
            return true;
          },
        };
      },
    },
    ...atProviders(carried, own, notes),
  };
}

interface Disturbing extends Notes {
  readonly disturb: CarriedOut['disturb'];
}

/** Hooks that write down what they do to a request. */
export function noted(
  hooks: TapHooks | undefined,
  service: string,
  { intents, journal, disturb }: Disturbing,
): TapHooks {
  if (hooks === undefined) return {};
  const note = (call: TapCall, verdict: TapVerdict, moment: string, lost: string) => {
    const { sandbox } = call;
    if (sandbox === undefined || verdict === 'pass') return;
    disturb(sandbox);
    if (typeof verdict === 'object') return;
    const about = intents.namedIn(call.body);
    if (verdict === 'kill') journal.add(about, { kind: 'killed', sandbox, moment });
    else journal.add(about, { kind: 'failed', sandbox, line: lost });
  };
  return {
    rewrite(call) {
      const rewritten = hooks.rewrite?.(call);
      if (rewritten !== undefined && call.sandbox !== undefined) disturb(call.sandbox);
      return rewritten;
    },
    onRequest(call) {
      const verdict = hooks.onRequest?.(call) ?? 'pass';
      const what = `${call.operation} to ${service}`;
      note(call, verdict, `as it sent ${what}, which did not get it`, `sends ${what}, which DOES NOT GET IT`);
      return verdict;
    },
    onResponse(call, answer) {
      const verdict = hooks.onResponse?.(call, answer) ?? 'pass';
      const carriedOut = `when ${service} had carried out its ${call.operation}, before the response`;
      note(call, verdict, carriedOut, `THE RESPONSE of ${service} to its ${call.operation} IS LOST`);
      return verdict;
    },
    onAnswered(call, answer) {
      const verdict = hooks.onAnswered?.(call, answer) ?? 'pass';
      note(call, verdict, `when it had the response to its ${call.operation}`, '');
      return verdict;
    },
  };
}

/** What the rule of the caller says, which is written down here, and then what is drawn. */
function ownOrDrawn<About>(
  own: ((about: About) => boolean) | undefined,
  drawn: ((about: About) => boolean) | undefined,
  note: (about: About) => void,
): (about: About) => boolean {
  return (about) => {
    if (own?.(about) !== true) return drawn?.(about) ?? false;
    note(about);
    return true;
  };
}

const kills = { 'kill-before': 'before', 'kill-applied': 'applied', 'kill-answered': 'answered' } as const;

function isKill(kind: ProviderFault['kind']): kind is keyof typeof kills {
  return kind in kills;
}

function atProviders(
  carried: CarriedOut,
  own: OwnFaults,
  { journal }: Notes,
): Pick<RunFaults, 'atProvider' | 'killCaller'> {
  const dying = new Map<string, { readonly intent: string; readonly moment: string }>();
  return {
    atProvider(intent, provider, sandbox) {
      const drawn = carried.atProvider(intent, provider, sandbox);
      if (drawn !== undefined) return drawn;
      const fault = own.provider?.(intent, provider);
      if (fault !== undefined && sandbox !== undefined) carried.disturb(sandbox);
      if (fault !== undefined && sandbox !== undefined && isKill(fault.kind)) {
        dying.set(sandbox, { intent, moment: providerFaults[kills[fault.kind]] });
      }
      return fault;
    },
    killCaller(sandbox) {
      const said = dying.get(sandbox);
      dying.delete(sandbox);
      // Noted now, and not when it was decided: the provider may have done it in between.
      if (said !== undefined) journal.add([said.intent], { kind: 'killed', sandbox, moment: said.moment });
      carried.killCaller(sandbox);
    },
  };
}
