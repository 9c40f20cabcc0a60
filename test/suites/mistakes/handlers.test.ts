import middy from '@middy/core';
import type { Context, SQSEvent } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import { httpOnce, onceOverHttp } from '../../../lib/pawl/http/index.ts';
import { type Claim, type ClaimEvent, memoryStore, step } from '../../../lib/pawl/index.ts';
import { sqsOnce } from '../../../lib/pawl/middy/index.ts';
import { bodyField, eachMessage } from '../../../lib/pawl/sqs/index.ts';
import { apiGatewayV1, apiGatewayV2, loadBalancer } from '../../support/http-events.ts';
import { context, noQueue, sqsEvent, sqsRecord } from '../../support/lambda.ts';
import { expectAdvice, type Mistake, untyped, warnedBy } from './mistake.ts';

const handle = () => undefined;
let operations = 0;
/** A warning comes once for an operation, in a cold start. */
const options = (more: object = {}) => ({
  operation: `orders-${++operations}`,
  store: memoryStore(),
  key: bodyField('orderId'),
  onAbandoned: 'retry' as const,
  onEvent: handle,
  aws: noQueue,
  ...more,
});
const order = () => sqsEvent(sqsRecord({ orderId: '7' }));
const toQueue = (event: unknown, given: unknown = context()) =>
  eachMessage(options(), handle)(untyped(event), untyped(given));
const api = () => onceOverHttp(untyped({ ...options({ aws: undefined, key: undefined }), caller: 'anyone' }), handle);
const toApi = (event: unknown) => api()(untyped(event), untyped(context()));
const from = (eventSource: string) => ({ Records: [{ eventSource, dynamodb: {}, kinesis: {} }] });

/** A batch handler behind Middy, called with one order. */
function behindMiddy(
  handler: (event: SQSEvent) => unknown,
  { given = options(), early = 0, before }: { given?: object; early?: number; before?: () => unknown } = {},
) {
  const wrapped = middy(async (event: SQSEvent) => handler(event), { timeoutEarlyInMillis: early }).use(
    sqsOnce(untyped(given)),
  );
  if (before !== undefined) wrapped.use({ before: untyped(before) });
  return (remainingMs = 30_000) => wrapped(order() as SQSEvent, context(remainingMs) as Context);
}

/** The first error in what is reported. */
async function reportedBy(work: (onEvent: (event: ClaimEvent) => void) => unknown): Promise<string> {
  const events: ClaimEvent[] = [];
  await work((event) => events.push(event));
  const [error] = events.flatMap((event) => ('error' in event && event.error !== undefined ? [event.error] : []));
  return error?.message ?? 'no error was reported';
}

/** What a handler is told that misuses its claim. */
function misuse(use: (claim: Claim) => unknown): Promise<string> {
  return reportedBy((onEvent) => eachMessage(options({ onEvent }), (_, claim) => use(claim))(order(), context()));
}

const wrongEvents: readonly Mistake[] = [
  {
    event: { Records: [{ EventSource: 'aws:sns', Sns: {} }] },
    looksLike: 'an event of SNS',
    toDo: 'send its events to a queue',
  },
  { event: from('aws:kinesis'), looksLike: 'an event of Kinesis', toDo: 'wrap what handles one record in once()' },
  {
    event: from('aws:dynamodb'),
    looksLike: 'an event of DynamoDB Streams',
    toDo: 'wrap what handles one record in once()',
  },
  { event: from('aws:s3'), looksLike: 'an event of S3', toDo: 'send its events to a queue' },
  {
    event: { eventSource: 'aws:kafka', records: {} },
    looksLike: 'an event of Kafka',
    toDo: 'wrap what handles one record in once()',
  },
  {
    event: { 'detail-type': 'Order', source: 'shop', detail: {} },
    looksLike: 'an event of EventBridge',
    toDo: 'send its events to a queue',
  },
  { event: apiGatewayV2({}), looksLike: 'a request of HTTP', toDo: 'use onceOverHttp or httpOnce of pawl/http' },
  { event: apiGatewayV1({}), looksLike: 'a request of HTTP', toDo: 'use onceOverHttp or httpOnce of pawl/http' },
  { event: loadBalancer({}), looksLike: 'a request of HTTP', toDo: 'use onceOverHttp or httpOnce of pawl/http' },
  {
    event: { requestContext: { connectionId: 'c', routeKey: '$default' } },
    looksLike: 'a message of a WebSocket API',
    toDo: 'once()',
  },
  { event: sqsRecord({}), looksLike: 'one record of SQS', toDo: '{ Records: [record] }' },
  { event: [sqsRecord({})], looksLike: 'a list', toDo: '{ Records: [record] }' },
  { event: { Messages: [] }, looksLike: 'a response of ReceiveMessage', toDo: 'let Lambda poll the queue' },
  { event: undefined, looksLike: 'a value of type undefined', toDo: 'hand over the event of Lambda' },
  { event: { orderId: 7 }, looksLike: 'an object of another form', toDo: 'once()' },
].map(({ event, looksLike, toDo }) => ({
  mistake: `${looksLike} (${JSON.stringify(event)?.slice(0, 30)}) for a queue`,
  make: () => toQueue(event),
  wrong: `this looks like ${looksLike}`,
  expected: 'expected an event of SQS',
  toDo,
  code: 'wrong-event' as const,
}));

