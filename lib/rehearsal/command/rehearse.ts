import { writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { type Io, printJson, type RehearseLine, UsageError } from '@pawl/cli';
import { MissingJavaError, startDynamoDbLocal } from '../engine/servers/dynamodb-local.ts';
import { sayFailing, sayLeft } from '../file/failing.ts';
import { junitOf } from '../file/junit.ts';
import { findApp, findFile, loadRehearsal } from '../file/load.ts';
import { reportText } from '../file/report.ts';
import { exitCodeOf, type RehearsalResult } from '../file/result.ts';
import { runRehearsal } from '../file/run.ts';
import type { Look } from '../file/running.ts';
import { watchApp } from '../file/watch.ts';
import { createProgress, type Progress } from '../progress.ts';
import type { RehearsalConsole } from './console.ts';

type Options = RehearseLine['options'];

/** `pawl rehearse`. @returns 0 if all is good, 1 if an effect was lost or doubled or if the run shows nothing, 2 if it could not run */
export async function rehearse({ names, options }: RehearseLine, io: Io): Promise<number> {
  const { seed = Math.floor(Math.random() * 1_000_000) } = options;
  // If a program reads the standard output, everything for people goes to the other stream.
  const people = options.json ? process.stderr : process.stdout;
  const progress = createProgress(people);
  // Ctrl-C ends it at once: what runs in this process ends with it, and the processes that it started are killed as it exits.
  io.ending.signal.addEventListener('abort', () => progress.end(), { once: true });
  const [first, ...others] = names;
  for (const flag of ['watch', 'console'] as const) {
    if (options[flag] && others.length > 0) {
      throw new UsageError(`--${flag} is for one rehearsal, and stays until Ctrl-C. Name one file.`);
    }
  }
  const session: Session = { options, io, seed, people, progress, served: await servedFor(options, progress) };
  try {
    return options.watch ? await watchFile(session, first) : await rehearseAll(session, [first, ...others]);
  } catch (error) {
    // Only if it could not run: what has run stays until Ctrl-C.
    await session.served?.endWith(error instanceof Error ? error.message : String(error));
    throw error;
  }
}

async function rehearseAll(session: Session, files: readonly (string | undefined)[]): Promise<number> {
  let worst = 0;
  for (const file of files) {
    const goesOn = session.options['keep-going'];
    worst = Math.max(worst, goesOn ? await orSays(session, file) : await rehearseFile(session, file));
    if (worst > 0 && !goesOn) return worst;
  }
  return worst;
}

/** The console that `--console` asks for. It is there before anything else is started: a port in use would end all of that. */
async function servedFor({ port, console }: Options, progress: Progress): Promise<RehearsalConsole | undefined> {
  if (!console) {
    if (port !== undefined) throw new UsageError('--port is the port of the page that --console serves. Give both.');
    return undefined;
  }
  const { serveRehearsals } = await import('./console.ts');
  const served = await serveRehearsals({ title: 'rehearsal', port });
  progress.say(`The console, for one browser: ${served.url}`);
  return served;
}

/** The same; of a file that cannot run, it says why, and returns 2. */
async function orSays(session: Session, file: string | undefined): Promise<number> {
  try {
    return await rehearseFile(session, file);
  } catch (error) {
    session.io.error.lines(error instanceof Error ? error.message : String(error));
    return 2;
  }
}

/** One call of the command. */
interface Session {
  readonly options: Options;
  readonly io: Io;
  readonly seed: number;
  readonly people: NodeJS.WriteStream;
  readonly progress: Progress;
  /** @default no page is served */
  readonly served: RehearsalConsole | undefined;
}

/** What a run has from the one before it. */
interface Standing {
  readonly dynamoDb?: { readonly endpoint: string } | undefined;
  readonly signal?: AbortSignal;
  /** The number of the run, from 0. */
  readonly version?: number;
}

/** Rehearses again at each change of the app, until Ctrl-C. DynamoDB Local stays. */
async function watchFile(session: Session, named: string | undefined): Promise<number> {
  const { progress, served } = session;
  const path = findFile(named, process.cwd());
  const { folder } = await findApp((await loadRehearsal(path)).options.app, path);
  // Without a Java, each run says whether its app needs one.
  const dynamoDb = await startDynamoDbLocal().catch((error: unknown) => {
    if (error instanceof MissingJavaError) return undefined;
    throw error;
  });
  const watching = watchApp(folder);
  for (let version = 0; ; version += 1) {
    const signal = watching.next();
    try {
      await rehearseFile(session, named, { dynamoDb, signal, version });
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      progress.say(text);
      served?.fail(text);
    }
    if (!signal.aborted) {
      progress.say(`Waits for a change in ${folder}. Ctrl-C ends it.`);
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    }
  }
}

async function rehearseFile(
  { options, io, seed, people, progress, served }: Session,
  named: string | undefined,
  { dynamoDb, signal, version }: Standing = {},
): Promise<number> {
  const path = findFile(named, process.cwd());
  const rehearsal = await loadRehearsal(path, version);
  const app = await findApp(rehearsal.options.app, path);
  const { filter, story, junit, json, verbose } = options;
  progress.say(`Rehearsing ${app.folder}${filter === undefined ? '' : `, only ${filter}`} (seed ${seed})`);
  const page = served?.begin({ title: basename(app.folder), seed });
  const result = await runRehearsal(rehearsal, {
    seed,
    app,
    dynamoDb,
    signal,
    filter,
    appOf: (other) => findApp(other, path),
    story,
    onStarting(what) {
      progress.update(`${what} …`);
      page?.onStarting(what);
    },
    onLook(look) {
      show(progress, look);
      page?.onLook(look);
    },
    onLog(text, sandbox) {
      if (verbose) process.stderr.write(`${sandbox} ${text}\n`);
      page?.onLog(text, sandbox);
    },
    ...(page ? { onUp: page.onUp } : {}),
    async onResult(found) {
      progress.end();
      print(found);
      if (page === undefined) return;
      page.onResult(found);
      const until = signal === undefined ? '' : `, until something changes in ${app.folder}`;
      progress.say(`The app and its console are still up${until}. Ctrl-C ends them.`);
      await changed(signal);
    },
  }).finally(() => progress.end());
  return exitCodeOf(result);

  function print(found: RehearsalResult): void {
    const command = ['npx pawl rehearse', named, filter && `--filter ${filter}`, `--seed ${seed}`];
    const again = command.filter((part) => part !== undefined).join(' ');
    people.write(`${reportText(found, { colour: people.isTTY === true, again })}\n`);
    if (json) printJson(io, found);
    if (junit !== undefined) writeFileSync(junit, junitOf(found, basename(path)));
  }
}

/** Until the app changes; without a signal, until Ctrl-C ends the process. */
function changed(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) resolve();
    signal?.addEventListener('abort', () => resolve(), { once: true });
  });
}

function show(progress: Progress, { seconds, done, killed, failing, ...look }: Look): void {
  const counts = Array.from(done, ([effect, count]) => `${count} ${effect}`).join('   ');
  progress.update(
    `${seconds.toFixed(0).padStart(3)} s   ${counts}   ${killed} killed   ${sayFailing(failing) || sayLeft(look)}`,
  );
}
