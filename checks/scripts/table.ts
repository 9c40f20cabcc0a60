/**
 * What stands behind an npm script that runs one of several things: `npm run campaign -- versions`. Its help, and the check that a page names nothing
 * that is not there, read this table.
 *
 * To add one, add a row.
 */

export interface Part {
  /** What it does, how long it takes, and what it needs beside Java 17. */
  readonly says: string;
  /** A file for Node with its arguments, or another program of `node_modules/.bin`. What is typed behind the name comes last. */
  readonly run: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Whether it works on the tarballs, which `npm run build` makes first. */
  readonly needsBuild?: true;
}

export interface Script {
  readonly says: string;
  readonly parts: Readonly<Record<string, Part>>;
  /** The part that runs when none is named. @default the list is printed */
  readonly otherwise?: string;
}

export const npmScripts = {
  campaign: {
    says: 'Proofs that take minutes or hours, and are no part of the tests.',
    parts: {
      kills: {
        says: 'npm start with one seed after the other, until a thousand processes were killed. 30 minutes at most',
        run: 'proof/campaign/main.ts',
      },
      versions: {
        says: "a deployment and a rollback under load, beside the packed version before, from git's history. 7 minutes",
        run: 'proof/campaign/versions/main.ts',
      },
      deploy: {
        says: 'an app that is not the shop moves from the packed version before, and to another policy, in mid-traffic. A minute for each of 20 seeds',
        run: 'proof/campaign/versions/deploy.ts',
      },
      statements: {
        says: 'a statement of a million lines against as many claims, while the process is killed',
        run: 'proof/statements/main.ts',
      },
      apps: {
        says: 'five apps that are not the shop, rehearsed without pawl and with it. 5 minutes for each seed: PAWL_SEEDS=10',
        run: 'vitest run --project long test/suites/integration/rehearsal/apps.long.test.ts',
        env: { PAWL_APPS: 'all' },
      },
      postgres: {
        says: 'payments in PostgreSQL, while 252 workers and 252 backends are killed, and the server is stopped 252 times. 15 minutes',
        run: 'vitest run --project long test/suites/integration/postgres-kills.long.test.ts',
        env: { PAWL_KILLS: '14' },
      },
      planted: {
        says: 'is a rehearsal right? Planted mistakes and innocent apps, with three clients and in three layouts. --quick: one of each, 15 minutes; --part 2/9',
        run: 'proof/planted/main.ts',
      },
      locks: {
        says: '20,000 items and 200 overlapping requests, with workers being killed. 4 minutes',
        run: 'proof/campaign/locks.ts',
      },
      soak: {
        says: 'what grows, slows down, is lost or happens twice over many messages. 10 minutes',
        run: 'proof/soak/main.ts',
      },
      mutants: {
        says: 'a hundred behaviours of the protocol broken, and which check finds each. --only lib/pawl/rules/settle for some',
        run: 'proof/mutants/main.ts',
      },
      stryker: {
        says: 'the same by a tool, everywhere in the kernel, the rules, the engine and SQS. --mutate lib/pawl/rules/decide.ts for a part',
        run: 'stryker run proof/stryker.config.json',
      },
      peer: {
        says: 'the crash sweep over pawl and over Powertools, so many seeds',
        run: 'proof/peer/main.ts',
      },
      scenarios: {
        says: 'what the page of the twenty scenarios says of Powertools, by the version that is installed. Half a minute',
        run: 'proof/peer/run-scenarios.ts',
      },
      migration: {
        says: 'a fleet of pawl and Powertools that moves over by halves and back, until three hundred workers were killed. 5 minutes',
        run: 'vitest run --project long test/proof/migration.long.test.ts',
        env: { PAWL_KILLS: '300' },
      },
      shares: {
        says: 'the share of enforced keys raised to all of them and lowered again in mid-traffic, until two hundred workers were killed. 5 minutes',
        run: 'vitest run --project long test/proof/shares.long.test.ts',
        env: { PAWL_KILLS: '200' },
      },
      observe: {
        says: 'five apps under observe, with their table, without it, and while it is taken away, beside themselves without pawl. 20 minutes; --seeds 4; --shop 3: the shop as well',
        run: 'proof/observe/main.ts',
      },
      rotation: {
        says: 'the secret of hidden keys changed under kills, in two thousand orders of steps. 10 minutes',
        run: 'vitest run --project unit test/proof/rotation.test.ts',
        env: { PAWL_SEEDS: '2000' },
      },
      remedies: {
        says: 'a thousand refunds of a thousand findings, in three runs side by side that are killed 36 times. 5 minutes',
        run: 'vitest run --project long test/pawl/statements/remedy-kills.long.test.ts',
        env: { PAWL_FINDINGS: '1000' },
      },
      workflows: {
        says: 'twenty thousand seeds of ends that are told early, twice or never, and 1,000 intents to each target, while workers are killed. 20 minutes',
        run: 'vitest run --project long test/pawl/workflows',
        env: { PAWL_SEEDS: '20000', PAWL_INTENTS: '1000' },
      },
      outbox: {
        says: 'a thousand processes of an outbox killed in each database, and 50,000 messages through one relay beside ten poisoned groups. An hour',
        run: 'vitest run --project long test/suites/integration/outbox/kills.long.test.ts test/suites/integration/outbox/poisoned.long.test.ts',
        env: { PAWL_KILLS: '1000', PAWL_MESSAGES: '50000', PAWL_ROUNDS: '2' },
      },
      batch: {
        says: 'a thousand workers killed in a batch of 100: how many claims each leaves in doubt. 20 minutes',
        run: 'vitest run --project long test/suites/integration/killed-batch.long.test.ts',
        env: { PAWL_KILLS: '1000' },
      },
      throttling: {
        says: 'a thousand sandboxes beside a table that is too small, simulated',
        run: 'proof/throttling/main.ts',
      },
    },
  },
  bench: {
    says: 'What pawl costs.',
    otherwise: 'cost',
    parts: {
      cost: {
        says: 'requests, CPU, time and memory beside the peer. 8 minutes; --quick for a look, --write for the pages',
        run: 'bench/cost/main.ts',
      },
      compare: {
        says: 'what a change did: pawl as it is now beside itself at a commit, in pairs: compare 4f4f3e8. 8 minutes; --rounds',
        run: 'bench/compare/main.ts',
      },
      locks: {
        says: 'locks and work larger than a transaction. 3 minutes; --quick',
        run: 'bench/locks/main.ts',
      },
      postgres: {
        says: 'claims in PostgreSQL beside the same statements by hand. 2 minutes; --quick',
        run: 'bench/postgres/main.ts',
      },
      latency: {
        says: 'how long a batch takes beside a table that takes 5 ms for a request. 3 minutes; --quick',
        run: 'bench/latency/main.ts',
      },
      outbox: {
        says: 'one message and ten in a commit, beside `sendOnce` and beside a transaction by hand. 2 minutes; --quick',
        run: 'bench/outbox/main.ts',
      },
      observe: {
        says: 'a consumer that is observed, beside one that is enforced. A minute; --quick',
        run: 'bench/observe/main.ts',
      },
      start: {
        says: 'from the start of a process to its first claim sent. 4 minutes; --quick',
        run: 'bench/start/main.ts',
      },
    },
  },
  e2e: {
    says: 'From outside: what is packed, printed or deployed, in the hands of tools that are not ours. No part of the tests.',
    parts: {
      package: {
        says: "the tarballs in fresh projects, a row for each: every compiler, each end of every peer's range, Jest. 10 minutes; a registry; `types jest` for some rows",
        run: 'checks/package/main.ts',
        needsBuild: true,
      },
      deploy: {
        says: 'the shop deployed into an AWS emulator from PyPI. 2 to 4 minutes; Python 3.10, openssl',
        run: 'bin/e2e-deploy.ts',
      },
      executions: {
        says: 'executions that are started once and waited for, deployed into that emulator, and settled by an operator. 5 minutes; Python 3.10, openssl',
        run: 'bin/e2e-executions.ts',
      },
      templates: {
        says: 'the printed SAM and CloudFormation templates in that emulator, an order through each. A minute; Python 3.10',
        run: 'bin/e2e-templates.ts',
      },
      printed: {
        says: 'what `pawl template` prints, before the tools of each format. 2 minutes; Python 3.10, PyPI, a registry of npm',
        run: 'checks/printed/main.ts',
      },
      conformance: {
        says: 'cases of queues and mappings, in a rehearsal and in that emulator, beside what AWS documents. 2 minutes; Python 3.10',
        run: 'proof/conformance/main.ts',
      },
      account: {
        says: 'what only AWS can say, in a temporary stack of an account of yours; or with --emulator',
        run: 'proof/account/main.ts',
      },
      workflows: {
        says: 'the files for GitHub, before its schemas. Python 3.10, PyPI',
        run: 'checks/workflows.ts',
      },
    },
  },
  release: {
    says: 'What RELEASING.md asks for. It publishes nothing.',
    parts: {
      dry: {
        says: 'a release, but for publishing, beside the last one. --only surface,records for some parts',
        run: 'checks/release/main.ts',
      },
      sizes: {
        says: 'writes the figures of the plain consumers, checks/sizes.json, that `check` prints its own beside',
        run: 'checks/sizes.ts --write',
      },
      record: {
        says: 'keeps what this commit is, in checks/release/last, for the next comparison',
        run: 'checks/release/record.ts',
      },
    },
  },
  docs: {
    says: 'The site of docs/.',
    otherwise: 'build',
    parts: {
      build: { says: 'writes it into site/dist', run: 'site/main.ts build' },
      serve: { says: 'serves what was built', run: 'site/main.ts serve' },
      dev: { says: 'serves the pages as you change them', run: 'site/main.ts dev' },
      pictures: {
        says: 'takes the pictures of the console and of the site again, into docs/images, in the tests with a browser',
        run: 'vitest run --project integration --project long test/suites/integration/console test/site',
        env: { PAWL_SCREENSHOTS: 'docs/images/console', PAWL_SITE_SCREENSHOTS: 'docs/images/site' },
      },
    },
  },
} as const satisfies Readonly<Record<string, Script>>;

