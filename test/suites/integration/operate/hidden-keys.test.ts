import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { hashed, once } from '../../../../lib/pawl/index.ts';
import { type SqsLocal, startSqsLocal } from '../../../../lib/rehearsal/engine/servers/sqs-local.ts';
import { makeWorld, type World } from '../../../support/ended/world.ts';
import { runCommand } from '../../../support/in-process.ts';
import { envOf } from '../../../support/pawl-command.ts';

/* Without the secret, and with another one, a hidden key looks like one that there never was. No command may act as if there were none. */

const operation = 'newsletter';
const email = 'maria@example.com';
const acted = ['--by', 'maria', '--note', 'request 4711'];
let sqs: SqsLocal;
let world: World;
beforeAll(async () => {
  sqs = await startSqsLocal();
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await sqs.stop();
});
beforeEach(async () => {
  world = await makeWorld(inject('dynamoEndpoint'), sqs);
  const secrets = { KEY_SECRET: 'a secret of the customers', FORMER_SECRET: 'a secret that was changed' };
  for (const [name, value] of Object.entries({ ...envOf({ sqs }, inject('dynamoEndpoint')), ...secrets }))
    vi.stubEnv(name, value);
  const mail = once(
    {
      ...{ operation, store: world.store, onAbandoned: 'park', onEvent: () => undefined },
      ...{ key: (to: string) => to, hideKeys: hashed(secrets.KEY_SECRET) },
    },
    () => Promise.reject(new Error('socket hang up')),
  );
  await mail(email).catch(() => undefined);
  // SQS has moved the message: nothing on it names its claim.
  await sqs.client.send(new SendMessageCommand({ QueueUrl: world.dead.url, MessageBody: JSON.stringify({ email }) }));
});

const pawl = (...args: readonly string[]) => runCommand([...args, '--table', world.tableName]);
const right = ['--key-secret', 'KEY_SECRET'];

describe.each([
  ['without the secret', [], 'If the consumer hides its keys, add --key-secret.'],
  ['with the secret of before', ['--key-secret', 'FORMER_SECRET'], 'If the secret was changed'],
])('%s', (_, given, hint) => {
  it('pawl discard leaves a message whose claim waits for an operator', async () => {
    const of = [
      '--queue',
      world.dead.url,
      '--operation',
      operation,
      '--key',
      'body:email',
      '--reason',
      'none',
      ...acted,
    ];
    const { code, out, error } = await pawl('discard', ...of, ...given, '--yes');
    expect([code, await world.deadBodies()]).toEqual([1, [JSON.stringify({ email })]]);
    expect(out).toContain('stay: claim-not-known');
    expect(error).toContain(`The key of 1 message finds no claim: is it the consumer's? ${hint}`);
    const dry = await pawl('discard', ...of, ...right, '--dry-run');
    expect([dry.out, dry.error]).toEqual([expect.stringContaining('stay: in-doubt'), '']);
  });

  it('pawl redrive does not say that it runs, and pawl dlq not that it has no claim', async () => {
    const of = ['--queue', world.dead.url, '--operation', operation, '--key', 'body:email'];
    const { out, error } = await pawl('redrive', ...of, ...given, '--to', world.queue.url, '--dry-run');
    expect([out, error]).toEqual([expect.stringContaining('consumer-decides'), expect.stringContaining(hint)]);
    expect((await pawl('dlq', ...of, ...given)).out).toMatch(/\(moved by SQS\) +\d+ s +not found /);
    expect((await pawl('dlq', ...of, ...right)).out).toMatch(/\(moved by SQS\) +\d+ s +parked /);
  });

  it('pawl claim and pawl forget say that a key may be hidden which they do not find', async () => {
    const claim = await pawl('claim', email, '--operation', operation, ...given);
    expect([claim.code, claim.out, claim.error]).toEqual([
      1,
      '',
      expect.stringContaining(`no claim ${email}. ${hint}`),
    ]);
    const forget = await pawl('forget', operation, email, ...given, ...acted, '--yes');
    expect([forget.code, forget.out]).toEqual([1, expect.stringContaining(`nothing is known of this key. ${hint}`)]);
  });
});

it('what no hash can answer is refused: the beginning of a key, and a key within an id', async () => {
  await expect(pawl('claims', '--operation', operation, '--prefix', 'maria', ...right)).rejects.toThrow(
    '--prefix finds no hidden key',
  );
  for (const command of [
    ['claim', `${operation}#${email}`],
    ['resolve', `${operation}#${email}`, 'applied', ...acted],
    ['claim', `execution:${operation}#1eec4827e95faa1fa72e40265085b363a4330e4007aba060`],
  ])
    await expect(pawl(...command, ...right)).rejects.toThrow(
      /^--key-secret: give the key as the handler has it.+ such as one of an execution, leave --key-secret out\.$/,
    );
  const listed = (await pawl('claims', '--json')).lines()[0];
  expect(await pawl('claim', String(listed?.['id']), ...right)).toMatchObject({ code: 1, error: '' });
  expect((await pawl('claims', '--operation', operation, '--prefix', 'maria')).out).toBe('No open claim fits.\n');
});
