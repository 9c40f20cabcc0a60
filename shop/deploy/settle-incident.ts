import { record } from '../../lib/rehearsal/engine/app/template.ts';
import { readClaims } from '../../lib/rehearsal/pawl/claims-table.ts';
import { constructOf, operationOf } from '../app/app-functions.ts';
import { incidentPlan } from './incident-plan.ts';
import type { Journal } from './journal.ts';
import type { OrdersPart } from './orders.ts';
import { nameOf } from './part.ts';
import type { PawlRun, World } from './world.ts';

export interface IncidentOptions {
  readonly world: World;
  readonly journal: Journal;
  readonly orders: OrdersPart;
  /** Waits until the queues are empty. Returns how many messages are left. */
  readonly drain: () => Promise<number>;
}

const acted = ['--by', 'maria', '--note', 'looked up at the mail service', '--yes', '--json'] as const;
const mails = ['--operation', operationOf.email] as const;

/**
 * An incident, and an operator who settles it with the command line, under the operator's role and no other. Then every mail
 * that was left in doubt has gone out once, and nothing is open.
 */
export async function settleIncident(options: IncidentOptions): Promise<void> {
  const { world, journal, orders } = options;
  journal.say(
    `an incident: ${incidentPlan.mails} mails fail in the middle, some with their worker; ${incidentPlan.refused} gift cards are refused`,
  );
  await orders.sendMore(world.plan.incident);
  journal.expect('all of them have left their queues', (await options.drain()) === 0);

  const { deployed } = orders;
  const role = (construct: string) => nameOf(deployed, 'AWS::IAM::Role', construct);
  const consumer = role(`${constructOf['send-email']}Role`);
  // A mail whose worker died beside another one has not met its own trouble yet: it would be parked once more.
  world.calm();
  await world.assume({ consumer, operator: role('Operator') });

  await expectRefusals(options, consumer);
  const open = await listOpen(options);
  await decide(options, open);
  await expectSettled(options, open);
  await expectNoOthers(options, role('Operator'), 'Operator', ['dynamodb:DescribeTable']);
}

const tableOf = ({ orders }: IncidentOptions) => nameOf(orders.deployed, 'AWS::DynamoDB::Table', 'Claims');

/** Runs `pawl` on the stack by its name, as the operator. */
function asOperator({ world, journal, orders }: IncidentOptions) {
  return (...args: readonly string[]): Promise<PawlRun> => {
    journal.say(`pawl ${args.filter((arg) => !arg.includes('#')).join(' ')}`);
    return world.pawl([...args, '--stack', orders.deployed.stack, '--profile', 'operator']);
  };
}

const said = ({ lines }: PawlRun) => lines.join('\n');
const ofKind = ({ lines }: PawlRun, kind: string) =>
  lines
    .filter((line) => line.startsWith('{'))
    .map((line) => record(JSON.parse(line)))
    .filter((line) => line['kind'] === kind);
const summaryOf = (run: PawlRun) => ofKind(run, 'summary')[0] ?? {};

/** Each role may do what it is for, and no more. */
async function expectRefusals(options: IncidentOptions, consumer: string): Promise<void> {
  const { world, journal } = options;
  const table = ['--table', tableOf(options)];
  await using _ = await world.account.letAccountAssume(consumer);
  const refused = async (profile: string, args: readonly string[], action: string, what: string) => {
    const run = await world.pawl([...args, ...table, '--profile', profile]);
    const denied = said(run).includes(`may not perform ${action}`);
    journal.expect(what, run.code === 2 && denied);
    if (!denied) journal.say(`  ${said(run)}`);
  };
  await refused('consumer', ['claims'], 'dynamodb:Query', "a consumer's role is refused when it lists claims");
}

/** Returns the ids of the mails' claims that are open. */
async function listOpen(options: IncidentOptions): Promise<readonly string[]> {
  const { world, journal } = options;
  const pawl = asOperator(options);
  const idsIn = (run: PawlRun) => ofKind(run, 'claim').map(({ id }) => String(id));
  const isSame = (some: readonly string[], others: readonly string[]) =>
    some.toSorted().join() === others.toSorted().join();

  const { parked } = await readClaims(world.account.dynamo, tableOf(options));
  const ids = [...parked].filter((id) => id.startsWith(`${operationOf.email}#`));
  const listed = await pawl('claims', ...mails, '--json');
  journal.expect(
    `it lists the ${ids.length} mails that are parked`,
    listed.code === 1 && ids.length >= incidentPlan.mails && isSame(idsIn(listed), ids),
  );

  const [first = ''] = ids;
  const one = await pawl('claim', first, '--json');
  journal.expect(
    'it shows one of them, with its effect key',
    one.code === 1 && ofKind(one, 'claim').some(({ id, effectKey }) => id === first && typeof effectKey === 'string'),
  );
  return ids;
}

