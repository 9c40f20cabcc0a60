import { bytesOf } from '../kernel/text.ts';
import type { Draft } from './message.ts';
import type { OutboxSettings } from './settings.ts';

/** Makes a draft as it is sent: a large body is kept elsewhere, once, however often its commit is tried. */
export function sendableBy({ largeBodies }: Pick<OutboxSettings, 'largeBodies'>) {
  const kept = new WeakMap<Draft, Promise<string>>();
  return async function sendable(draft: Draft): Promise<Draft['record']> {
    const { record, isLarge } = draft;
    if (!isLarge || largeBodies === undefined) return record;
    const keeping = kept.get(draft) ?? largeBodies.keep(record.uid, record.body);
    kept.set(draft, keeping);
    try {
      return { ...record, body: await keeping, largeBytes: bytesOf(record.body) };
    } catch (error) {
      kept.delete(draft);
      throw error;
    }
  };
}
