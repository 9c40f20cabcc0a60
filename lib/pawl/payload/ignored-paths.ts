import { warnOnce } from '../kernel/warn-once.ts';

/** After how many inputs a path that none of them had is said. */
const enough = 100;

/** The paths of one rule that no input has had yet. */
interface Unseen {
  readonly paths: Set<string>;
  inputs: number;
}

const watched = new WeakMap<readonly string[], Unseen>();

/** Watches whether the paths of a rule leave anything out. A misspelt one leaves nothing out, and every repetition with another value of its field is refused. */
export function watchIgnored(ignored: readonly string[]): void {
  if (ignored.length > 0) watched.set(ignored, { paths: new Set(ignored), inputs: 0 });
}

/** What is still to be seen of these paths; nothing where all were seen, or it has been said. */
export function unseenOf(ignored: readonly string[]): ReadonlySet<string> | undefined {
  return watched.get(ignored)?.paths;
}

/** An input was compared, and these paths were in it. */
export function haveSeen(ignored: readonly string[], seen: readonly string[]): void {
  const unseen = watched.get(ignored);
  if (unseen === undefined) return;
  for (const path of seen) unseen.paths.delete(path);
  unseen.inputs++;
  if (unseen.paths.size > 0 && unseen.inputs < enough) return;
  watched.delete(ignored);
  if (unseen.paths.size > 0) warnOfUnseen([...unseen.paths]);
}

function warnOfUnseen(paths: readonly string[]): void {
  const named = paths.map((path) => `'${path}'`).join(', ');
  const said = `fingerprint: ignore names ${named}, which none of the first ${enough} inputs had`;
  const advice = 'It leaves nothing out. A path begins at the root of the input, as in items.*.updatedAt';
  warnOnce('nothing-ignored', named, `${said}. ${advice}`);
}
