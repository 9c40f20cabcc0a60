import { rm } from 'node:fs/promises';
import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CdkApp } from '../../../../lib/rehearsal/engine/app/synthesize.ts';
import { scratchFolder } from '../../../../lib/rehearsal/engine/scratch.ts';
import { startProvider } from '../../../../lib/rehearsal/provider.ts';
import { type Rehearsal, startRehearsal } from '../../../../lib/rehearsal/rehearsal.ts';
import { bundleFunction } from '../../../../shop/bundle.ts';
import { leftIn, smallApp } from '../../../fixtures/small-app/small-app.ts';
import { eventually } from '../../../support/eventually.ts';

const context = { greeting: 'Hello' };

let app: CdkApp;
beforeAll(async () => {
  app = await smallApp();
});
afterAll(() => rm(app.folder, { recursive: true, force: true }));

async function send({ sqs, stack }: Rehearsal, MessageBody: string): Promise<void> {
  const QueueUrl = stack('Small').queue('Greeter/Names').url;
  await sqs.client.send(new SendMessageCommand({ QueueUrl, MessageBody }));
}

async function greetingOf({ dynamo, stack }: Rehearsal, name: string) {
  const TableName = stack('Small').table('Greetings');
  return (await dynamo.send(new GetItemCommand({ TableName, Key: { name: { S: name } }, ConsistentRead: true }))).Item;
}

describe('an app that is not the shop', () => {
  let rehearsal: Rehearsal;
  const lines: string[] = [];
  const mails: unknown[] = [];
  let killsNext = false;
  const mailer = startProvider(({ body }) => ({
    effect: 'mail',
    subject: '',
    apply: () => ({ status: 200, body: { MessageId: String(mails.push(body)) } }),
  }));
  beforeAll(async () => {
    rehearsal = await startRehearsal({
      app,
      context,
      endpoints: { SESV2: (await mailer).endpoint },
      onLog: (line) => lines.push(line),
      faults: {
        dynamodb: {
          onRequest: ({ body }) => {
            if (!killsNext || !body.includes('unlucky')) return 'pass';
            killsNext = false;
            return 'kill';
          },
        },
      },
    });
  });
  afterAll(async () => {
    await rehearsal.stop();
    await (await mailer).stop();
  });

  test('gets its messages from its queue, with the context that it was synthesized with, and writes to its table', async () => {
    await send(rehearsal, 'ada');
    await eventually('ada is greeted', async () => expect(await greetingOf(rehearsal, 'ada')).toBeDefined());
    const { text, arn } = (await greetingOf(rehearsal, 'ada')) ?? {};
    expect(text).toEqual({ S: 'Hello, ada' });
    expect(arn?.S).toBe(`arn:aws:dynamodb:us-east-1:000000000000:table/${rehearsal.stack('Small').table('Greetings')}`);
  });

  test('gets requests at the routes of its HTTP API, and no others', async () => {
    const { endpoint } = rehearsal.stack('Small').api('Greeter/Api');
    expect(await (await fetch(`${endpoint}/greetings/grace%20h`)).text()).toBe('Hello, grace h');
    expect((await fetch(`${endpoint}/greetings`)).status).toBe(404);
    expect((await fetch(`${endpoint}/greetings/grace`, { method: 'POST' })).status).toBe(404);
  });

  test('gets every request where a caller asks for a server of one function', async () => {
    const { endpoint } = await rehearsal.serve(await rehearsal.stack('Small').function('Greeter'));
    expect(await (await fetch(`${endpoint}/anywhere`, { method: 'POST' })).text()).toBe('Hello, you');
  });

  test('finds a service of AWS that has no stand-in at the endpoint that the caller gives', async () => {
    const fn = await rehearsal.stack('Small').function('Greeter');
    await fn.invoke({ pathParameters: { name: 'by mail' } });
    expect(mails).toHaveLength(1);
  });

  test('gets a message again whose worker was killed at a request, and the kill is counted', async () => {
    const before = rehearsal.sandboxes.killed;
    killsNext = true;
    await send(rehearsal, 'unlucky');
    await eventually('the unlucky one is greeted', async () =>
      expect(await greetingOf(rehearsal, 'unlucky')).toBeDefined(),
    );
    expect(rehearsal.sandboxes.killed).toBe(before + 1);
  });

  test('loses the invocation of a sandbox that the caller kills, and that one only', async () => {
    const fn = await rehearsal.stack('Small').function('Greeter');
    const slow = fn.invoke({ pathParameters: { name: 'slow' } });
    const find = () => lines.find((line) => line.startsWith('slow in '))?.slice('slow in '.length) ?? '';
    await eventually('the line is printed', () => expect(find()).not.toBe(''));
    expect(rehearsal.kill(find())).toBe(true);
    expect(await slow).toEqual({ kind: 'crashed' });
    expect(await fn.invoke({ pathParameters: { name: 'bob' } })).toMatchObject({ kind: 'response' });
  });

  test('has what it cannot handle in its dead-letter queue', async () => {
    await send(rehearsal, 'nobody');
    const { deadLetterQueue, queue } = rehearsal.stack('Small').consumer('Greeter');
    expect(queue.name).toBe(rehearsal.stack('Small').queue('Greeter/Names').name);
    const depth = () => rehearsal.sqs.depth(deadLetterQueue?.name ?? '');
    await eventually('the message is in the queue', async () => expect(await depth()).toMatchObject({ ready: 1 }));
  });

  test('is asked for a part that it does not have, or that is not the only one, and names what it has', async () => {
    const { stack } = rehearsal;
    expect(() => stack('Smal')).toThrow('The app has no stack Smal. It has: Other, Small.');
    expect(() => stack('Small').table('Names')).toThrow('no table at Names. It has: Small/Greeter/Greetings.');
    expect(() => stack('Small').queue('Greeter')).toThrow(
      'more than one queue at Greeter: Small/Greeter/DeadLetters, Small/Greeter/Names',
    );
    expect(stack('Other').queue('Names').name).toContain('Other');
    expect(() => stack('Other').consumer('Names')).toThrow('It has: none.');
    await expect(stack('Small').function('Names')).rejects.toThrow('no function at Names');
  });
});

