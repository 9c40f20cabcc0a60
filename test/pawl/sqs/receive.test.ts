import { describe, expect, it } from 'vitest';
import type { InvocationContext, SqsEvent } from '../../../lib/pawl/sqs/event.ts';
import { receive } from '../../../lib/pawl/sqs/receive.ts';
import { context, sqsEvent, sqsRecord } from '../../support/lambda.ts';
import { someDay, virtualHost } from '../../support/virtual-host.ts';

const host = virtualHost();
const received = (event: unknown, given: unknown = context(30_000, host.now)) =>
  receive(host, event as SqsEvent, given as InvocationContext);

describe('a batch', () => {
  it('is its records, and the time that the worker has for them', () => {
    const records = [sqsRecord({ id: 1 }), sqsRecord({ id: 2 })];
    expect(received(sqsEvent(...records))).toMatchObject({
      records,
      startedAt: someDay,
      deadline: someDay + 30_000,
    });
  });

  it.each([
    [undefined, undefined],
    [{}, undefined],
    [{ Records: 'none' }, undefined],
    [sqsEvent(), {}],
    [sqsEvent(), null],
  ])('is an event of SQS with a context of Lambda: %o is none', (event, given) => {
    expect(() => (given === undefined ? received(event) : received(event, given))).toThrow(
      given === undefined ? 'expected an event of SQS' : "expected Lambda's context as the second argument",
    );
  });

  it.each([
    [null, 'null'],
    [{ id: 1 }, 'of type object'],
    [undefined, 'of type undefined'],
  ])('has bodies as SQS sent them: %o was parsed by another middleware', (body, came) => {
    const event = sqsEvent({ ...sqsRecord(''), body: body as never });
    expect(() => received(event)).toThrow(TypeError);
    expect(() => received(event)).toThrow(`the body of a message is ${came}, and not the text that SQS sent`);
  });
});
