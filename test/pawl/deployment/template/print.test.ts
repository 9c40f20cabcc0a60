import { describe, expect, test } from 'vitest';
import { templateText } from '../../../../lib/cli/template-text.ts';
import { consumerDefaults } from '../../../../lib/pawl/deployment/consumer-defaults.ts';
import { checkConsumer } from '../../../../lib/pawl/deployment/doctor/checks.ts';
import { formats } from '../../../../lib/pawl/deployment/template/print.ts';
import type { TemplateOptions } from '../../../../lib/pawl/deployment/template/settings.ts';
import { leastVisibilitySeconds, WiringError } from '../../../../lib/pawl/deployment/wiring.ts';
import { leastReceives } from '../../../../lib/pawl/deployment/wiring-receives.ts';
import { wiringRules } from '../../../../lib/pawl/deployment/wiring-rules.ts';
import { factsIn } from './read-back.ts';

const day = 86_400;

const choices: readonly TemplateOptions[] = [
  {},
  { name: 'send-email', fifo: true },
  { timeoutSeconds: 900, maxBatchingWindowSeconds: 20, batchSize: 100, maxConcurrency: 5 },
  { locks: true, lockAttempts: 3, timeoutSeconds: 120 },
  { concurrency: 1, handlerTimeoutSeconds: 10, timeoutSeconds: 60, retentionSeconds: 14 * day },
];

describe.each(formats)('%s', (format) => {
  test.each(choices)('what is printed for %j breaks no rule of pawl doctor when it is read back', async (options) => {
    const facts = await factsIn(format, templateText(format, options), options.locks);
    const findings = checkConsumer(facts, {
      claimRetentionSeconds: consumerDefaults.claimRetentionSeconds,
      concurrency: options.concurrency,
      handlerTimeoutSeconds: options.handlerTimeoutSeconds,
      lockLeaseSeconds: options.locks ? 60 : undefined,
      lockAttempts: options.lockAttempts,
    });
    expect(findings.filter(({ level }) => level !== 'ok')).toEqual([]);
    expect(findings).toHaveLength(5);
  });

  test('prints the numbers of the rules', async () => {
    const options = { timeoutSeconds: 45, maxBatchingWindowSeconds: 7, fifo: false, batchSize: 10 };
    const { queue, deadLetterQueue, timeoutSeconds, source } = await factsIn(format, templateText(format, options));
    expect(timeoutSeconds).toBe(45);
    expect(source).toMatchObject({ batchSize: 10, maxBatchingWindowSeconds: 7 });
    expect(queue?.visibilityTimeoutSeconds).toBe(leastVisibilitySeconds(45, 7));
    expect(queue?.maxReceiveCount).toBe(leastReceives(options).all);
    expect(queue?.retentionSeconds).toBe(consumerDefaults.retentionSeconds);
    expect(deadLetterQueue?.retentionSeconds).toBe(consumerDefaults.deadLetterRetentionSeconds);
  });

  test('both queues are encrypted and accept TLS only, and nothing deletes the table', () => {
    const template = templateText(format);
    expect(template.match(/SqsManagedSseEnabled: true|sqs_managed_sse_enabled\s+= true/g)).toHaveLength(2);
    expect(template.match(/aws:SecureTransport"?( =|:) "false"/g)).toHaveLength(2);
    expect(template).toMatch(/ClaimsTable:\n\s+Type: \S+\n\s+DeletionPolicy: Retain|prevent_destroy = true/);
  });

  test('a FIFO queue has a FIFO dead-letter queue, and the receives of a message group', async () => {
    const { queue, deadLetterQueue } = await factsIn(format, templateText(format, { fifo: true }));
    expect([queue?.fifo, deadLetterQueue?.fifo, queue?.maxReceiveCount]).toEqual([true, true, 10]);
  });

  test('permits the actions of locks only for a handler that locks', async () => {
    const missing = async (options: TemplateOptions) => {
      const { permissions = [] } = await factsIn(format, templateText(format, options), true);
      return permissions.filter(({ decision }) => decision !== 'allowed').map(({ action }) => action);
    };
    expect(await missing({ locks: true })).toEqual([]);
    expect(await missing({})).toEqual(['dynamodb:UpdateItem', 'dynamodb:ConditionCheckItem']);
  });

  test.each([
    ['arn:aws:states:eu-west-1:123456789012:stateMachine:settle', 'states:StartExecution', ':execution:settle:*'],
    [
      'arn:aws:lambda:eu-west-1:123456789012:function:settle:7',
      'lambda:ListDurableExecutionsByFunction',
      'function:settle:*/durable-execution/*',
    ],
  ])(
    'permits to start %s and to look its executions up, and tells the handler what it is',
    async (workflow, action, looked) => {
      const template = templateText(format, { workflow });
      for (const text of [workflow, action, looked, 'WORKFLOW_ARN']) expect(template).toContain(text);
      expect(templateText(format)).not.toMatch(/WORKFLOW_ARN|StartExecution|DurableExecution/);
      const facts = await factsIn(format, template);
      expect(
        checkConsumer(facts, { claimRetentionSeconds: 30 * day }).filter(({ level }) => level === 'problem'),
      ).toEqual([]);
    },
  );

  test('refuses a function without an alias or a version, of which Lambda starts no durable execution', () => {
    const workflow = 'arn:aws:lambda:eu-west-1:123456789012:function:settle';
    expect(() => templateText(format, { workflow })).toThrow(
      /workflow: expected the ARN of a state machine, or of an alias/,
    );
  });

  test('has no table beside one that exists, and refers to that', async () => {
    const template = templateText(format, { claimsTable: 'shared-claims' });
    expect(template).not.toMatch(/AWS::DynamoDB::Table|resource "aws_dynamodb_table"/);
    expect(template).toContain('shared-claims');
    const { permissions = [] } = await factsIn(format, template.replace(/!Sub \S*shared-claims/, 'shared-claims'));
    expect(permissions.filter(({ decision }) => decision !== 'allowed')).toEqual([]);
  });

  test('says in comments which rules the values obey, in the words of the rules', () => {
    const comments = templateText(format).replace(/\n\s*# /g, ' ');
    for (const rule of ['visibility', 'receives', 'partialResponses', 'deadLetterRetention', 'tableTtl'] as const) {
      expect(comments).toContain(`Refused (${rule}): `);
      expect(comments).toContain(wiringRules[rule].because);
    }
  });

  test('refuses options that contradict each other, with the sentences of the rules', () => {
    const options = { timeoutSeconds: 30, visibilityTimeoutSeconds: 179, claimRetentionSeconds: day };
    expect(() => templateText(format, options)).toThrow(WiringError);
    expect(() => templateText(format, options)).toThrow(/6 × 30 s \+ 0 s = 180 s[\s\S]*claimRetention is 1 day/);
    expect(() =>
      templateText(format, { ...options, visibilityTimeoutSeconds: 180, claimRetentionSeconds: 18 * day }),
    ).not.toThrow();
  });
});
