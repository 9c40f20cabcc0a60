import { readFileSync } from 'node:fs';
import { type Message, ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { memoryStore } from '../../../../lib/pawl/index.ts';
import { type OperateEvent, operator } from '../../../../lib/pawl/operate/index.ts';
import type { ClaimRecord } from '../../../../lib/pawl/rules/record.ts';
import { bodyField, eachMessage, snsEnvelope } from '../../../../lib/pawl/sqs/index.ts';
import { type Aws, sdk } from '../../../../lib/pawl/stores/dynamodb/index.ts';
import { type SqsLocal, startSqsLocal } from '../../../../lib/rehearsal/engine/servers/sqs-local.ts';
import { collect } from '../../../support/collect.ts';
import { context, sqsEvent, sqsRecord } from '../../../support/lambda.ts';
import { localLean } from '../../../support/lean.ts';
import { receiveAll } from '../../../support/receive-all.ts';
import { laterRecord, record } from '../../../support/records.ts';

let sqs: SqsLocal;
let client: SQSClient;
/** That of the operator. */
let aws: Aws;
let dead: { url: string; arn: string };
let queue: { url: string; arn: string };
beforeEach(async () => {
  sqs = await startSqsLocal();
  client = clientOf(sqs.endpoint);
  dead = await sqs.createQueue('dead');
  queue = await sqs.createQueue('queue');
});
afterEach(async () => {
  client.destroy();
  await sqs.stop();
});

const maria = { by: 'maria', note: 'the provider is up again' };

function clientOf(endpoint: string): SQSClient {
  return new SQSClient({
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'operator', secretAccessKey: 'local' },
    useQueueUrlAsEndpoint: false,
    maxAttempts: 2,
  });
}

async function fifoQueues(): Promise<void> {
  dead = await sqs.createQueue('dead.fifo', { FifoQueue: 'true' });
  queue = await sqs.createQueue('queue.fifo', { FifoQueue: 'true' });
}

const text = (StringValue: string) => ({ DataType: 'String', StringValue });

interface Sent {
  readonly body?: string;
  readonly reason?: string;
  readonly claim?: string;
  readonly group?: string;
  readonly dedup?: string;
  readonly attributes?: NonNullable<Message['MessageAttributes']>;
}

async function bury({ body = '{}', reason, claim, group, dedup, attributes = {} }: Sent): Promise<string> {
  const ours = {
    ...(reason !== undefined && { 'pawl-reason': text(reason) }),
    ...(claim !== undefined && { 'pawl-claim': text(claim) }),
  };
  const { MessageId = '' } = await client.send(
    new SendMessageCommand({
      QueueUrl: dead.url,
      MessageBody: body,
      MessageGroupId: group,
      MessageDeduplicationId: dedup,
      MessageAttributes: { ...attributes, ...ours },
    }),
  );
  return MessageId;
}

/** An operator, with claims in this process. */
function anOperator(...claims: readonly ClaimRecord[]) {
  const store = memoryStore();
  for (const next of claims) store.write({ next, seen: undefined });
  const events: OperateEvent[] = [];
  const operate = operator({ store, aws, onEvent: (event) => events.push(event) });
  return { operate, store, events };
}

async function redriveAll(operate: ReturnType<typeof operator>, hideSeconds = 120) {
  const { letters } = await operate.deadLetters({ queueUrl: dead.url });
  const plan = await operate.planRedrive({ from: dead.url, to: queue.url, letters, hideSeconds, ...maria });
  return { plan, results: await collect(operate.redrive(plan)) };
}

const contentOf = (url: string) => receiveAll(client, url, async () => undefined);
const bodiesOf = async (url: string) => (await contentOf(url)).map(({ Body }) => Body);

const completed = record({ id: 'pay#done', status: 'completed' });
const parked = record({ id: 'pay#parked', status: 'parked', error: { name: 'abandoned', message: '' } });
const rejected = record({ id: 'pay#no', status: 'rejected' });
const running = record({ id: 'pay#runs', leaseUntil: Date.now() + 600_000 });
const dying = record({ id: 'pay#died', leaseUntil: Date.now() - 600_000 });

/** As a later version of pawl may write them. */
const foreign = [laterRecord({ id: 'pay#v3' }, { v: 3 }), laterRecord({ id: 'pay#paused' }, { status: 'paused' })];

type Call = Aws['sqs']['call'];

