import { keepsOrder, type Problem, type Sendable } from '../destination.ts';

/** A FIFO queue or topic needs a group; and of a group, a text. */
export function problemOfGroup({ to, group }: Sendable): Problem | undefined {
  const option = 'group';
  if (group === undefined) {
    return keepsOrder(to)
      ? { option, expected: 'the message group: what ends in .fifo needs one', came: group }
      : undefined;
  }
  const fits = typeof group === 'string' && /^[!-~]{1,128}$/.test(group);
  return fits
    ? undefined
    : { option, expected: 'a message group: 1 to 128 ASCII characters, without spaces', came: group };
}

/** What only an event bus takes. */
export function problemOfEvent({ source, detailType }: Sendable): Problem | undefined {
  if (source !== undefined) return { option: 'source', expected: 'none: only an event has it', came: source };
  if (detailType !== undefined)
    return { option: 'detailType', expected: 'none: only an event has it', came: detailType };
  return undefined;
}

/** What only a queue takes. */
export function problemOfDelayed({ delaySeconds }: Sendable): Problem | undefined {
  if (delaySeconds === undefined) return undefined;
  return { option: 'delaySeconds', expected: 'none: only a queue delays a message', came: delaySeconds };
}
