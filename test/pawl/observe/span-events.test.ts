import { describe, expect, it } from 'vitest';
import { type EventSpan, spanEvents } from '../../../lib/pawl/observe/index.ts';
import { deadLettered, everyKind, takenOver } from './events.ts';

/** The signature of `Span.addEvent` in `@opentelemetry/api` 1.9, so that the compiler sees that a real one fits. */
class OtelSpan {
  readonly added: unknown[] = [];
  addEvent(
    name: string,
    attributes?: Record<string, unknown> | number | Date | [number, number],
    _time?: number,
  ): this {
    this.added.push([name, attributes]);
    return this;
  }
}

describe('spanEvents', () => {
  it('adds what happened to the active span, with its facts as attributes', () => {
    const span = new OtelSpan();
    spanEvents(() => span)(takenOver);
    expect(span.added).toEqual([
      [
        'pawl.taken-over',
        {
          'pawl.operation': 'issue-gift-card',
          'pawl.id': 'issue-gift-card#jo@example.com',
          'pawl.attempts': 2,
          'pawl.fence': 3,
          'pawl.status': 'in-flight',
        },
      ],
    ]);
  });

  it('gives what is inside a fact an attribute of its own, since attributes are scalars', () => {
    const span = new OtelSpan();
    spanEvents(() => span)(deadLettered);
    expect(span.added).toMatchObject([
      ['pawl.dead-lettered', { 'pawl.reason': 'missing-key', 'pawl.error.name': 'InvalidKeyError' }],
    ]);
  });

  it('leaves out facts that are not there', () => {
    const span = new OtelSpan();
    spanEvents(() => span)({ ...takenOver, error: undefined } as typeof takenOver);
    expect(JSON.stringify(span.added)).not.toContain('error');
  });

  it('does nothing without an active span, and asks for it anew each time', () => {
    const span = new OtelSpan();
    const spans: (EventSpan | undefined)[] = [undefined, span, undefined];
    const listener = spanEvents(() => spans.shift());
    for (const event of everyKind) listener(event);
    expect(span.added).toHaveLength(1);
  });
});
