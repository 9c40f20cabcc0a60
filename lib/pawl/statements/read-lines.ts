import { judgeLine } from './judge-line.ts';
import { markOf, nameOf, type ReadableLine, subjectOf, withHiddenKey } from './line.ts';
import type { StatementSettings } from './options.ts';
import { added, allOf, atTheBegin, keep, move, type Phase, partSize } from './phase.ts';
import { readableLine } from './readable-line.ts';
import type { HeldRun } from './run-note.ts';

/** Reads the statement from where the run is, part by part. */
export async function readLines(settings: StatementSettings, begun: HeldRun): Promise<Phase> {
  const { host, signal, statement, operation, hidingHost } = settings;
  let held = begun;
  const { from, cutOff, cursor, last, position: start } = held.run;
  const toSkip = cursor === undefined ? start : 0;
  let skipped = 0;
  let before: ReadableLine | undefined;
  let part: ReadableLine[] = [];
  const isHere = () => before !== undefined && nameOf(before, host) === last;
  for await (const given of statement({ from, cutOff, after: cursor })) {
    const line = withHiddenKey(readableLine(given, host), operation, hidingHost);
    if (skipped < toSkip) {
      skipped++;
      before = line;
      continue;
    }
    if (toSkip > 0 && before !== undefined && !isHere()) return anew(settings, held);
    before = undefined;
    part.push(line);
    if (part.length < partSize) continue;
    if (signal?.aborted) return { kind: 'stopped', run: held.run };
    const moved = await doLines(settings, held, part);
    if (moved === undefined) return { kind: 'on', held: undefined };
    held = moved;
    part = [];
  }
  // The list is shorter than it was, or ends with another line: it is not the list of before.
  if (skipped < toSkip || (toSkip > 0 && before !== undefined && !isHere())) return anew(settings, held);
  if (signal?.aborted) return { kind: 'stopped', run: held.run };
  const rest = part.length === 0 ? held : await doLines(settings, held, part);
  if (rest === undefined) return { kind: 'on', held: undefined };
  return { kind: 'on', held: await move(settings, rest, { phase: 'claims' }) };
}

/** Reads a statement that has changed from its begin, as a run of its own: a line that is read again is known by its claim. */
async function anew(settings: StatementSettings, held: HeldRun): Promise<Phase> {
  const token = settings.host.randomId();
  return { kind: 'on', held: await move(settings, held, { ...atTheBegin, token, last: undefined, cursor: undefined }) };
}

/** Judges one part of the lines, and writes down that it is done. */
async function doLines(
  settings: StatementSettings,
  held: HeldRun,
  part: readonly ReadableLine[],
): Promise<HeldRun | undefined> {
  const { run } = held;
  const { from, cutOff, token, position } = run;
  const places = placesOf(part, settings);
  const judged = await allOf(
    part.map(async (line, index) => {
      const isOutside = line.at < from || line.at > cutOff;
      if (isOutside) return { counted: { outside: 1 }, findings: [] };
      return judgeLine(settings, line, token, position + (places[index] ?? 0));
    }),
  );
  const counted = judged.reduce((sum, one) => added(sum, one.counted), run.counts);
  const counts = await keep(
    settings,
    counted,
    judged.flatMap(({ findings }) => findings),
  );
  const last = part.at(-1);
  return move(settings, held, {
    position: position + part.length,
    cursor: last?.cursor,
    last: last && nameOf(last, settings.host),
    counts,
  });
}

/**
 * How many lines of the part before it say the same, for each line. With the begin of the part, this is the place of a line. Its number in the list would be
 * another one when a part is repeated after a line was inserted, and the line would look like a second one.
 */
function placesOf(part: readonly ReadableLine[], { operation, host }: StatementSettings): readonly number[] {
  const before = new Map<string, number>();
  return part.map((line) => {
    const subject = subjectOf(line, operation, host);
    const about = subject.kind === 'claim' ? subject.id : nameOf(line, host);
    const says = JSON.stringify([about, markOf(line, '', 0, host).line]);
    const place = before.get(says) ?? 0;
    before.set(says, place + 1);
    return place;
  });
}
