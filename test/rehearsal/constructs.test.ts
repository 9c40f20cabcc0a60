import { describe, expect, test } from 'vitest';
import { constructOf, isAt, onlyAt } from '../../lib/rehearsal/engine/app/constructs.ts';

describe('a construct', () => {
  test('is known by the path that the CDK writes down, and by its logical id without one', () => {
    const Type = 'AWS::SQS::Queue';
    const at = (path: string) => constructOf('Queue1', { Type, Metadata: { 'aws:cdk:path': path } });
    expect(at('Billing/Invoices/Queue/Resource')).toBe('Billing/Invoices/Queue');
    expect(at('Billing/Invoices/Default')).toBe('Billing/Invoices');
    expect(constructOf('Queue1', { Type })).toBe('Queue1');
  });

  test.each([
    ['Invoices', true],
    ['Invoices/Queue', true],
    ['Billing/Invoices/Queue', true],
    ['Invoice', false],
    ['Billing/Queue', false],
    ['Queue/Policy', false],
  ])('at Billing/Invoices/Queue is at %s: %s', (wanted, expected) => {
    expect(isAt('Billing/Invoices/Queue', wanted)).toBe(expected);
  });

  test('is found if it is the only one, and otherwise the error names what there is', () => {
    const queues = ['Billing/Invoices/Queue', 'Billing/Invoices/DeadLetters'].map((construct) => ({
      logicalId: construct.replaceAll('/', ''),
      construct,
    }));
    expect(onlyAt(queues, 'Invoices/Queue', 'queue')).toBe(queues[0]);
    expect(() => onlyAt(queues, 'Invoices', 'queue')).toThrow(
      'The stack has more than one queue at Invoices: Billing/Invoices/Queue, Billing/Invoices/DeadLetters. Name more of its path.',
    );
    expect(() => onlyAt([], 'Invoices', 'queue')).toThrow('The stack has no queue at Invoices. It has: none.');
  });
});