/** From now on, the operator's calls to SQS go this way. */
function through(way: (real: Call) => Call): void {
  aws = { ...aws, sqs: { call: way(aws.sqs.call) } };
}

/** The two ways to AWS. */
const ways: Readonly<Record<string, () => Aws>> = {
  'over the SDK': () => sdk({ sqs: client }),
  'without the SDK': () => localLean('http://127.0.0.1:9', { endpoints: { sqs: sqs.endpoint } }),
};

describe.each(Object.entries(ways))('%s', (_, open) => {
  beforeEach(() => {
    aws = open();
  });

  describe('a redrive', () => {
    it('sends the message as it was, to the byte, with its attributes and without what pawl said of it', async () => {
      const body = '{"a": 1,\n "ä€∞":"<&>\\u0041"}';
      const attributes = {
        tenant: text('t-1'),
        count: { DataType: 'Number.int', StringValue: '17' },
        bytes: { DataType: 'Binary', BinaryValue: new Uint8Array([0, 255, 10]) },
      };
      await bury({ body, reason: 'rejected', claim: 'pay#unknown', attributes });
      const { operate } = anOperator();
      expect((await redriveAll(operate)).results).toMatchObject([{ outcome: 'redriven' }]);
      const [copy] = await contentOf(queue.url);
      expect(copy).toMatchObject({ Body: body, MessageAttributes: attributes });
      expect(Object.keys(copy?.MessageAttributes ?? {}).toSorted()).toEqual([
        'bytes',
        'count',
        'pawl-source-message-id',
        'tenant',
      ]);
      expect(await contentOf(dead.url)).toEqual([]);
    });

    it.each(['a FIFO queue', 'a standard queue'])(
      'begins nothing once its signal is aborted, and gives back what it holds, on %s',
      async (kind) => {
        const isFifo = kind === 'a FIFO queue';
        if (isFifo) await fifoQueues();
        const bodies = Array.from({ length: 12 }, (_, index) => `m-${index}`);
        for (const body of bodies) await bury({ body, ...(isFifo && { group: 'g', dedup: body }) });
        const controller = new AbortController();
        const after: string[] = [];
        const watched = clientOf(sqs.endpoint);
        watched.middlewareStack.add(
          (next, { commandName = '' }) =>
            async (args) => {
              // A standard queue's messages are sent together: there, the first receive is the last.
              if (controller.signal.aborted) after.push(commandName);
              const answer = await next(args);
              if (commandName === (isFifo ? 'SendMessageCommand' : 'ReceiveMessageCommand')) controller.abort();
              return answer;
            },
          { step: 'initialize' },
        );
        const { letters } = await anOperator().operate.deadLetters({ queueUrl: dead.url });
        const operate = operator({ store: memoryStore(), aws: sdk({ sqs: watched }), onEvent: () => undefined });
        const plan = await operate.planRedrive({ from: dead.url, to: queue.url, letters, ...maria });
        const results = await collect(operate.redrive(plan, { signal: controller.signal }));
        watched.destroy();
        expect(results.map(({ outcome }) => outcome)).toEqual(isFifo ? ['redriven'] : []);
        // What was sent is deleted, and what is held is given back: no further receive, no further copy.
        expect(new Set(after)).toEqual(
          new Set([...(isFifo ? ['DeleteMessageCommand'] : []), 'ChangeMessageVisibilityBatchCommand']),
        );
        expect(await bodiesOf(queue.url)).toEqual(isFifo ? ['m-0'] : []);
        expect((await bodiesOf(dead.url)).toSorted()).toEqual(bodies.slice(isFifo ? 1 : 0).toSorted());
      },
    );

    it('sends a message with ten attributes if its key is known not to be its id: a copy has no room to say whose it is', async () => {
      const attributes = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`a${index}`, text('x')]));
      await bury({ body: '{"id":"p-1"}', attributes });
      const { operate } = anOperator();
      expect((await redriveAll(operate)).results).toMatchObject([{ outcome: 'stays', whyNot: 'would-repeat' }]);
      const { letters } = await operate.deadLetters({ queueUrl: dead.url, operation: 'pay', key: bodyField('id') });
      const plan = await operate.planRedrive({ from: dead.url, to: queue.url, letters, ...maria });
      expect(await collect(operate.redrive(plan))).toMatchObject([{ outcome: 'redriven' }]);
      const [copy] = await contentOf(queue.url);
      expect(copy?.MessageAttributes).toEqual(attributes);
    });

    it('refuses what is parked and undecided, rejected, or in flight, and says why', async () => {
      for (const { id } of [completed, parked, rejected, running, dying])
        await bury({ reason: 'parked', claim: id, body: id });
      await bury({ body: 'not joined' });
      const { operate } = anOperator(completed, parked, rejected, running, dying);
      const { plan, results } = await redriveAll(operate);
      const planned = plan.items.map((item) => [item.claimId, item.will === 'stay' ? item.whyNot : item.will]);
      expect(Object.fromEntries(planned)).toEqual({
        'pay#done': 'acknowledge',
        'pay#parked': 'parked',
        'pay#no': 'rejected',
        'pay#runs': 'in-flight',
        'pay#died': 'run',
        undefined: 'consumer-decides',
      });
      expect(plan.count).toBe(3);
      expect(results.map(({ outcome }) => outcome)).toEqual(['redriven', 'redriven', 'redriven']);
      expect((await bodiesOf(queue.url)).sort()).toEqual(['not joined', 'pay#died', 'pay#done']);
      expect((await bodiesOf(dead.url)).sort()).toEqual(['pay#no', 'pay#parked', 'pay#runs']);
    });

    it('promises no acknowledgement of what was only observed: the consumer runs the copy again', async () => {
      const { operate, store } = anOperator();
      let runs = 0;
      const observing = eachMessage<{ id: string }>(
        {
          operation: 'pay',
          store,
          key: bodyField('id'),
          onAbandoned: 'park',
          mode: 'observe',
          observeWaitMs: 25_000,
          onEvent: () => undefined,
        },
        () => void runs++,
      );
      const body = '{"id":"p-1"}';
      await observing(sqsEvent(sqsRecord(body)), context());
      await bury({ body });
      const { letters } = await operate.deadLetters({ queueUrl: dead.url, operation: 'pay', key: bodyField('id') });
      expect(letters).toMatchObject([{ claimId: 'pay#p-1', claim: { status: 'completed' } }]);
      const plan = await operate.planRedrive({ from: dead.url, to: queue.url, letters, ...maria });
      expect(plan.items).toMatchObject([{ will: 'consumer-decides' }]);
      expect(await collect(operate.redrive(plan))).toMatchObject([{ outcome: 'redriven' }]);
      const [copy] = await contentOf(queue.url);
      await observing(sqsEvent(sqsRecord(String(copy?.Body))), context());
      expect(runs).toBe(2);
    });

    it('leaves a message whose claim a later version wrote, and sends the others', async () => {
      for (const { id } of [...foreign, completed]) await bury({ claim: id, body: id });
      const { operate, store } = anOperator(...foreign, completed);
      const { letters } = await operate.deadLetters({ queueUrl: dead.url });
      const shown = letters.map(({ claimId, claim, claimIsForeign }) => [claimId, claim?.status, claimIsForeign]);
      expect(shown.toSorted()).toEqual([
        ['pay#done', 'completed', false],
        ['pay#paused', undefined, true],
        ['pay#v3', undefined, true],
      ]);
      const { plan, results } = await redriveAll(operate);
      expect(plan.items.filter(({ will }) => will === 'stay')).toMatchObject([
        { whyNot: 'foreign' },
        { whyNot: 'foreign' },
      ]);
      expect(results).toMatchObject([{ claimId: 'pay#done', outcome: 'redriven' }]);
      // Written between the plan and the deed: by a deployment that is under way.
      await bury({ claim: 'pay#soon' });
      const before = await operate.deadLetters({ queueUrl: dead.url });
      const later = await operate.planRedrive({ from: dead.url, to: queue.url, letters: before.letters, ...maria });
      await store.write({ next: laterRecord({ id: 'pay#soon' }, { v: 3 }), seen: undefined });
      expect(later.count).toBe(1);
      expect(await collect(operate.redrive(later))).toMatchObject([{ outcome: 'stays', whyNot: 'foreign' }]);
    });

    it('reads each claim again before it sends: one that was parked since the plan stays', async () => {
      await bury({ reason: 'parked', claim: dying.id });
      const { operate, store } = anOperator(dying);
      const { letters } = await operate.deadLetters({ queueUrl: dead.url });
      const plan = await operate.planRedrive({ from: dead.url, to: queue.url, letters, ...maria });
      expect(plan.count).toBe(1);
      await store.write({ next: { ...dying, status: 'parked', rev: 2 }, seen: dying });
      expect(await collect(operate.redrive(plan))).toMatchObject([{ outcome: 'stays', whyNot: 'parked' }]);
      expect(await contentOf(queue.url)).toEqual([]);
      expect(await contentOf(dead.url)).toHaveLength(1);
    });

    it('keeps the trace of the message', async () => {
      await bury({ body: 'm' });
      let kept: unknown;
      // The local server keeps no trace: it is put into what is received, and seen in what is sent.
      through((real) => async (operation, input) => {
        if (operation === 'SendMessage') kept = input;
        const answer = await real(operation, input);
        const { Messages = [] } = answer as { Messages?: Message[] };
        for (const message of Messages) message.Attributes = { ...message.Attributes, AWSTraceHeader: 'Root=1-2-3' };
        return answer;
      });
      await redriveAll(anOperator().operate);
      expect(kept).toMatchObject({ MessageSystemAttributes: { AWSTraceHeader: text('Root=1-2-3') } });
    });

    it('of a reused key does not go by the outcome of the other intent, but waits until that is decided', async () => {
      for (const { id } of [completed, rejected, parked]) await bury({ reason: 'key-reused', claim: id });
      const { plan } = await redriveAll(anOperator(completed, rejected, parked).operate);
      expect(plan.items.map((item) => (item.will === 'stay' ? item.whyNot : item.will))).toEqual([
        'consumer-decides',
        'consumer-decides',
        'parked',
      ]);
    });

    it('a second time sends nothing: what was redriven is not there any more', async () => {
      await bury({});
      const { operate } = anOperator();
      const { plan } = await redriveAll(operate);
      expect(await collect(operate.redrive(plan))).toMatchObject([{ outcome: 'not-seen' }]);
      expect(await contentOf(queue.url)).toHaveLength(1);
    });

    it('leaves alone, and gives back at once, what was not selected', async () => {
      const first = await bury({ body: 'first' });
      await bury({ body: 'second' });
      const { operate } = anOperator();
      const seen = await operate.deadLetters({ queueUrl: dead.url });
      const letters = seen.letters.filter(({ messageId }) => messageId === first);
      const plan = await operate.planRedrive({ from: dead.url, to: queue.url, letters, ...maria });
      await collect(operate.redrive(plan));
      expect(await bodiesOf(queue.url)).toEqual(['first']);
      expect(await bodiesOf(dead.url)).toEqual(['second']);
    });

    it('that is broken off gives back what it has not sent', async () => {
      await bury({ body: 'first' });
      const { operate } = anOperator(parked);
      await bury({ body: 'second', claim: parked.id });
      const { letters } = await operate.deadLetters({ queueUrl: dead.url });
      const plan = await operate.planRedrive({ from: dead.url, to: queue.url, letters, ...maria });
      for await (const _ of operate.redrive(plan)) break;
      expect(await bodiesOf(dead.url)).toEqual(['second']);
    });

    it('reports each act, with the operator and the claim, and never a body', async () => {
      await bury({ body: '{"secret":1}', reason: 'parked', claim: completed.id });
      const { operate, events } = anOperator(completed);
      await redriveAll(operate);
      expect(events).toMatchObject([{ type: 'redriven', id: completed.id, from: dead.url, to: queue.url, ...maria }]);
      expect(JSON.stringify(events)).not.toContain('secret');
    });

    it('goes back by itself to the one queue whose redrive policy names the dead-letter queue', async () => {
      let queueUrls = [queue.url];
      // The local server does not know this call. Each page has one of the queues.
      through((real) => async (operation, input) => {
        if (operation !== 'ListDeadLetterSourceQueues') return real(operation, input);
        const { NextToken = '0' } = input as { readonly NextToken?: string };
        const next = Number(NextToken) + 1;
        return {
          queueUrls: queueUrls.slice(next - 1, next),
          ...(next < queueUrls.length && { NextToken: String(next) }),
        };
      });
      const { operate } = anOperator();
      const wanted = { from: dead.url, letters: [], ...maria };
      expect((await operate.planRedrive(wanted)).to).toBe(queue.url);
      for (const found of [[], [queue.url, 'https://sqs/another']]) {
        queueUrls = found;
        await expect(operate.planRedrive(wanted)).rejects.toThrow(/^to: expected the URL of a queue/);
      }
    });

    it.each([
      ['the same queue', () => ({ from: dead.url, to: dead.url })],
      ['a queue of the other kind', () => ({ from: dead.url, to: `${queue.url}.fifo` })],
    ])('to %s is refused', async (_, where) => {
      const { operate } = anOperator();
      await expect(operate.planRedrive({ ...where(), letters: [], ...maria })).rejects.toThrow(/^to: expected/);
    });
  });

  /** Fails calls of an operation, before or after SQS has seen them. */
  function failing(failed: string, when: 'before' | 'after'): void {
    through((real) => async (operation, input) => {
      if (operation !== failed) return real(operation, input);
      if (when === 'after') await real(operation, input);
      throw Object.assign(new Error('socket hang up'), { name: 'TimeoutError', code: 'ECONNRESET' });
    });
  }

  describe('a redrive never loses a message', () => {
    it.each(['before', 'after'] as const)(
      'if the copy is not confirmed (lost %s SQS has it): the dead letter stays',
      async (when) => {
        await bury({ body: 'm', claim: 'pay#1' });
        failing('SendMessage', when);
        const { operate, events } = anOperator();
        const { results } = await redriveAll(operate);
        expect(results).toMatchObject([{ outcome: 'failed', error: { message: 'socket hang up' } }]);
        expect(events).toMatchObject([{ type: 'redrive-failed', id: 'pay#1', ...maria }]);
        expect(await bodiesOf(dead.url)).toEqual(['m']);
      },
    );

    it('if the deletion fails: it says that a copy is left', async () => {
      await bury({ body: 'm' });
      failing('DeleteMessage', 'before');
      const { operate, events } = anOperator();
      const { results } = await redriveAll(operate);
      expect(results).toMatchObject([{ outcome: 'copy-left' }]);
      expect(events).toMatchObject([{ type: 'redriven', copyLeft: true }]);
      expect([await bodiesOf(dead.url), await bodiesOf(queue.url)]).toEqual([['m'], ['m']]);
    });

    it('on a FIFO queue, also if the same message is redriven twice within five minutes', async () => {
      await fifoQueues();
      const { operate } = anOperator();
      const copies: (string | undefined)[] = [];
      for (const dedup of ['first stay', 'second stay']) {
        await bury({ body: 'm', group: 'g', dedup });
        expect((await redriveAll(operate)).results).toMatchObject([{ outcome: 'redriven' }]);
        copies.push(...(await bodiesOf(queue.url)));
        expect(await bodiesOf(dead.url)).toEqual([]);
      }
      expect(copies).toEqual(['m', 'm']);
    });
  });

  describe('on a FIFO queue', () => {
    beforeEach(fifoQueues);

    it('the messages of a group are sent in their order', async () => {
      const bodies = Array.from({ length: 12 }, (_, index) => `m${index}`);
      for (const [index, body] of bodies.entries()) await bury({ body, group: `g${index % 2}`, dedup: body });
      const { operate } = anOperator();
      for (let round = 0; round < 2; round++) await redriveAll(operate);
      const copies = await contentOf(queue.url);
      expect(copies).toHaveLength(12);
      for (const group of ['g0', 'g1']) {
        const numbers = copies
          .filter(({ Attributes }) => Attributes?.MessageGroupId === group)
          .map(({ Body = '' }) => Number(Body.slice(1)));
        expect(numbers).toHaveLength(6);
        expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
      }
    });

    it('nothing is sent past a message whose claim a later version wrote', async () => {
      await bury({ body: 'a1', group: 'a', dedup: '1', claim: 'pay#v3' });
      await bury({ body: 'a2', group: 'a', dedup: '2' });
      const { plan } = await redriveAll(anOperator(...foreign).operate);
      expect(plan).toMatchObject({ count: 0, items: [{ whyNot: 'foreign' }, { whyNot: 'behind' }] });
    });

    it('nothing is sent past an earlier message of its group that may still run', async () => {
      await bury({ body: 'a1', group: 'a', dedup: '1', claim: parked.id });
      await bury({ body: 'a2', group: 'a', dedup: '2' });
      await bury({ body: 'b1', group: 'b', dedup: '3', claim: rejected.id });
      await bury({ body: 'b2', group: 'b', dedup: '4' });
      const { operate } = anOperator(parked, rejected);
      const { plan } = await redriveAll(operate);
      expect(plan.items.map((item) => (item.will === 'stay' ? item.whyNot : item.will))).toEqual([
        'parked',
        'behind',
        'rejected',
        'consumer-decides',
      ]);
      expect(await bodiesOf(queue.url)).toEqual(['b2']);
    });

    it('nothing is sent past a message that a copy has no room to name: it may still run', async () => {
      const attributes = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`a${index}`, text('x')]));
      await bury({ body: 'a1', group: 'a', dedup: '1', attributes });
      await bury({ body: 'a2', group: 'a', dedup: '2' });
      const { results } = await redriveAll(anOperator().operate);
      expect(results).toMatchObject([
        { outcome: 'stays', whyNot: 'would-repeat' },
        { outcome: 'stays', whyNot: 'behind' },
      ]);
      expect(await bodiesOf(queue.url)).toEqual([]);
    });

    it('the plan has the order of the queue, however the messages were sorted for people', async () => {
      await bury({ body: 'a1', group: 'a', dedup: '1', claim: parked.id });
      await bury({ body: 'a2', group: 'a', dedup: '2' });
      const { operate } = anOperator(parked);
      const { letters } = await operate.deadLetters({ queueUrl: dead.url });
      const plan = await operate.planRedrive({
        from: dead.url,
        to: queue.url,
        letters: letters.toReversed(),
        ...maria,
      });
      expect(plan).toMatchObject({ count: 0, items: [{ whyNot: 'parked' }, { whyNot: 'behind' }] });
    });

    it('after a failed send, nothing more of its group is sent', async () => {
      for (const body of ['a1', 'a2']) await bury({ body, group: 'a', dedup: body });
      failing('SendMessage', 'before');
      const { operate } = anOperator();
      const { results } = await redriveAll(operate);
      expect(results).toMatchObject([{ outcome: 'failed' }, { outcome: 'stays', whyNot: 'behind' }]);
      expect(await bodiesOf(dead.url)).toEqual(['a1', 'a2']);
    });
  });

  it('an operator asks SQS for what the page of permissions names, and for nothing else', async () => {
    const asked = new Set<string>();
    through((real) => (operation, input) => {
      asked.add(`sqs:${operation.replace(/Batch$/, '')}`);
      return real(operation, input);
    });
    await bury({ body: 'sent', claim: 'pay#unknown' });
    await bury({ body: 'stays', claim: parked.id });
    await redriveAll(anOperator(parked).operate);
    const page = readFileSync('docs/reference/security.md', 'utf8');
    const named = page.slice(page.indexOf("## The operator's role"), page.indexOf('## cdk-nag'));
    expect([...asked].toSorted()).toEqual([
      'sqs:ChangeMessageVisibility',
      'sqs:DeleteMessage',
      'sqs:GetQueueAttributes',
      'sqs:ReceiveMessage',
      'sqs:SendMessage',
    ]);
    for (const action of asked) expect(named).toContain(action.slice('sqs:'.length));
  });

  describe('a look at dead letters', () => {
    it('joins each message with its claim: by its attribute, or by the key of the consumer', async () => {
      await bury({ body: '{"id":"x"}', reason: 'parked', claim: parked.id });
      await bury({ body: '{"id":"done"}' });
      await bury({ body: 'no JSON' });
      const { operate } = anOperator(parked, completed);
      const query = { queueUrl: dead.url, operation: 'pay', key: bodyField('id') };
      const { letters } = await operate.deadLetters(query);
      expect(letters.map(({ joinedBy, claimId, claim }) => [joinedBy, claimId, claim?.status])).toEqual([
        ['attribute', 'pay#parked', 'parked'],
        ['key', 'pay#done', 'completed'],
        ['nothing', undefined, undefined],
      ]);
      const without = await operate.deadLetters({ queueUrl: dead.url });
      expect(without.letters.map(({ joinedBy }) => joinedBy)).toEqual(['attribute', 'nothing', 'nothing']);
    });

    it('opens the envelope of the consumer before its key', async () => {
      const notification = {
        Type: 'Notification',
        MessageId: 'm',
        TopicArn: 'arn:aws:sns:us-east-1:1:t',
        Message: '{"id":"done"}',
      };
      await bury({ body: JSON.stringify(notification) });
      const { operate } = anOperator(completed);
      const query = { queueUrl: dead.url, operation: 'pay', key: bodyField('id') };
      expect((await operate.deadLetters(query)).letters).toMatchObject([{ joinedBy: 'nothing' }]);
      const { letters } = await operate.deadLetters({ ...query, envelope: snsEnvelope() });
      expect(letters).toMatchObject([{ joinedBy: 'key', claimId: 'pay#done' }]);
    });

    it('shows a body only if it is asked for', async () => {
      await bury({ body: '{"secret":1}', reason: 'parked' });
      const { operate } = anOperator();
      const { letters } = await operate.deadLetters({ queueUrl: dead.url });
      expect(letters).toMatchObject([{ reason: 'parked', bodyBytes: 12 }]);
      expect(JSON.stringify(letters)).not.toContain('secret');
      expect((await operate.deadLetters({ queueUrl: dead.url, bodies: true })).letters[0]?.body).toBe('{"secret":1}');
    });

    it('gives every message back at once', async () => {
      for (let index = 0; index < 23; index++) await bury({ body: `m${index}` });
      const { operate } = anOperator();
      const seen = await operate.deadLetters({ queueUrl: dead.url });
      expect(seen).toMatchObject({ approximateNumber: 23, unseen: 0, isFifo: false, groups: [] });
      expect(await sqs.depth('dead')).toEqual({ ready: 23, delayed: 0, inFlight: 0 });
    });

    it('says how many messages it could not see', async () => {
      for (let index = 0; index < 5; index++) await bury({ body: `m${index}` });
      const { operate } = anOperator();
      expect(await operate.deadLetters({ queueUrl: dead.url, most: 2 })).toMatchObject({ unseen: 3 });
      await client.send(new ReceiveMessageCommand({ QueueUrl: dead.url, MaxNumberOfMessages: 2 }));
      const seen = await operate.deadLetters({ queueUrl: dead.url });
      expect([seen.letters.length, seen.unseen]).toEqual([3, 2]);
    });

    it('on a FIFO queue says which groups it has blocked, and opens them again', async () => {
      await fifoQueues();
      for (const group of ['a', 'b']) await bury({ group, dedup: group, body: group });
      const { operate } = anOperator();
      expect(await operate.deadLetters({ queueUrl: dead.url })).toMatchObject({ isFifo: true, groups: ['a', 'b'] });
      expect((await bodiesOf(dead.url)).sort()).toEqual(['a', 'b']);
    });

    it('is not stopped by an attribute that names no claim: a producer may send what it likes', async () => {
      await bury({ claim: '#lock#customer-1' });
      await bury({ claim: `pay#${'x'.repeat(3000)}` });
      const { operate } = anOperator();
      const { letters } = await operate.deadLetters({ queueUrl: dead.url });
      expect(letters.map(({ joinedBy }) => joinedBy)).toEqual(['nothing', 'nothing']);
    });
  });

  it('says how many messages a queue has, hidden ones with them, and receives none', async () => {
    for (const MessageBody of ['a', 'b', 'c']) {
      await client.send(new SendMessageCommand({ QueueUrl: dead.url, MessageBody }));
    }
    await client.send(new ReceiveMessageCommand({ QueueUrl: dead.url, VisibilityTimeout: 60 }));
    const operate = operator({ store: memoryStore(), aws });
    expect(await operate.queueDepth(dead.url)).toBe(3);
    expect(await sqs.depth('dead')).toMatchObject({ ready: 2, inFlight: 1 });
    await expect(operate.queueDepth('')).rejects.toThrow(/^queueUrl: expected a queue's URL/);
  });
});

it('if the answer of the first send is lost, the SDK sends again: one copy on a FIFO queue, and the dead letter is deleted', async () => {
  await fifoQueues();
  await bury({ body: 'm', group: 'g', dedup: 'd' });
  let failed = 0;
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const answer = await next(args);
      if (context['commandName'] !== 'SendMessageCommand' || failed > 0) return answer;
      failed++;
      throw Object.assign(new Error('socket hang up'), { name: 'TimeoutError', code: 'ECONNRESET' });
    },
    { step: 'deserialize', priority: 'high' },
  );
  aws = sdk({ sqs: client });
  const { operate } = anOperator();
  expect((await redriveAll(operate)).results).toMatchObject([{ outcome: 'redriven' }]);
  expect(failed).toBe(1);
  expect([await bodiesOf(dead.url), await bodiesOf(queue.url)]).toEqual([[], ['m']]);
});
