import { list, record } from '../../lib/rehearsal/engine/app/template.ts';
import type { TapCall } from '../../lib/rehearsal/engine/servers/tap.ts';
import { keyOfMessage } from '../plan/chain-plan.ts';
import { claimWrites } from './claim-writes.ts';

/** What the faults of the shop know a call to its database by. */
export interface StoreReads {
  /** The operation that commits several writes. */
  readonly commit: string;
  /** The writes of claims in a call; with its response, those that were applied. */
  readonly writesIn: typeof claimWrites;
  /** The messages that a commit puts into the outbox: their lanes, and their keys. */
  readonly messagesPut: (call: TapCall) => readonly (readonly [lane: string, key: string])[];
  readonly lanesRead: (call: TapCall) => readonly string[];
  readonly lanesRemoved: (call: TapCall) => readonly string[];
}

export const dynamoReads: StoreReads = {
  commit: 'TransactWriteItems',
  writesIn: claimWrites,
  messagesPut({ operation, body }) {
    if (operation !== 'TransactWriteItems' || !keyOfMessage.test(body)) return [];
    return list(record(JSON.parse(body))['TransactItems']).flatMap((item) => {
      const { id, key } = record(record(record(item)['Put'])['Item']);
      const found = keyOfMessage.exec(textOf(key))?.[0];
      return found === undefined ? [] : [[textOf(id), found] as const];
    });
  },
  lanesRead({ operation, body }) {
    if (operation !== 'Query') return [];
    return [textOf(record(record(JSON.parse(body))['ExpressionAttributeValues'])[':id'])];
  },
  lanesRemoved({ operation, body }) {
    if (operation !== 'BatchExecuteStatement') return [];
    return list(record(JSON.parse(body))['Statements'])
      .map(record)
      .filter(({ Statement }) => String(Statement).startsWith('DELETE'))
      .map(({ Parameters }) => textOf(list(Parameters)[0]));
  },
};

function textOf(attribute: unknown): string {
  return String(record(attribute)['S']);
}