const mistakes: readonly Mistake[] = [
  ...wrongEvents,
  {
    mistake: 'an event of SQS for an API',
    make: () => toApi({ Records: [{ ...sqsRecord({}), eventSource: 'aws:sqs' }] }),
    wrong: 'this looks like an event of SQS',
    expected: 'expected an event of API Gateway, a function URL or a load balancer',
    toDo: 'use eachMessage of pawl/sqs, or sqsOnce of pawl/middy',
    code: 'wrong-event',
  },
  {
    mistake: 'an event of SNS for a batch handler',
    make: () =>
      middy(handle).use(sqsOnce(options())).handler(handle)(
        untyped({ Records: [{ EventSource: 'aws:sns', Sns: {} }] }),
        untyped(context()),
      ),
    wrong: 'this looks like an event of SNS',
    expected: 'expected an event of SQS',
    toDo: 'send its events to a queue',
    code: 'wrong-event',
  },
  {
    mistake: 'a handler that is called without its context',
    make: () => toQueue(order(), {}),
    wrong: "expected Lambda's context as the second argument",
    expected: 'getRemainingTimeInMillis()',
    toDo: 'hand it on',
    code: 'missing-context',
  },
  {
    mistake: 'a body that another middleware has parsed',
    make: () => toQueue({ Records: [{ ...sqsRecord({}), body: { orderId: 7 } }] }),
    wrong: 'the body of a message is of type object',
    expected: 'not the text that SQS sent',
    toDo: 'Put pawl before what parses bodies',
    code: 'parsed-body',
  },
  {
    mistake: 'two middlewares of pawl on one handler',
    make: () =>
      middy(async () => undefined)
        .use(sqsOnce(options()))
        .use(sqsOnce(options()))(order() as never, context() as never),
    wrong: 'sqsOnce:',
    expected: 'use it once on a handler',
    toDo: 'remove one of the two .use(sqsOnce(…))',
    code: 'used-twice',
  },
  {
    mistake: 'two middlewares of pawl on one API',
    make: () => {
      const given = untyped({ ...options({ aws: undefined, key: undefined }), caller: 'anyone' });
      const sent = apiGatewayV2({ headers: { 'idempotency-key': '"k"' } });
      return middy(async () => ({ statusCode: 200 }))
        .use(httpOnce(given))
        .use(httpOnce(given))(sent as never, context() as never);
    },
    wrong: 'httpOnce:',
    expected: 'use it once on a handler',
    toDo: 'remove the second .use()',
    code: 'used-twice',
  },
  {
    mistake: 'an early time-out of Middy that is left on',
    make: () => warnedBy(() => behindMiddy(() => new Promise(handle), { early: 29_990 })().catch(handle)),
    wrong: "Middy's early time-out may have ended the request while its handler is still at work",
    expected: 'its claims stay in flight until the invocation is over',
    toDo: 'middy(handler, { timeoutEarlyInMillis: 0 })',
    code: 'early-timeout',
  },
  {
    mistake: 'a middleware behind sqsOnce that answers early, as a warning',
    make: () => warnedBy(() => behindMiddy(handle, { before: () => 'warm' })()),
    wrong: 'another middleware answered before the handler was called',
    expected: 'its `before` returned a value',
    toDo: 'Use sqsOnce last',
    code: 'early-response',
  },
  {
    mistake: 'a middleware behind sqsOnce that answers early, on the claim',
    make: () =>
      reportedBy((onEvent) =>
        warnedBy(() => behindMiddy(handle, { given: options({ onEvent }), before: () => 'warm' })()),
      ),
    wrong: 'another middleware answered before the handler was called',
    expected: 'its `before` returned a value',
    toDo: 'Use sqsOnce last',
    code: 'early-response',
  },
  {
    mistake: 'a batch handler that returns a text',
    make: () => reportedBy((onEvent) => behindMiddy(() => 'done', { given: options({ onEvent }) })()),
    wrong: 'the handler returned a value of type string',
    expected: 'expected PromiseSettledResult[] in the order of event.Records',
    toDo: '{ batchItemFailures }, or nothing',
    code: 'misunderstood-response',
  },
  {
    mistake: 'a marked effect that is never called',
    make: () => warnedBy(() => eachMessage(options({ marksEffect: true }), handle)(order(), context())),
    wrong: 'returned without calling claim.effect()',
    expected: 'Put the effect inside claim.effect(() => …)',
    toDo: 'or remove marksEffect',
    code: 'effect-not-marked',
  },
  {
    mistake: 'two effects in one handler',
    make: () =>
      misuse(async (claim) => {
        await claim.effect(handle);
        await claim.effect(handle);
      }),
    wrong: 'claim.effect:',
    expected: 'there is one effect in a handler',
    toDo: 'make steps of the others with step()',
    code: 'second-effect',
  },
  {
    mistake: 'a step of a copied claim',
    make: () => misuse((claim) => step({ ...claim }, 'charge', handle, { onAbandoned: 'retry' })),
    wrong: 'and no copy of it',
    expected: 'expected the claim',
    toDo: 'that the handler was given',
    code: 'copied-claim',
  },
  {
    mistake: 'a step without its function',
    make: () => misuse((claim) => step(claim, 'charge', untyped({ onAbandoned: 'retry' }), { onAbandoned: 'retry' })),
    wrong: 'got a value of type object',
    expected: 'step charge: expected a function that starts the effect',
    toDo: 'Write step charge(() => …)',
    code: 'effect-no-function',
  },
  {
    mistake: 'a step without a policy',
    make: () => misuse((claim) => step(claim, 'charge', handle, untyped({}))),
    wrong: 'got undefined',
    expected: 'onAbandoned of step charge: expected',
    toDo: "'retry', 'park' or reconcile({ ask, settleMs })",
    code: 'wrong-option',
  },
  {
    mistake: 'two steps of one name',
    make: () =>
      misuse(async (claim) => {
        await step(claim, 'charge', handle, { onAbandoned: 'retry' });
        await step(claim, 'charge', handle, { onAbandoned: 'retry' });
      }),
    wrong: 'got "charge"',
    expected: 'the name of a step: expected',
    toDo: 'one that no other step of the handler has',
    code: 'wrong-option',
  },
];

describe('a handler', () => {
  test.each(mistakes)('$mistake: says what is wrong, what was expected and what to do', expectAdvice);
});

describe('a warning', () => {
  test('comes once in a cold start, however many messages there are', async () => {
    const handler = eachMessage(options({ marksEffect: true }), async () => handle());
    const lines = await warnedBy(async () => {
      for (const orderId of ['1', '2', '3']) await handler(sqsEvent(sqsRecord({ orderId })), context());
    });
    expect(lines.split('\n')).toHaveLength(1);
  });

  test('does not come to a handler that marks its effect, nor to one behind a middleware that returns nothing', async () => {
    const marked = eachMessage(options({ marksEffect: true }), (_, claim) => claim.effect(handle));
    const quiet = await warnedBy(async () => {
      await marked(order(), context());
      await behindMiddy(handle, { before: handle })();
    });
    expect(quiet).toBe('');
  });
});
