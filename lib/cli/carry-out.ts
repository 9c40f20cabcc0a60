import type { Io } from './command.ts';
import { confirmed } from './confirm.ts';
import { type Columns, plural, printJson, progress, Table } from './output.ts';

/** What became of one. */
export interface Result {
  readonly outcome: string;
}

/** A part of an act, such as one of several queues. */
export interface Part<Item, Of extends Result> {
  readonly items: readonly Item[];
  /** How many of them are acted on. */
  readonly count: number;
  /** What is said before its items. */
  readonly head?: () => void;
  /** What its items have in common, in JSON. */
  readonly common?: object;
  readonly run: (signal: AbortSignal) => AsyncIterable<Of>;
}

/** What a command does to many things, after it has shown a plan of it and asked. */
export interface Act<Item, Of extends Result> {
  readonly parts: readonly Part<Item, Of>[];
  readonly thing: 'claim' | 'message' | 'finding' | 'lock';
  /** What becomes of each, and the field of the summary. */
  readonly verb:
    | 'resolved'
    | 'redriven'
    | 'discarded'
    | 'accepted'
    | 'approved'
    | 'settled'
    | 'forgotten'
    | 'released'
    | 'retried';
  /** After the verb: ` as applied`. */
  readonly as?: string;
  /** The plan, as people read it. Without these, none is shown. */
  readonly columns?: Columns;
  readonly row?: (item: Item) => readonly unknown[];
  /** What is said before it asks. */
  readonly warn?: () => void;
  readonly question: (things: string) => string;
  readonly isDone: (result: Of) => boolean;
  /** What is said of a result, if anything. */
  readonly say: (result: Of) => string | undefined;
  /** What is left if it ends in its middle. */
  readonly left: string;
  /** Nothing to act on is a reason to look again: what was asked for names something. */
  readonly expectsSome?: true;
}

interface Given {
  readonly 'dry-run'?: boolean;
  readonly yes: boolean;
  readonly json: boolean;
}

/**
 * Shows what would be done, asks, and does it: the one way in which a command acts on many things. Items under way are finished when the command is to
 * end, and what was done is said.
 *
 * @returns 1 if something stays
 */
export async function carryOut<Item, Of extends Result>(options: Given, io: Io, act: Act<Item, Of>): Promise<number> {
  const { parts, thing, verb, as = '' } = act;
  for (const part of parts) showPlan(options, io, act, part);
  const all = parts.reduce((sum, { items }) => sum + items.length, 0);
  const count = parts.reduce((sum, part) => sum + part.count, 0);
  if (options['dry-run'] || count === 0) {
    if (options.json) printJson(io, { kind: 'summary', planned: count, stay: all - count });
    else io.out.line(`${plural(count, thing)} would be ${verb}${as}, ${all - count} would stay.`);
    return all > count || (all === 0 && act.expectsSome) ? 1 : 0;
  }
  act.warn?.();
  if (!(await confirmed(options, io, act.question(plural(count, thing))))) return 1;
  const counting = progress(io, verb);
  let [ended, done] = [0, 0];
  const said = () => `${plural(done, thing)} ${verb}${as}, ${all - done} not.`;
  try {
    const words = { done: () => (ended > 0 ? said() : undefined), left: () => act.left };
    await io.ending.during(words, async (signal) => {
      for (const part of parts) {
        for await (const result of part.run(signal)) {
          counting.at(++ended, count);
          if (act.isDone(result)) done++;
          const text = act.say(result);
          if (options.json) printJson(io, { kind: 'result', ...result });
          else if (text !== undefined) io.out.line(text);
        }
      }
    });
  } finally {
    counting.end();
  }
  if (options.json) printJson(io, { kind: 'summary', [verb]: done, stay: all - done });
  else io.out.line(said());
  return all > done ? 1 : 0;
}

function showPlan<Item, Of extends Result>(
  { json }: Given,
  io: Io,
  { columns, row }: Act<Item, Of>,
  { items, head, common }: Part<Item, Of>,
): void {
  head?.();
  if (columns === undefined || row === undefined || items.length === 0) return;
  if (json) {
    for (const item of items) printJson(io, { kind: 'plan', ...common, ...item });
    return;
  }
  const table = new Table(io, columns);
  for (const item of items) table.row(...row(item));
}