/** A bundle of a function that greets with this expression. */
async function bundled(expression: string): Promise<string> {
  const folder = await scratchFolder(app.folder, 'bundle-');
  const contents = `export const handler = async () => ({ statusCode: 200, body: ${expression} });`;
  await bundleFunction('greeter', folder, [
    {
      name: 'text',
      setup({ onResolve, onLoad }) {
        onResolve({ filter: /^greeter$/ }, () => ({ path: 'greeter', namespace: 'text' }));
        onLoad({ filter: /^greeter$/, namespace: 'text' }, () => ({ contents }));
      },
    },
  ]);
  return folder;
}

async function bodyOf({ stack }: Rehearsal): Promise<string> {
  return (await fetch(`${stack('Small').api('Api').endpoint}/greetings/ada`)).text();
}

test('an app that does not synthesize is reported as it says, and leaves nothing', async () => {
  await expect(startRehearsal({ app })).rejects.toThrow('Context greeting must be a text.');
  // The other rehearsal of this app has ended by now.
  expect(leftIn(app)).toEqual([]);
});

test('functions get the bundles and the variables that the caller gives, beside another version, and an app that was stopped leaves nothing', async () => {
  const [own, other] = [await bundled('process.env.GREETING'), await bundled("'from the other version'")];
  const places: string[] = [];
  let next = false;
  const rehearsal = await startRehearsal({
    app,
    context,
    environment: { GREETING: 'Bonjour' },
    async bundleFor({ stack, construct }) {
      places.push(`${stack}: ${construct}`);
      return own;
    },
    other: { bundleFor: async () => other, takesNext: () => next },
  });
  expect(await bodyOf(rehearsal)).toBe('Bonjour');
  next = true;
  expect(await bodyOf(rehearsal)).toBe('from the other version');
  expect(places).toEqual(['Small: Small/Greeter/Function']);

  const { endpoint } = rehearsal.stack('Small').api('Api');
  expect(leftIn(app).filter((name) => name.startsWith('synth-'))).toHaveLength(1);
  await rehearsal.stop();
  await rehearsal.stop();
  expect(leftIn(app).filter((name) => name.startsWith('synth-'))).toEqual([]);
  await expect(fetch(endpoint)).rejects.toThrow();
  await expect(fetch(rehearsal.sqs.endpoint)).rejects.toThrow();
});
