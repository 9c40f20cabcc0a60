import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import { type Shown, startConsole } from '@pawl/cli';
import { readProgress } from 'pawl/locks';
import { settleFindings } from 'pawl/statements';
import { propertyOf } from '../../lib/pawl/kernel/unknown.ts';
import { withListing } from '../../lib/pawl/stores/listing.ts';
import { createFeed } from '../../lib/rehearsal/command/feed.ts';
import type { Progress } from '../../lib/rehearsal/progress.ts';
import { endOnSignals } from '../end-on-signals.ts';
import { operations, work } from './consumers.ts';
import { type Incident, startIncident } from './incident.ts';
import { type Facts, type Fifty, isSettled, type Judgement, judge, lineOf } from './judge.ts';
import remedies from './remedies.ts';
import { arnOf, deadLetterQueues, queues } from './servers.ts';

/*
 * `npm start -- --incident`: the incident of fifty, until Ctrl-C.
 */

const lookMs = 500;

/** Runs until a signal ends this process: with 0 if all is settled and the bank's list and the ledger agree, else with 1. */
export async function runIncident(progress: Progress, say: (text: string) => void): Promise<never> {
  const { feed, read } = createFeed();
  const incident = await startIncident({
    say: progress.say,
    onEvent: (event) => read(JSON.stringify({ pawl: event.type, ...event })),
  });
  // The remedies read it where they run, as in an operator's shell.
  process.env['BANK_URL'] = incident.bank.endpoint;
  const consoles = await Promise.all(
    ['maria', 'tom'].map(async (user) => {
      const { url } = await startConsole({
        ...shownTo(user, incident),
        title: 'the incident',
        works: [work],
        write: true,
        user,
        feed,
      });
      return { user, url };
    }),
  );
  const was = fiftyOf(incident);
  let judged = judge(was, await factsOf(incident, was));
  // The servers end with Ctrl-C as this process does: what counts is what was seen last.
  endOnSignals(
    () => {
      progress.end();
      for (const difference of judged.differences) say(`  ${difference}`);
      say(lineOf(judged));
    },
    () => (isSettled(judged) ? 0 : 1),
  );
  say(textOf(incident, consoles));
  for (;;) {
    await sleep(lookMs);
    const before = judged;
    judged = judge(was, await factsOf(incident, was));
    if (isSettled(judged) && !isSettled(before)) progress.say('All is settled. Ctrl-C ends it.');
    else if (lineOf(judged) !== lineOf(before)) progress.say(leftIn(judged));
  }
}

function leftIn(judged: Judgement): string {
  return lineOf(judged).replace('settled', 'so far');
}

/** What the console of one person is over. */
function shownTo(user: string, { servers, desks, store }: Incident): Shown {
  const url = (name: string) => servers.sqs.address(name).url;
  return {
    desks: new Map([
      [
        servers.tables.claims,
        {
          ...{ operate: desks.operate, locks: desks.locks, findings: desks.findingsAs(user) },
          settlement: settleFindings({
            ...remedies,
            store,
            identity: async () => arnOf(user),
            onEvent: () => undefined,
          }),
          progressOf: (id: string, name: string) => readProgress({ store, id, work: name }),
        },
      ],
    ]),
    queues: (['charge', 'repay'] as const).map((consumer) => ({
      url: url(deadLetterQueues[consumer]),
      name: deadLetterQueues[consumer],
      to: url(queues[consumer]),
    })),
  };
}

function fiftyOf({ was }: Incident): Fifty {
  return {
    locks: was.locks.map(({ holder }) => holder),
    works: was.works.map(({ holder }) => holder),
    claims: was.claims.map(({ id }) => id),
    findings: was.findings.map(({ id }) => id),
  };
}

/** What stands now, read from the tables and from the bank. */
async function factsOf({ servers, bank, desks, store }: Incident, was: Fifty): Promise<Facts> {
  const [stand, claims, debts, open] = await Promise.all([
    desks.standing(),
    itemsOf(servers.dynamo, servers.tables.claims),
    itemsOf(servers.dynamo, servers.tables.debts),
    desks.openFindings(),
  ]);
  const listed = withListing(store);
  const notes = await Promise.all(was.findings.map((id) => listed.readNote(id)));
  return {
    holders: new Set(stand.map(({ holder }) => holder)),
    claims: new Map(
      claims
        .filter(({ id }) => !String(id).startsWith('#'))
        .map(({ id, status, attributes, discarded }) => {
          const amount = propertyOf(attributes, 'amountCents');
          return [
            String(id),
            {
              status: String(status),
              isDiscarded: discarded !== undefined,
              ...(amount !== undefined && { amountCents: Number(amount) }),
            },
          ];
        }),
    ),
    findings: new Map(notes.flatMap((note) => (note === undefined ? [] : [[note.id, JSON.parse(note.text)]]))),
    openFindings: new Set(open.map(({ id }) => id)),
    debts: new Map(debts.map(({ debtId, repaid }) => [String(debtId), Number(repaid ?? 0)])),
    bank: bank.lines,
  };
}

async function itemsOf(dynamo: Incident['servers']['dynamo'], TableName: string) {
  const client = DynamoDBDocumentClient.from(dynamo);
  const all: Readonly<Record<string, unknown>>[] = [];
  for await (const { Items = [] } of paginateScan({ client }, { TableName, ConsistentRead: true })) all.push(...Items);
  return all;
}

/** What is here, and how to look at it. */
function textOf(
  { servers, bank }: Incident,
  consoles: readonly { readonly user: string; readonly url: string }[],
): string {
  const { charge, repay } = deadLetterQueues;
  const env = { ...servers.env('maria'), BANK_URL: bank.endpoint };
  const exported = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const table = `--table ${servers.tables.claims}`;
  return `
20 kept locks, 3 interrupted works, 15 parked claims and 12 findings wait for you.

The console, for one browser each:
${consoles.map(({ user, url }) => `  ${user.padEnd(7)}${url}`).join('\n')}
The bank's own list:
  ${bank.endpoint}/          in a terminal: curl ${bank.endpoint}/lines

The commands, in another shell in this folder:
  export ${exported.join(' ')}
  npx pawl locks ${table}
  npx pawl lock <id> --work ${work} ${table}
  npx pawl claims ${table}
  npx pawl dlq --queue ${charge} ${table}
  npx pawl dlq --queue ${repay} --operation ${operations.repay} --key body:requestId ${table}
  npx pawl findings ${table}

How to settle them: docs/guides/incident.md
Ctrl-C ends it, and says whether the bank's list and the ledger agree.
`;
}
