import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { type SqsLocal, startSqsLocal } from '../../../../lib/rehearsal/engine/servers/sqs-local.ts';
import { openPage } from '../../../support/console-client.ts';
import { startGate } from '../../../support/ended/gate.ts';
import { makeWorld } from '../../../support/ended/world.ts';
import { envOf, shell } from '../../../support/pawl-command.ts';

let sqs: SqsLocal;
beforeAll(async () => {
  sqs = await startSqsLocal();
});
afterAll(() => sqs.stop());

it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  'pawl console, ended by %s in the middle of a redrive, finishes what is under way and gives back what it hides',
  async (signal) => {
    const dynamo = inject('dynamoEndpoint');
    const world = await makeWorld(dynamo, sqs);
    const keys = Array.from({ length: 14 }, (_, index) => `order-${index + 10}`);
    for (const key of keys) await world.letter(key, { status: 'released' });
    let isSent = false;
    // The first copy of the act is under way when the signal comes.
    const gate = await startGate(
      { dynamo, sqs: sqs.endpoint },
      {
        async before() {
          if (gate.requests.at(-1) !== 'SendMessage' || isSent) return 'pass';
          isSent = true;
          child.kill(signal);
          return 'pass';
        },
        after: async () => undefined,
      },
    );
    const { url: queueUrl } = world.dead;
    const args = ['bin/pawl.ts', 'console', '--table', world.tableName, '--queue', queueUrl, '--write'];
    const child = spawn(process.execPath, args, {
      env: { ...shell(), ...envOf({ sqs }, gate.endpoint), AWS_ENDPOINT_URL_SQS: gate.endpoint },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const ended = once(child, 'close');
    try {
      const [line] = await once(child.stdout.setEncoding('utf8'), 'data');
      const url = String(line).trim();
      const { post } = await openPage({ url, port: Number(new URL(url).port) });
      const { letters } = JSON.parse((await post('/api/dead-letters', { queueUrl })).text);
      const messageIds = letters.map(({ messageId }: { readonly messageId: string }) => messageId);
      const wanted = { kind: 'redrive', queueUrl, messageIds, to: world.queue.url };
      const { planId, count } = JSON.parse((await post('/api/plan', wanted)).text);
      expect(count).toBe(14);
      const { text } = await post('/api/act', { planId, by: 'maria', note: 'the provider is back' });
      const [code] = await ended;
      const lines = text
        .trim()
        .split('\n')
        .map((one) => JSON.parse(one));
      expect(lines.at(-1)).toMatchObject({ kind: 'failed', error: expect.stringContaining('console was ended') });
      const [queued, dead] = [await world.queuedBodies(), await world.deadBodies()];
      expect([code, await world.hidden()]).toEqual([0, 0]);
      expect([...queued, ...dead].toSorted()).toEqual(keys);
      // What the page was told is what was done, and not all of it was begun.
      expect(lines.length - 1).toBe(queued.length);
      expect(dead.length).toBeGreaterThan(0);
    } finally {
      child.kill('SIGKILL');
      await gate.stop();
      world.stop();
    }
  },
);
