import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readCdkApp } from '../../../../lib/rehearsal/engine/app/synthesize.ts';
import { type Rehearsal, startRehearsal } from '../../../../lib/rehearsal/rehearsal.ts';
import { eventually } from '../../../support/eventually.ts';

const scratch = fileURLToPath(new URL('../../../.pawl/', import.meta.url));
const appFile = fileURLToPath(new URL('../../../fixtures/wide-app/app.ts', import.meta.url));

let folder: string;
let rehearsal: Rehearsal;
const lines: string[] = [];
beforeAll(async () => {
  await mkdir(scratch, { recursive: true });
  folder = await mkdtemp(join(scratch, 'wide-'));
  // Run by a shell, as the CDK does.
  await writeFile(
    join(folder, 'cdk.json'),
    JSON.stringify({ app: `true && node ${appFile}`, context: { some: 'value' } }),
  );
  const app = await readCdkApp(folder);
  expect(app.context).toEqual({ some: 'value' });
  rehearsal = await startRehearsal({
    app,
    context: app.context,
    stubs: { Machine: { ref: 'arn:aws:states:us-east-1:000000000000:stateMachine:stubbed' } },
    onLog: (line) => lines.push(line),
  });
});
afterAll(async () => {
  await rehearsal?.stop();
  await rm(folder, { recursive: true, force: true });
});

test('of an app that the CDK has written, everything that is not run is listed, and nothing is unknown', () => {
  const listed = rehearsal.notRun.map(({ construct, property = '' }) => `${construct} ${property}`.trim());
  expect(listed.toSorted()).toEqual([
    'Data/Table TimeToLiveSpecification',
    'Main/BucketNotificationsHandler050a0587b7544547bf325f094a3db834',
    'Main/Custom::S3AutoDeleteObjectsCustomResourceProvider/Handler',
    'Main/Http CorsConfiguration',
    'Main/Machine',
    'Main/Parameter',
    'Main/Python',
    'Main/Rest/Default/OPTIONS',
    'Main/Rest/Default/{proxy+}/OPTIONS',
  ]);
});

test('its functions find what is in other stacks, in nested ones, behind a stub, and their own API', async () => {
  const environment = await (await fetch(`${rehearsal.api('Rest').endpoint}/any`)).json();
  expect(environment).toMatchObject({
    TABLE: rehearsal.table('Data/Table'),
    MACHINE: 'arn:aws:states:us-east-1:000000000000:stateMachine:stubbed',
    QUEUE: rehearsal.queue('Encrypted').url,
    NESTED: rehearsal.stack('Main/Nested').queue('Queue').url,
    HTTP: rehearsal.api('Http').endpoint,
    read: 'function',
  });
  const inNested = await rehearsal.function('InNested');
  expect(await inNested.invoke({})).toEqual({ kind: 'response', value: rehearsal.topic('Topic').arn });
  expect(rehearsal.stack('Prod/Inner').queue('Queue').name).toContain('Prod-Inner');
});

test('its triggers reach its functions: a queue with a filter, a topic, a bucket, a schedule and a stream', async () => {
  await rehearsal.topic('Topic').publish('published', { attributes: { kind: 'wanted' } });
  await rehearsal.bucket('Bucket').put('in/stored', 'x');
  await rehearsal.schedule('Rate').run();
  await rehearsal.schedule('Hourly').run();
  await eventually('each trigger has reached its function', () => {
    const printed = lines.filter((line) => line.startsWith('event ')).join('\n');
    for (const part of ['"published"', 'in/stored', '"aws.events"', '"aws.scheduler"']) expect(printed).toContain(part);
  });
  expect(rehearsal.streamConsumer('Fn')).toMatchObject({ table: { name: rehearsal.table('Data/Table') } });
  expect(rehearsal.consumer('Fn').queue.name).toBe(rehearsal.queue('Main/Fifo').name);
});