export const scriptOf = (name: string): Script | undefined =>
  Object.entries<Script>(npmScripts).find(([script]) => script === name)?.[1];

/** What `--help` prints. */
export function helpOf(name: string, { says, parts, otherwise }: Script): string {
  const width = Math.max(...Object.keys(parts).map(({ length }) => length)) + 2;
  const rows = Object.entries(parts).map(([part, row]) => `  ${part.padEnd(width)}${row.says}`);
  const first = otherwise === undefined ? '' : `\n\nWithout a name: ${otherwise}.`;
  return `${says}\n\nnpm run ${name} -- <name> [options]\n\n${rows.join('\n')}${first}`;
}

/** What a command line asks for. */
export type Asked =
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'unknown'; readonly text: string }
  | { readonly kind: 'part'; readonly part: Part; readonly rest: readonly string[] };

export function askedOf(name: string, script: Script, args: readonly string[]): Asked {
  const text = helpOf(name, script);
  const [first, ...rest] = args;
  if (first === '--help' || (first === undefined && script.otherwise === undefined)) return { kind: 'help', text };
  const named = first !== undefined && Object.hasOwn(script.parts, first) ? script.parts[first] : undefined;
  if (named) return { kind: 'part', part: named, rest };
  const part = script.parts[script.otherwise ?? ''];
  if (part && (first === undefined || first.startsWith('-'))) return { kind: 'part', part, rest: args };
  return { kind: 'unknown', text: `There is no npm run ${name} -- ${first}.\n\n${text}` };
}
