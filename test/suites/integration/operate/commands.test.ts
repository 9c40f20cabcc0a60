import { PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { readMark } from '../../../../lib/cli/deployed/read-table.ts';
import type { ClaimRecord } from '../../../../lib/pawl/rules/record.ts';
import { startDescribedAccount } from '../../../support/described-account.ts';
import { atOneInstant, runCommand } from '../../../support/in-process.ts';
import { mailing, ordering, startIncident } from '../../../support/incident.ts';
import { envOf } from '../../../support/pawl-command.ts';
import { record } from '../../../support/records.ts';
import { claimsTable } from '../../../support/tables.ts';

let incident: Awaited<ReturnType<typeof startIncident>>;
let table: readonly string[];
let dead: readonly string[];
beforeAll(async () => {
  incident = await startIncident({ dynamoEndpoint: inject('dynamoEndpoint'), mails: 3, orders: 2 });
  for (const [name, value] of Object.entries(envOf(incident, inject('dynamoEndpoint')))) vi.stubEnv(name, value);
  table = ['--table', incident.tableName];
  dead = ['--queue', incident.mails.deadLetters.url, '--to', incident.mails.queue.url];
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await incident.stop();
});

const acted = ['--by', 'maria', '--note', 'asked the mail service'];
const pawl = (...args: readonly string[]) => runCommand([...args, ...table]);

/** A parked claim of its own for a test. */
async function parkedClaim(id: string, more: Partial<ClaimRecord> = {}): Promise<string> {
  const error = { name: 'outcome-unknown', message: 'Error: reset' };
  const next = record({ id, status: 'parked', open: '03', error, expiresAt: undefined, ...more });
  await incident.store.write({ next, seen: undefined });
  return id;
}

/** A claim that waits for the end of an execution. */
async function waitingClaim(id: string): Promise<string> {
  const execution = `arn:aws:states:eu-west-1:123456789012:execution:settle:${id.split('#')[1]}-1`;
  const leaseUntil = Date.now() + 86_400_000;
  const next = record({ id, open: '03', leaseUntil, expiresAt: undefined, attributes: { execution } });
  await incident.store.write({ next, seen: undefined });
  return id;
}

describe('pawl claims', () => {
  it('is a table for people, and ends with 1 while something is open', async () => {
    const { code, out, error } = await pawl('claims', '--operation', mailing);
    expect(code).toBe(1);
    expect(out).toMatch(
      /^STATUS +AGE +ATTEMPTS +REASON +CLAIM +ERROR\n(parked +1 h +1 +abandoned +send-email#order-\d\n){3}3 open claims\.\n$/,
    );
    expect(error).toBe('');
  });

  it('is lines of JSON for scripts', async () => {
    const { lines } = await pawl('claims', '--operation', mailing, '--prefix', 'order-2', '--json');
    expect(lines()).toMatchObject([
      { kind: 'claim', id: 'send-email#order-2', state: 'parked', reason: 'abandoned', attempts: 1 },
      { kind: 'summary', open: 1 },
    ]);
  });

  it('ends with 0 if nothing is open', async () => {
    expect(await pawl('claims', '--operation', 'nothing')).toMatchObject({ code: 0, out: 'No open claim fits.\n' });
    expect(await pawl('claims', '--operation', mailing, '--older-than', '3d')).toMatchObject({ code: 0 });
    expect(await pawl('claims', '--operation', mailing, '--doubt-older-than', '3d')).toMatchObject({ code: 0 });
    expect(await pawl('claims', '--operation', mailing, '--doubt-older-than', '0s')).toMatchObject({ code: 1 });
  });

  it('stops after --limit', async () => {
    expect((await pawl('claims', '--operation', mailing, '--limit', '2', '--json')).lines()).toHaveLength(3);
  });

  it('shows what a terminal would obey as a plain character', async () => {
    const evil = { error: { name: 'outcome-unknown', message: '\u001b[2Jgone\u009b1m\u202egnp.exe' } };
    await parkedClaim('evil#\u001b]0;title\u0007', evil);
    const { out } = await pawl('claims', '--operation', 'evil');
    const { out: json } = await pawl('claims', '--operation', 'evil', '--json');
    const { out: one } = await pawl('claim', 'evil#\u001b]0;title\u0007');
    for (const text of [out, json, one]) expect(text).not.toMatch(/(?!\n)\p{Cc}/u);
    expect(out).not.toContain('\u202e');
  });
});

describe('pawl claim', () => {
  it('shows what is known of one claim, by its id or by its operation and key', async () => {
    const [{ code, out }, byKey] = await atOneInstant(async () => [
      await pawl('claim', `${mailing}#order-1`),
      await pawl('claim', 'order-1', '--operation', mailing),
    ]);
    expect(code).toBe(1);
    expect(out).toMatch(/status +parked, open: parked\nreason +abandoned\neffect key +send-email#order-1\n/);
    expect(byKey.out).toBe(out);
  });

  it('ends with 0 for a claim that is not open, and with 1 if there is none', async () => {
    expect(await pawl('claim', `${ordering}#order-1`)).toMatchObject({ code: 0 });
    expect(await pawl('claim', 'nothing#x')).toMatchObject({
      code: 1,
      out: '',
      error: expect.stringContaining('has no claim'),
    });
  });

  it('shows the execution that a claim waits for, and the way to it; a resolution settles it if it is named', async () => {
    const [id, other] = await Promise.all(['1', '2'].map((hash) => waitingClaim(`execution:settle#${hash}`)));
    const { out } = await pawl('claim', id ?? '');
    expect(out).toMatch(
      /status +in-flight, open: waiting\nexecution +arn:aws:states:eu-west-1:123456789012:execution:settle:1-1\n/,
    );
    expect(out).toMatch(/console +https:\/\/eu-west-1\.console\.aws\.amazon\.com\/states\/home/);
    const { lines } = await pawl('claims', '--status', 'waiting', '--json');
    expect(lines()).toMatchObject([{ state: 'waiting' }, { state: 'waiting' }, { open: 2 }]);

    const filtered = await pawl('resolve', 'applied', '--operation', 'execution:settle', '--dry-run', ...acted);
    expect(filtered.out).toContain('stay: in-flight');
    expect(await pawl('resolve', id ?? '', 'applied', '--yes', ...acted)).toMatchObject({ code: 0 });
    const rest = await pawl('resolve', 'applied', '--status', 'waiting', '--yes', ...acted);
    expect(rest).toMatchObject({ code: 0, out: expect.stringContaining(other ?? '') });
    expect(await pawl('claims', '--operation', 'execution:settle')).toMatchObject({ code: 0 });
  });

  it('shows its steps, and a result only if it is asked for', async () => {
    const checkpoints = JSON.stringify([
      { name: 'charge', state: 'done', at: Date.now(), fence: 1, result: '"secret"' },
    ]);
    const id = await parkedClaim('pay#shown', { checkpoints });
    const { out } = await pawl('claim', id);
    expect(out).toMatch(/charge +done .* recorded\n/);
    expect(out).not.toContain('secret');
    expect((await pawl('claim', id, '--results')).out).toContain('secret');
  });
});

describe('pawl resolve', () => {
  it('changes nothing without an agreement: none without a terminal, and only y or yes at one', async () => {
    const id = await parkedClaim('ask#1');
    const args = ['resolve', id, 'applied', ...acted, ...table];
    await expect(runCommand(args)).rejects.toThrow(/Say --yes to write/);
    expect(await runCommand(args, 'n')).toMatchObject({
      code: 1,
      error: expect.stringContaining('cannot be undone. [y/N]'),
    });
    expect(await incident.store.read(id)).toMatchObject({ status: 'parked' });
    expect(await runCommand(args, 'yes')).toMatchObject({
      code: 0,
      out: expect.stringContaining('1 claim resolved as applied, 0 not.'),
    });
    expect(await incident.store.read(id)).toMatchObject({ status: 'completed', resolution: { by: 'maria' } });
  });

  it('shows with --dry-run what would happen to each claim, and why not', async () => {
    const id = await parkedClaim('dry#1');
    const { code, out } = await pawl('resolve', id, 'dry#2', 'retry', '--dry-run', ...acted);
    expect(code).toBe(1);
    expect(out).toMatch(
      /be resolved +outcome-unknown +dry#1\nstay: unknown-key +dry#2\n1 claim would be resolved as retry, 1 would stay\.\n$/,
    );
    expect(await incident.store.read(id)).toMatchObject({ status: 'parked' });
  });

  it('decides steps one by one, with what they returned', async () => {
    const checkpoints = JSON.stringify(
      ['charge', 'mail'].map((name) => ({ name, state: 'started', at: Date.now(), fence: 1 })),
    );
    const id = await parkedClaim('steps#1', { checkpoints });
    expect(await pawl('resolve', id, 'retry', '--yes', ...acted)).toMatchObject({
      code: 1,
      out: expect.stringContaining('steps-in-doubt'),
    });
    const steps = ['--step', 'charge=applied', '--step-result', 'charge={"id":"ch_1"}', '--step', 'mail=not-applied'];
    expect(await pawl('resolve', id, ...steps, '--yes', ...acted)).toMatchObject({
      code: 0,
      error: expect.stringMatching(/^The youngest doubt is \d+ s old\. not-applied is right only once/m),
    });
    const resolved = await incident.store.read(id);
    expect(resolved?.resolution).toMatchObject({
      verdict: 'by-step',
      steps: { charge: 'applied', mail: 'not-applied' },
    });
    expect(resolved?.checkpoints).toContain('ch_1');
  });

  it('leaves a claim alone that has another fence than the one that was seen', async () => {
    const id = await parkedClaim('fence#1', { fence: 3 });
    expect(await pawl('resolve', id, 'applied', '--fence', '2', '--yes', ...acted)).toMatchObject({
      code: 1,
      out: expect.stringContaining('another-doubt'),
    });
    const { code, out } = await pawl('resolve', id, 'applied', '--fence', '2', '--dry-run', ...acted);
    expect([code, out]).toEqual([1, expect.stringMatching(/stay: another-doubt +fence#1\n0 claims would be resolved/)]);
  });

  it('takes the name of a step as it is, also with an equals sign', async () => {
    const names = ['for=all', 'for'];
    const checkpoints = JSON.stringify(names.map((name) => ({ name, state: 'started', at: Date.now(), fence: 1 })));
    const id = await parkedClaim('steps#2', { checkpoints });
    const steps = ['--step', 'for=all=applied', '--step', 'for=not-applied', '--step-result', 'for=all="a=b"'];
    expect(await pawl('resolve', id, ...steps, '--yes', ...acted)).toMatchObject({ code: 0 });
    const resolved = await incident.store.read(id);
    expect(resolved?.resolution).toMatchObject({ steps: { 'for=all': 'applied', for: 'not-applied' } });
    expect(JSON.parse(resolved?.checkpoints ?? '')).toMatchObject([
      { name: 'for=all', state: 'done', result: '"a=b"' },
      { name: 'for' },
    ]);
  });

  it.each([
    [['x#1', '--step', 'a=applied', '--step', 'a=retry', ...acted], /--step a: the step is named twice/],
    [['x#1', '--step', 'applied', ...acted], /--step: expected name=verdict; got 'applied'/],
    [
      ['x#1', '--step', 'a=applied', '--step-result', 'b=1', ...acted],
      /--step-result: expected name=json, with the name/,
    ],
    [['x#1', 'applied', '--step-result', 'a=1', ...acted], /--step-result: expected name=json, with the name/],
    [
      ['x#1', '--step', 'a=applied', '--step-result', 'a=1', '--step-result', 'a=2', ...acted],
      /--step-result a: the result is given twice/,
    ],
    [['x#1', '--step', 'a=applied', '--step-result', 'a={', ...acted], /--step-result a: expected JSON/],
    [['x#1', 'applied', '--reason', 'abandoned', ...acted], /--reason: name claims, or filters, and not both/],
    [['x#1', 'x#2', 'applied', '--fence', '1', ...acted], /--fence: name one claim/],
    [['x#1', 'applied', '--by', 'maria'], /--note is missing/],
    [['x#1', 'applied', '--note', 'n'], /--by is missing/],
    [['x#1', 'done', ...acted], /ends with a verdict: applied, not-applied, retry; got done/],
    [['applied', ...acted], /the keys of claims, or at least one filter/],
    [['order-1', 'applied', ...acted], /no id of a claim/],
    [['x#1', '--step', 'a=maybe', ...acted], /--step a: expected applied/],
    [['x#1', '--step', 'a=retry', '--step-result', 'a=1', ...acted], /only a step that was applied/],
    [['applied', '--status', 'open', ...acted], /--status: expected parked, in-doubt, waiting, in-flight/],
    [['applied', '--older-than', 'long', ...acted], /--older-than: expected a time/],
  ])('refuses %j', async (args, message) => {
    await expect(pawl('resolve', ...args)).rejects.toThrow(message);
  });
});

describe('pawl dlq and pawl redrive', () => {
  it('refuse a reason that no dead letter has: it would find nothing, and look like done', async () => {
    for (const command of ['dlq', 'redrive'])
      await expect(pawl(command, ...dead.slice(0, 2), '--reason', 'abandoned')).rejects.toThrow(
        /--reason: expected invalid-message, .*parked, .*none; got 'abandoned'/,
      );
  });

  it('say how many messages they have not seen: what is done is not all', async () => {
    const [from, to] = [await incident.sqs.createQueue('many-dlq'), await incident.sqs.createQueue('many')];
    for (const MessageBody of ['1', '2', '3'])
      await incident.client.send(new SendMessageCommand({ QueueUrl: from.url, MessageBody }));
    const run = ['redrive', '--queue', from.url, '--to', to.url, '--yes', '--json'];
    const some = await pawl(...run, '--most', '1');
    expect(some.lines().at(-1)).toMatchObject({ kind: 'summary', redriven: 1, stay: 0 });
    expect(some.error).toContain('About 2 could not be seen');
    const rest = await pawl(...run);
    expect([rest.lines().at(-1), rest.error]).toMatchObject([
      { redriven: 2 },
      expect.not.stringContaining('could not be seen'),
    ]);
  });

  it("say that the table does not have the claim of a message: it may be another one than the consumer's", async () => {
    const { url } = await incident.sqs.createQueue('elsewhere-dlq');
    const text = (StringValue: string) => ({ DataType: 'String', StringValue });
    const MessageAttributes = { 'pawl-reason': text('parked'), 'pawl-claim': text('send-email#elsewhere') };
    await incident.client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: '{}', MessageAttributes }));
    const said = expect.stringContaining(`The table ${incident.tableName} does not have the claim of 1 message`);
    expect(await pawl('dlq', '--queue', url)).toMatchObject({ error: said, out: expect.stringContaining('not there') });
    const discard = await pawl('discard', '--queue', url, '--reason', 'parked', '--dry-run', ...acted);
    expect([discard.error, discard.out]).toEqual([said, expect.stringContaining('stay: claim-not-known')]);
  });

  it('show dead letters with their claims, and no body unless it is asked for', async () => {
    const { code, out } = await pawl('dlq', ...dead.slice(0, 2));
    expect(code).toBe(1);
    expect(out).toMatch(
      /(parked +\d+ s +parked +\S{36} +send-email#order-\d +abandoned.*\n){3}3 messages shown, of about 3\.\n/,
    );
    expect(out).not.toContain('orderId');
    expect((await pawl('dlq', ...dead.slice(0, 2), '--bodies', '--json')).lines()).toMatchObject([
      { kind: 'letter', body: expect.stringContaining('orderId'), joinedBy: 'attribute' },
      {},
      {},
      { kind: 'queue', shown: 3, unseen: 0 },
    ]);
  });

  it('find the claim of a message that SQS moved, by the key of its consumer', async () => {
    const { url } = await incident.sqs.createQueue('moved-dlq');
    await incident.client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: '{"orderId":"order-1"}' }));
    const query = ['dlq', '--queue', 'moved-dlq', '--reason', 'none', '--json'];
    expect((await pawl(...query)).lines()).toMatchObject([{ joinedBy: 'nothing' }, { shown: 1 }]);
    const joined = await pawl(...query, '--operation', mailing, '--key', 'body:orderId');
    expect(joined.lines()).toMatchObject([{ claimId: 'send-email#order-1', claim: { status: 'parked' } }, {}]);
    await expect(pawl(...query, '--key', 'body:orderId')).rejects.toThrow(/go together/);
    await expect(pawl(...query, '--operation', mailing, '--key', 'orderId')).rejects.toThrow(
      /--key: expected body:<path>/,
    );
  });

  it('refuse what is undecided, and send nothing with --dry-run or without an agreement', async () => {
    expect(await pawl('redrive', ...dead, '--dry-run')).toMatchObject({
      error: expect.not.stringContaining('does not feed'),
      code: 1,
      out: expect.stringMatching(/(stay: parked.*\n){3}/),
    });
    const resolved = await pawl('resolve', `${mailing}#order-3`, 'not-applied', '--yes', ...acted);
    expect(resolved.error).toMatch(/^The youngest doubt is \d+ (s|min|h|d) old\. not-applied is right only once/m);
    await expect(pawl('redrive', ...dead)).rejects.toThrow(/Say --yes/);
    expect(await pawl('redrive', ...dead, '--reason', 'rejected', '--yes')).toMatchObject({
      code: 0,
      out: expect.stringContaining('0 messages'),
    });
    expect(await incident.sqs.depth('mails')).toMatchObject({ ready: 0 });
    const redriven = await pawl('redrive', ...dead, '--yes', '--json');
    expect(redriven.code).toBe(1);
    expect(redriven.lines().filter(({ kind }) => kind !== 'plan')).toMatchObject([
      { kind: 'result', outcome: 'redriven', claimId: 'send-email#order-3' },
      { kind: 'summary', redriven: 1, stay: 2 },
    ]);
    await incident.deliverMails();
    expect(incident.sent).toEqual(['order-3']);
  });

  it('show a claim that a later version wrote as foreign, and leave its message', async () => {
    const { url } = await incident.sqs.createQueue('foreign-dlq');
    const id = 'send-email#foreign';
    const Item = { id: { S: id }, v: { N: '3' }, status: { S: 'parked' } };
    await incident.dynamo.send(new PutItemCommand({ TableName: incident.tableName, Item }));
    const text = (StringValue: string) => ({ DataType: 'String', StringValue });
    for (const claim of [id, `${mailing}#order-1`]) {
      const MessageAttributes = { 'pawl-claim': text(claim) };
      await incident.client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: '{}', MessageAttributes }));
    }
    const { out } = await pawl('dlq', '--queue', url);
    expect(out).toMatch(/ foreign +\S{36} +send-email#foreign\n/);
    expect(out).toMatch(/ parked +\S{36} +send-email#order-1\n/);
    const plan = await pawl('redrive', '--queue', url, '--to', incident.mails.queue.url, '--dry-run');
    expect(plan.out).toMatch(/stay: foreign .* send-email#foreign\n/);
    expect(plan.error).toContain(
      `${incident.mails.queue.url} does not feed ${url}: its redrive policy does not name it`,
    );
  });

  it('find the table and the queues of a stack', async () => {
    const { tableName, mails, orders, sqs } = incident;
    const names = ['mails', 'orders'];
    const account = await startDescribedAccount({
      stacks: { Shop: names.map((name) => ['AWS::Lambda::Function', name] as const) },
      functions: Object.fromEntries(
        names.map((name) => [name, { Environment: { Variables: { CLAIMS_TABLE: tableName } } }]),
      ),
      mappings: [mails, orders].map(({ queue }, index) => ({
        FunctionArn: `arn:aws:lambda:us-east-1:000000000000:function:${names[index]}`,
        EventSourceArn: queue.arn,
      })),
      queues: {},
      table: {},
      decisionOn: () => 'allowed',
    });
    vi.stubEnv('AWS_ENDPOINT_URL_LAMBDA', account.endpoint);
    vi.stubEnv('AWS_ENDPOINT_URL_CLOUDFORMATION', account.endpoint);
    try {
      const shop = ['--stack', 'Shop'];
      expect((await runCommand(['claims', ...shop, '--operation', mailing, '--json'])).lines().at(-1)).toMatchObject({
        open: 2,
      });
      const seen = (await runCommand(['dlq', ...shop, '--json'])).lines();
      const nameOf = (url: unknown) => String(url).split('/').at(-1);
      expect(seen.filter(({ kind }) => kind === 'queue').map(({ queueUrl }) => nameOf(queueUrl))).toEqual([
        'mails-dlq',
        'orders-dlq',
      ]);
      const planned = (await runCommand(['redrive', ...shop, '--reason', 'rejected', '--dry-run', '--json'])).lines();
      expect(planned.map(({ from, to, whyNot }) => [from && nameOf(from), to && nameOf(to), whyNot])).toEqual([
        ['orders-dlq', 'orders', 'rejected'],
        ['orders-dlq', 'orders', 'rejected'],
        [undefined, undefined, undefined],
      ]);
      // A queue of the stack, by its name.
      const [one] = (await runCommand(['dlq', ...shop, '--queue', 'orders-dlq', '--json'])).lines().slice(-1);
      expect([nameOf(one?.['queueUrl']), await sqs.depth('mails-dlq')]).toMatchObject(['orders-dlq', { inFlight: 0 }]);
    } finally {
      await account.stop();
    }
  });

  it('name what the operator may not read of a stack', async () => {
    const variables = { CLAIMS_TABLE: incident.tableName };
    const account = await startDescribedAccount({
      stacks: { Shop: ['mails', 'secret'].map((name) => ['AWS::Lambda::Function', name] as const) },
      functions: { mails: { Environment: { Variables: variables } }, secret: 'denied' },
      mappings: 'denied',
      queues: {},
      table: {},
      decisionOn: () => 'allowed',
    });
    vi.stubEnv('AWS_ENDPOINT_URL_LAMBDA', account.endpoint);
    vi.stubEnv('AWS_ENDPOINT_URL_CLOUDFORMATION', account.endpoint);
    try {
      const listed = await runCommand(['claims', '--stack', 'Shop', '--operation', mailing, '--json']);
      expect(listed.error).toContain('Left out: secret: you may not lambda:GetFunctionConfiguration.\n');
      const named = ['dlq', '--stack', 'Shop', '--queue', incident.orders.deadLetters.url, '--json'];
      const seen = await runCommand(named);
      expect(seen.lines().at(-1)).toMatchObject({ kind: 'queue' });
      expect(seen.error).toMatch(
        /Left out: mails: you may not lambda:ListEventSourceMappings, and it has no DEAD_LETTER/,
      );
    } finally {
      await account.stop();
    }
  });

  it('refuse to guess: a queue that nothing names', async () => {
    await expect(pawl('dlq')).rejects.toThrow(/Name a dead-letter queue with --queue, or a stack with --stack/);
  });
});

describe('pawl restored', () => {
  it('marks a table, shows the mark, and lifts it: it ends with 1 while the mark stands', async () => {
    const tableName = await claimsTable(incident.dynamo);
    const run = (...args: readonly string[]) => runCommand(['restored', '--table', tableName, ...args]);
    expect(await run()).toMatchObject({ code: 0, out: `The table ${tableName} has no mark of a restore.\n` });
    const early = await run('--lift', ...acted, '--yes');
    expect([early.code, early.error]).toEqual([1, expect.stringContaining('has no mark to lift. Nothing was changed')]);
    const cutOff = ['--cut-off', '2026-11-21T09:00:00Z'];
    await expect(run(...cutOff, '--yes')).rejects.toThrow('--by');
    await expect(run(...cutOff, ...acted)).rejects.toThrow('no terminal');
    expect(await run()).toMatchObject({ code: 0 });
    expect(await run(...cutOff, ...acted, '--yes')).toMatchObject({ code: 1 });
    const { lines } = await run('--json');
    expect(lines()).toMatchObject([{ marked: true, cutOff: Date.parse('2026-11-21T09:00:00Z'), by: 'maria' }]);
    expect(await run('--lift', '--operation', 'charge', ...acted, '--yes')).toMatchObject({ code: 1 });
    const { out } = await run();
    expect(out).toMatch(/mark +stands/);
    expect(out).toMatch(/lifted for charge .* by maria/);
    expect(await run('--lift', ...acted, '--yes')).toMatchObject({ code: 0 });
    expect((await run()).out).toContain('lifted');
  });

  it('sets a mark that pawl doctor sees, for as long as it stands', async () => {
    const tableName = await claimsTable(incident.dynamo);
    const seen = () => readMark(incident.dynamo, tableName);
    const run = (...args: readonly string[]) =>
      runCommand(['restored', '--table', tableName, ...args, ...acted, '--yes']);
    expect(await seen()).toEqual({ kind: 'none' });
    const cutOff = '2026-11-21T09:00:00Z';
    await run('--cut-off', cutOff);
    await run('--lift', '--operation', 'charge');
    expect(await seen()).toEqual({ kind: 'stands', cutOff: Date.parse(cutOff), liftedFor: ['charge'] });
    await run('--lift');
    expect(await seen()).toEqual({ kind: 'lifted' });
    const restored = await claimsTable(incident.dynamo);
    const { Items = [] } = await incident.dynamo.send(new ScanCommand({ TableName: tableName }));
    for (const Item of Items) await incident.dynamo.send(new PutItemCommand({ TableName: restored, Item }));
    expect(await readMark(incident.dynamo, restored)).toEqual({ kind: 'of-an-earlier-table' });
  });

  it('lets an operator look at a key that the table has forgotten, and decide it, while the mark stands', async () => {
    const tableName = await claimsTable(incident.dynamo);
    const run = (...args: readonly string[]) => runCommand([...args, '--table', tableName]);
    expect(await run('claim', 'pay#p-1')).toMatchObject({ code: 1, out: '' });
    await run('restored', '--cut-off', '2026-11-21T09:00:00Z', ...acted, '--yes');
    const { code, out } = await run('claim', 'pay#p-1');
    expect(code).toBe(1);
    expect(out).toContain('may have forgotten this key');
    expect(await run('resolve', 'pay#p-1', 'applied', ...acted, '--dry-run')).toMatchObject({
      error: expect.stringMatching(/has no record of 1 claim: .+ If the consumer hides its keys, add --key-secret/),
    });
    expect(await run('resolve', 'pay#p-1', 'applied', ...acted, '--yes')).toMatchObject({ code: 0 });
    await run('restored', '--lift', ...acted, '--yes');
    expect(await run('claim', 'pay#p-1')).toMatchObject({ code: 0 });
    expect((await run('resolve', 'pay#p-2', 'applied', ...acted, '--yes')).out).toContain('unknown-key');
  });

  it('says what to do where there is no such table', async () => {
    await expect(runCommand(['claim', 'pay#p-1', '--table', 'no-such-table'])).rejects.toThrow(/Create it/);
  });

  it.each([
    ['a word', 'yesterday'],
    ['a day', '2026-11-21'],
    ['a time without its zone, which would be another one on another machine', '2026-11-21T09:00:00'],
    ['a day and a month in an order that is not said', '11/10/2026'],
    ['the same with a zone', '11/10/2026 09:00 Z'],
    ['a number', '1795251600000'],
    ['a day that the month does not have', '2026-11-31T09:00:00Z'],
    ['an hour that the day does not have', '2026-11-21T24:00:00Z'],
    ['a zone by its name', '2026-11-21T09:00:00 CET'],
    ['a zone without its minutes', '2026-11-21T09:00:00+01'],
    ['small letters', '2026-11-21t09:00:00z'],
    ['something behind it', '2026-11-21T09:00:00Z or so'],
  ])('refuses as a cut-off %s: %s', async (_, text) => {
    await expect(pawl('restored', '--cut-off', text, ...acted)).rejects.toThrow(
      '--cut-off: expected a date, a time and a zone, such as 2026-11-22T12:00:00Z',
    );
  });

  it.each(['2026-11-21T09:00:00Z', '2026-11-21T10:00:00+01:00', '2026-11-21T09:00Z', '2026-11-21T03:30:00.000-05:30'])(
    'asks with the instant in UTC and how long ago it is, before it marks: %s',
    async (text) => {
      const tableName = await claimsTable(incident.dynamo);
      const mark = ['restored', '--table', tableName, '--cut-off', text, ...acted];
      const refused = await runCommand(mark, 'n');
      expect(refused.code).toBe(1);
      expect(refused.error).toMatch(/as restored to 2026-11-21T09:00:00Z \(\d+ (d|h|min|s) ago\)\?/);
      await runCommand(mark, 'y');
      const { lines } = await runCommand(['restored', '--table', tableName, '--json']);
      expect(lines()).toMatchObject([{ cutOff: Date.parse('2026-11-21T09:00:00Z') }]);
    },
  );

  it('corrects a mark that stands, after it has said what that changes, and keeps what it said before', async () => {
    const tableName = await claimsTable(incident.dynamo);
    const run = (args: readonly string[], typed?: string) =>
      runCommand(['restored', '--table', tableName, ...args], typed);
    const to = (cutOff: string) => ['--cut-off', cutOff, ...acted];
    expect((await run([...to('2026-11-20T09:00:00Z'), '--correct'], 'y')).error).toContain('has no mark to correct');
    await run([...to('2026-11-21T09:00:00Z'), '--yes']);
    await run(['--lift', '--operation', 'charge', ...acted, '--yes']);
    const again = await run([...to('2026-11-20T09:00:00Z'), '--yes']);
    expect([again.code, again.error]).toEqual([
      1,
      expect.stringMatching(/marked already. Say --correct .* Nothing was/),
    ]);
    const asked = await run([...to('2026-11-20T09:00:00Z'), '--correct'], 'n');
    expect(asked.error).toMatch(/from 2026-11-21T09:00:00Z \(.* ago\) to 2026-11-20T09:00:00Z \(.* ago\)\?/);
    expect(asked.error).toContain('in doubt once more, and the mark stands again for charge.');
    expect(await run([...to('2026-11-20T09:00:00Z'), '--correct', '--yes'])).toMatchObject({ code: 1 });
    const { out } = await run([]);
    expect(out).toMatch(/restored to +2026-11-20T09:00:00Z/);
    expect(out).toMatch(/correction 1 +.* by maria, of 2026-11-21T09:00:00Z/);
    expect(out).not.toContain('lifted for');
    await run(['--lift', ...acted, '--yes']);
    const late = await run([...to('2026-11-19T09:00:00Z'), '--correct', '--yes']);
    expect([late.code, late.error]).toEqual([1, expect.stringContaining('consumers believe that for good')]);
  });

  it('refuses to mark and lift at once', async () => {
    const cutOff = ['--cut-off', '2026-11-21T09:00:00Z'];
    await expect(pawl('restored', ...cutOff, '--lift', ...acted)).rejects.toThrow('exclude each other');
    await expect(pawl('restored', '--operation', 'charge')).rejects.toThrow('for --lift alone');
    await expect(pawl('restored', '--correct', ...acted)).rejects.toThrow('--correct needs --cut-off');
  });
});
