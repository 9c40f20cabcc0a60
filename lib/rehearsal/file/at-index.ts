import { list, record } from '../engine/app/template.ts';
import type { Rewrite, TapCall } from '../engine/servers/tap.ts';
import { type Carrying, type Seen, takes, type Work } from './carrying.ts';

/*
 * An index lags: it does not show yet what was written. Of an intent that has this fault, the first invocation of a function that would see it in an
 * index does not see it there. The next one does, however fast the machine is.
 */

/** Which invocation does not see an intent in an index. */
const blind = new WeakMap<Carrying, Map<string, Work>>();

/** The request as it is, with a response in which the index lags. */
export function lagging(state: Carrying, call: TapCall, seen: Seen): Rewrite | undefined {
  if (state.plan.faults.indexLag === 0 || !readsIndex(call)) return undefined;
  takes(state, 'reads an index');
  const { Select, ...rest } = record(JSON.parse(call.body));
  const onlyCounts = Select === 'COUNT';
  return {
    // Of a number, nobody can say what is in it: the items are read, and counted here.
    body: onlyCounts ? JSON.stringify(rest) : call.body,
    answer(given = '{}') {
      const { Items, ...answer } = record(JSON.parse(given));
      const items = list(Items);
      const shown = items.filter((item) => !hides(state, seen, call, item));
      if (shown.length === items.length && !onlyCounts) return given;
      const Count = Number(answer['Count'] ?? items.length) - (items.length - shown.length);
      const counted = answer['Count'] === undefined ? {} : { Count };
      return JSON.stringify({ ...answer, ...(onlyCounts ? {} : { Items: shown }), ...counted });
    },
  };
}

/** An index that is read consistently, which only a local one can be, does not lag. */
function readsIndex({ operation, body }: TapCall): boolean {
  if (operation !== 'Query' && operation !== 'Scan' && operation !== 'ExecuteStatement') return false;
  const request = record(JSON.parse(body));
  if (request['ConsistentRead'] === true) return false;
  if (operation === 'ExecuteStatement') return /FROM\s+"[^"]+"\s*\.\s*"/i.test(String(request['Statement']));
  return request['IndexName'] !== undefined;
}

function hides(state: Carrying, { sandbox, construct }: Seen, { operation }: TapCall, item: unknown): boolean {
  const work = state.working.get(sandbox);
  if (work === undefined) return false;
  const named = state.intents.namedIn(JSON.stringify(item));
  const intent = named.find((one) => work.intents.includes(one) && state.plan.trouble(one, construct).indexLag);
  if (intent === undefined) return false;
  const blinded = blind.get(state) ?? new Map<string, Work>();
  blind.set(state, blinded);
  const place = `${construct}\n${intent}`;
  if (!blinded.has(place)) blinded.set(place, work);
  if (blinded.get(place) !== work) return false;
  if (takes(state, 'lags', construct, intent)) state.stats.indexLag += 1;
  const text = `the index that its ${operation} reads LAGS, and does not show ${intent}`;
  state.journal.add([intent], { kind: 'struck', fault: 'indexLag', sandbox, text });
  state.disturbed.add(sandbox);
  return true;
}
