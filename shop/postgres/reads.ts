import { list, record } from '../../lib/rehearsal/engine/app/template.ts';
import type { TapAnswer, TapCall } from '../../lib/rehearsal/engine/servers/tap.ts';
import type { SeenWrite } from '../faults/claim-writes.ts';
import type { StoreReads } from '../faults/store-reads.ts';
import { keyOfMessage } from '../plan/chain-plan.ts';
import type { Statement } from './wire.ts';

/** What the faults of the shop know a call to PostgreSQL by. The texts are those of pawl's statements; its parameters are a list for each column. */
export const postgresReads: StoreReads = {
  commit: 'COMMIT',
  writesIn,
  messagesPut: (call) =>
    parametersOf(call, /^WITH written AS/).flatMap(([lanes = [], , , records = []]) =>
      lanes.flatMap((lane, index) => {
        const [key] = keyOfMessage.exec(records[index] ?? '') ?? [];
        return key === undefined ? [] : [[lane, key] as const];
      }),
    ),
  lanesRead: (call) => firstOf(call, /^SELECT n, .* WHERE id = \$1 AND n > \$2/),
  lanesRemoved: (call) => firstOf(call, /^DELETE FROM .* AND uid = \$3 /),
};

/** The writes of claims in a call; with its response, those that were applied. Locks are in the same table, and have no such ids. */
function writesIn({ body }: Pick<TapCall, 'body'>, answer?: TapAnswer): readonly SeenWrite[] {
  if (answer !== undefined && answer.status !== 200) return [];
  const rows = answer && list(JSON.parse(answer.body)).map(list);
  return statementsIn(body).flatMap(({ text, values }, index) => {
    if (!text.startsWith('WITH given AS')) return [];
    const [ids = [], , , statuses = []] = values.map(textsOf);
    const writes = ids.map((id, at) => ({ id, status: statuses[at] ?? '' }));
    return rows === undefined ? writes : writes.filter(({ id }) => rows[index]?.includes(id));
  });
}

function firstOf({ body }: TapCall, text: RegExp): readonly string[] {
  return statementsIn(body).flatMap((one) => (text.test(one.text) ? (one.values[0] ?? []) : []));
}

function parametersOf({ body }: TapCall, text: RegExp): readonly (readonly (readonly string[])[])[] {
  return statementsIn(body).flatMap((one) => (text.test(one.text) ? [one.values.map(textsOf)] : []));
}

function statementsIn(body: string): readonly Statement[] {
  return list(JSON.parse(body)).map((one) => record(one) as unknown as Statement);
}

/** The texts of a parameter that is a list of them, as `pg` writes one: each in quotation marks. */
function textsOf(value: string | null): readonly string[] {
  if (value === null || !value.startsWith('{')) return [];
  return [...value.matchAll(/"((?:[^"\\]|\\.)*)"|[^,{}]+/gs)].map(([plain, quoted]) =>
    quoted === undefined ? plain : quoted.replaceAll(/\\(.)/gs, '$1'),
  );
}
