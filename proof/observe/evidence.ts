import type { Entry } from '../../lib/rehearsal/file/journal.ts';
import type { Running } from '../../lib/rehearsal/file/running.ts';
import { slowedIn, starvedIn } from '../../lib/rehearsal/file/standing.ts';
import type { End, Evidence, Happened, Reported } from './judge.ts';
import { type AppName, type Circumstance, namedIn } from './plan.ts';

/** What has become of each order, by the journal, the provider and the queues; none of it from pawl, but for the report and its events. */
export async function evidenceOf(
  { journal, providers, engine }: Running,
  { unseen, reports }: { readonly unseen: ReadonlySet<string>; readonly reports: Reported },
): Promise<Evidence> {
  const starved = starvedIn(journal, { isCutOff: false });
  const slowed = slowedIn(journal);
  const effects = providers[0]?.counts ?? new Map<string, number>();
  const ends = new Map<string, End[]>();
  const responses = new Map<string, string[]>();
  const firsts = new Map<string, string[]>();
  const working = new Map<string, readonly string[]>();
  let kills = 0;
  const note = <Text extends string>(map: Map<string, Text[]>, key: string, text: Text) =>
    map.set(key, [...(map.get(key) ?? []), text]);
  for (const entry of journal.entries) {
    if (entry.kind === 'began') working.set(entry.sandbox, entry.intents);
    if (entry.kind === 'ended') {
      if (entry.intents.some((intent) => endOf(entry, intent) === 'killed')) kills += 1;
      for (const intent of entry.intents) note(ends, intent, endOf(entry, intent));
    }
    if (entry.kind === 'answered') for (const intent of entry.intents) note(responses, intent, entry.how);
    if (entry.kind === 'called' && entry.result === 'applied') {
      for (const intent of entry.intents) {
        const group = groupOf(intent);
        if (!(firsts.get(group) ?? []).includes(intent)) note(firsts, group, intent);
      }
    }
  }
  // No app of these responds so: the API has waited for half a minute, or had no sandbox.
  const isStarved = (intent: string) =>
    starved.has(intent) || (responses.get(intent) ?? []).some((one) => one === 'response 503');
  const deadLetters = new Map<string, number>();
  let left = 0;
  for (const { name, deadLetterArn } of engine.stacks.flatMap(({ queues }) => queues)) {
    for (const { body } of await engine.sqs.messages(name)) {
      if (deadLetterArn !== undefined) left += 1;
      else for (const named of namedIn(body)) count(deadLetters, named);
    }
  }
  return {
    left,
    kills,
    reports,
    orderOf: (circumstance, app, seed, group) =>
      (firsts.get(`${circumstance}-${app}-${seed}-${group}`) ?? []).map((intent) => namedIn(intent)[0]?.n ?? -1),
    of(intent): Happened {
      return {
        effects: effects.get(intent) ?? 0,
        ends: (ends.get(intent) ?? []).toSorted(),
        responses: (responses.get(intent) ?? []).toSorted(),
        deadLetters: deadLetters.get(intent) ?? 0,
        isUnseen: unseen.has(intent),
        // Of its function, the machine took time.
        isStarved: isStarved(intent),
        isSlowed: isStarved(intent) || slowed.has(intent),
      };
    },
  };
}

function count(map: Map<string, number>, named: { circumstance: Circumstance; app: AppName; seed: number; n: number }) {
  const key = `${named.circumstance}-${named.app}-${named.seed}-${named.n}`;
  map.set(key, (map.get(key) ?? 0) + 1);
}

function groupOf(intent: string): string {
  const [named] = namedIn(intent);
  return named === undefined ? '' : `${named.circumstance}-${named.app}-${named.seed}-g${named.n % 2}`;
}

/** What an invocation came to for one of its orders. A batch that fails as a whole, and a message that is named in its response, are the same to the queue. */
function endOf({ outcome, failed }: Extract<Entry, { readonly kind: 'ended' }>, intent: string): End {
  if (outcome.kind === 'crashed' || outcome.kind === 'timed-out') return 'killed';
  return outcome.kind === 'error' || failed.has(intent) ? 'failed' : 'done';
}
