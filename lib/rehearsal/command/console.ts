import { userInfo } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Shown, startConsole } from '@pawl/cli';
import { dynamoStore, sdk } from 'pawl/dynamodb';
import { dynamoLockStore, lockOperator } from 'pawl/locks';
import { operator } from 'pawl/operate';
import { findings } from 'pawl/statements';
import { followRuns, type RunHooks } from '../file/follow.ts';
import type { RunOptions } from '../file/running.ts';
import { short } from '../file/story.ts';
import { claimsTables } from '../pawl/find-claims.ts';
import type { Rehearsal as Engine } from '../rehearsal.ts';
import { createFeed } from './feed.ts';

/** What a console has to hear of a run. */
export type ServedHooks = RunHooks & Required<Pick<RunOptions, 'onLog'>>;

/** The console over rehearsals, one after the other. */
export interface RehearsalConsole {
  /** Opens the page, in one browser, once. */
  readonly url: string;
  /** The page shows this run from now on. */
  begin(run: { readonly title: string; readonly seed: number }): ServedHooks;
  /** The run that has begun last could not run, or was ended. */
  fail(why: string): void;
  /** The same, and the console ends: when a page that is open has shown it, or after some seconds. */
  endWith(why: string): Promise<void>;
}

interface ServeOptions {
  readonly title: string;
  /** The port of the page. @default a free one */
  readonly port?: number | undefined;
  /** The stack whose table of claims is shown first. @default the first one that has one */
  readonly firstStack?: string;
}

/** A page that is open looks every second. */
const seenWithinMs = 2_000;

const nothing: Shown = { queues: [], desks: new Map() };

/**
 * Serves the console over rehearsals. It can write: there is nothing here to break.
 *
 * @throws PortInUseError when the port is taken
 */
export async function serveRehearsals({ title, port, firstStack }: ServeOptions): Promise<RehearsalConsole> {
  const runs = followRuns();
  const { feed, read, watch, end } = createFeed();
  let lookedAt = 0;
  let onSeen: (() => void) | undefined;
  const view = () => {
    lookedAt = Date.now();
    const shown = runs.view();
    if (shown?.state === 'failed') onSeen?.();
    return shown;
  };
  const { url, show, stop } = await startConsole({
    ...{ ...nothing, title, write: true, user: userInfo().username, port, feed },
    rehearsal: { view, report: runs.report },
  });
  return {
    url,
    begin(run) {
      const hooks = runs.begin(run);
      show(nothing);
      return {
        ...hooks,
        onLog: (line) => read(line),
        async onUp(running) {
          watch(running);
          hooks.onUp(running);
          show({ queues: deadLettersOf(running.engine), desks: await desksOf(running.engine, firstStack) });
        },
      };
    },
    fail(why) {
      runs.fail(why);
      show(nothing);
    },
    async endWith(why) {
      end();
      const isOpen = Date.now() - lookedAt < seenWithinMs;
      const seen = new Promise<void>((resolve) => {
        // One look later, so that the response is out.
        onSeen = () => setTimeout(resolve, 100);
      });
      runs.fail(why);
      show(nothing);
      if (isOpen) await Promise.race([seen, sleep(seenWithinMs, undefined, { ref: false })]);
      await stop();
    },
  };
}

/** The claims tables of the app, by their constructs. An app without pawl has none. */
async function desksOf({ dynamo, sqs, stacks }: Engine, first: string | undefined): Promise<Shown['desks']> {
  const tables = stacks
    .toSorted((a, b) => Number(b.name === first) - Number(a.name === first))
    .flatMap((stack) => stack.tables);
  const ours = new Set(
    await claimsTables(
      dynamo,
      tables.map(({ name }) => name),
    ),
  );
  return new Map(
    tables
      .filter(({ name }) => ours.has(name))
      .map(({ name: tableName, construct }) => {
        const store = dynamoStore({ tableName, aws: sdk({ dynamodb: dynamo, sqs: sqs.client }) });
        const onEvent = () => undefined;
        const operate = operator({ store, onEvent });
        const locks = lockOperator({ store: dynamoLockStore(store), onEvent });
        return [construct, { operate, locks, findings: findings({ store }) }] as const;
      }),
  );
}

function deadLettersOf({ stacks }: Engine): Shown['queues'] {
  const queues = stacks.flatMap((stack) => stack.queues);
  return queues.flatMap(({ arn, url, construct }) => {
    const sources = queues.filter(({ deadLetterArn }) => deadLetterArn === arn);
    // Queues may share a dead-letter queue. Then it is not known which one a message belongs to.
    const [source] = sources;
    if (source === undefined) return [];
    return [{ url, name: short(construct), to: sources.length === 1 ? source.url : undefined }];
  });
}