/** Looks the mails up at the mail service, decides all claims, and redrives their messages. */
async function decide(options: IncidentOptions, open: readonly string[]): Promise<void> {
  const { world, journal } = options;
  const pawl = asOperator(options);
  const letters = await pawl('dlq', '--json');
  const because = (reason: string) => ofKind(letters, 'letter').filter((letter) => letter['reason'] === reason);
  const [parked, rejected] = [because('parked').length, because('rejected').length];
  // A worker that died between the dead letter and the end of its batch has left two of them for one claim.
  const claims = new Set(because('rejected').map(({ claimId }) => claimId));
  journal.expect(
    `it shows the dead letters: ${parked} parked, ${rejected} rejected`,
    letters.code === 1 && parked >= open.length && claims.size === incidentPlan.refused,
  );
  const early = await pawl('redrive', '--reason', 'parked', '--yes', '--json');
  journal.expect(
    'none of the parked goes back before it is decided',
    early.code === 1 && summaryOf(early)['planned'] === 0 && summaryOf(early)['stay'] === parked,
  );

  const sent = world.ledger.countByOrder('email');
  const applied = open.filter((id) => sent.has(id.slice(id.indexOf('#') + 1)));
  const happened = await pawl('resolve', ...applied, 'applied', ...acted);
  journal.expect(
    `${applied.length} have gone out, and are resolved as applied`,
    happened.code === 0 && summaryOf(happened)['resolved'] === applied.length,
  );
  const rest = await pawl('resolve', 'not-applied', ...mails, ...acted);
  const left = open.length - applied.length;
  journal.expect(
    `the other ${left} have not, and are resolved as not-applied`,
    rest.code === 0 && summaryOf(rest)['resolved'] === left,
  );

  const redriven = await pawl('redrive', '--reason', 'parked', '--yes', '--json');
  journal.expect(
    `${parked} messages go back to the queue`,
    redriven.code === 0 && summaryOf(redriven)['redriven'] === parked,
  );
  // By the names of the queues.
  const queue = (construct: string) =>
    nameOf(options.orders.deployed, 'AWS::SQS::Queue', `${constructOf['issue-gift-card']}${construct}`);
  const [from = '', to = ''] = [queue('DeadLetterQueue'), queue('Queue')].map((url) => url.split('/').at(-1));
  const refused = await pawl('redrive', '--queue', from, '--to', to, '--reason', 'rejected', '--yes', '--json');
  journal.expect(
    'what was rejected stays',
    refused.code === 1 && summaryOf(refused)['planned'] === 0 && summaryOf(refused)['stay'] === rejected,
  );
}

async function expectSettled(options: IncidentOptions, open: readonly string[]): Promise<void> {
  const { world, journal } = options;
  journal.expect('all of them have left their queues', (await options.drain()) === 0);
  const sent = world.ledger.countByOrder('email');
  const wrong = open.filter((id) => sent.get(id.slice(id.indexOf('#') + 1)) !== 1);
  journal.expect(`each of the ${open.length} mails has gone out once`, wrong.length === 0);
  const pawl = asOperator(options);
  const [claims, letters] = [await pawl('claims', '--json'), await pawl('dlq', '--reason', 'parked', '--json')];
  const isClean = claims.code === 0 && summaryOf(claims)['open'] === 0 && letters.code === 0;
  journal.expect('no claim is open, and no dead letter is parked', isClean);
  if (!isClean) journal.say(`  ${said(claims)}\n${said(letters)}`);
}

/** A permission that was of no use to an operator who has done everything is one too many, unless it is for something rare. */
async function expectNoOthers(
  { world, journal }: IncidentOptions,
  role: string,
  name: string,
  rare: readonly string[] = [],
): Promise<void> {
  const [used, granted] = [world.permittedTo(role), await world.account.actionsOf(role)];
  const unused = [...granted].filter((action) => !used.has(action) && !rare.includes(action));
  const but =
    unused.length > 0 ? `, but not ${unused.join(', ')}` : rare.map((action) => `, or is rare: ${action}`).join('');
  journal.expect(
    `${name}: each of its ${granted.size} permissions was used${but}`,
    granted.size > 0 && unused.length === 0,
  );
}
