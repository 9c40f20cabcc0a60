import { type LockView, type ReleaseResult, readProgress } from 'pawl/locks';
import { carryOut } from './carry-out.ts';
import { type Io, type Line, UsageError } from './command.ts';
import { resourcesOf, whyItStays } from './lock-words.ts';
import { withAccount } from './open-account.ts';
import type { Values } from './option.ts';
import type { account as accountOptions, plan as planOptions } from './options.ts';
import { age, type Columns, plural, printer, printFacts, printJson, time } from './output.ts';

interface LocksGiven extends Values<typeof accountOptions> {
  readonly status: 'held' | 'kept' | undefined;
  readonly 'older-than': number | undefined;
  readonly limit: number | undefined;
  readonly json: boolean;
}

/** `pawl locks`. @returns 1 if a lock is kept, or no worker may be at it */
export async function locks({ options }: Line<LocksGiven>, io: Io): Promise<number> {
  const { status, 'older-than': olderThanMs = 0, limit = Number.POSITIVE_INFINITY, json } = options;
  let [count, waiting] = [0, 0];
  await withAccount(options, { io }, async (account) => {
    const print = printer(io, options, 'lock', columns, rowOf);
    for await (const page of account.locks.list({ status })) {
      const those = page.filter(({ since }) => Date.now() - since >= olderThanMs).slice(0, limit - count);
      for (const lock of those) print(lock);
      count += those.length;
      waiting += those.filter(({ mayBeAlive }) => !mayBeAlive).length;
      if (count >= limit) break;
    }
  });
  if (json) printJson(io, { kind: 'summary', locks: count, waiting });
  else io.out.line(count === 0 ? 'No lock is listed.' : `${plural(count, 'lock')}, ${waiting} without a worker.`);
  return waiting > 0 ? 1 : 0;
}

const columns: Columns = [
  ['STATUS', 16],
  ['AGE', 6],
  ['LOCK', 36],
  ['HOLDER', 32],
  ['RESOURCES', 0],
];

function rowOf(lock: LockView): readonly unknown[] {
  return [stateOf(lock), age(Date.now() - lock.since), tokenOf(lock), lock.holder, resourcesOf(lock)];
}

function stateOf({ status, mayBeAlive }: LockView): string {
  return status === 'held' && !mayBeAlive ? 'held, lease over' : status;
}

/** The id without what all locks have in common: a shell takes a word that begins with `#` for a comment. */
function tokenOf({ id }: LockView): string {
  return id.replace(/^#lock#/, '');
}

interface LockGiven extends Values<typeof accountOptions> {
  readonly work: string | undefined;
  readonly 'work-id': string | undefined;
  readonly json: boolean;
}

/** `pawl lock`. @returns 1 if there is none, or no worker may be at one that stands */
export async function lock({ names, options }: Line<LockGiven>, io: Io): Promise<number> {
  const [name = '', ...parts] = names;
  const { work, 'work-id': workId, json } = options;
  if (workId !== undefined && work === undefined) throw new UsageError('--work-id needs --work.');
  return withAccount(options, { io }, async (account) => {
    const byId = parts.length === 0 ? await account.locks.read(name) : undefined;
    const found = byId ?? (await account.locks.readOf([name, ...parts]));
    if (found === undefined) {
      io.error.line(`The table ${account.tableName} has no lock ${names.join(' ')}, and none of such a resource.`);
      return 1;
    }
    const id = workId ?? found.holder;
    const { dynamoStore: store } = account;
    if (work !== undefined && store === undefined)
      throw new UsageError('--work: what forEachItem has done is kept in DynamoDB, and not in a database.');
    const progress = work === undefined || store === undefined ? undefined : await readProgress({ store, id, work });
    const isDone = progress !== undefined && progress.done === progress.total;
    if (json) printJson(io, { kind: 'lock', ...found, ...(work !== undefined && { work, progress }) });
    else printLock(io, found, work === undefined ? undefined : progressText(progress));
    if (!json && found.status === 'kept' && progress !== undefined && !isDone) {
      io.out.line(
        'To go on: let the request of its holder come again, such as with pawl redrive. To give up: pawl unlock.',
      );
    }
    return found.status === 'ended' || found.mayBeAlive ? 0 : 1;
  });
}

function progressText(progress: { readonly done: number; readonly total: number } | undefined): string {
  if (progress === undefined) return 'not begun';
  const { done, total } = progress;
  return `${done} of ${total} done, ${total - done} left`;
}

function printLock(io: Io, lock: LockView, work: string | undefined): void {
  const { released } = lock;
  printFacts(io, {
    lock: tokenOf(lock),
    status:
      lock.status === 'held'
        ? `held; ${lock.mayBeAlive ? 'its worker may be alive' : 'its lease is over'}`
        : lock.status,
    holder: lock.holder,
    reason: lock.reason,
    since: time(lock.since),
    [lock.status === 'kept' ? 'kept until' : 'lease until']: time(lock.until),
    resources: `${lock.resources}: ${resourcesOf(lock)}`,
    fence: lock.fence,
    work,
    released: released && `by ${released.by} at ${time(released.at)}: ${released.note}`,
  });
}

interface UnlockGiven extends Values<typeof accountOptions>, Values<typeof planOptions> {
  readonly fence: number | undefined;
  readonly by: string;
  readonly note: string;
  readonly json: boolean;
}

/** `pawl unlock`. @returns 1 if a lock stays */
export async function unlock({ names, options }: Line<UnlockGiven>, io: Io): Promise<number> {
  const { fence, by, note } = options;
  if (fence !== undefined && names.length > 1) throw new UsageError('--fence: name one lock.');
  return withAccount(options, { io, onEvent: () => undefined }, async (account) => {
    const plan = await account.locks.planRelease({ locks: names.map((id) => ({ id, fence })), by, note });
    return carryOut(options, io, {
      parts: [{ ...plan, run: (signal) => account.locks.release(plan, { signal }) }],
      thing: 'lock',
      verb: 'released',
      expectsSome: true,
      columns: [['WILL', 30], ...columns.slice(1)],
      row: (item) => {
        const { lock } = item;
        const will = item.will === 'release' ? 'release' : `stay: ${whyItStays[item.whyNot]}`;
        if (lock === undefined) return [will, '', item.id];
        return [will, age(Date.now() - lock.since), tokenOf(lock), lock.holder, resourcesOf(lock)];
      },
      warn: () =>
        io.error.line(
          'Their resources are free then, for every holder. Work under them that is not done stays half done, until the request of its holder comes again.',
        ),
      question: (things) => `Release ${things}? This cannot be undone.`,
      isDone: ({ outcome }) => outcome === 'released',
      say: sayRelease,
      left: 'A lock under way is released or stays. Start it again.',
    });
  });
}

function sayRelease(result: ReleaseResult): string | undefined {
  if (result.outcome === 'released') return undefined;
  return `Not released: ${result.id.replace(/^#lock#/, '')}: ${whyItStays[result.whyNot]}.`;
}
