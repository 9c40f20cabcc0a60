import { readFileSync } from 'node:fs';
import type { Template, TemplateResource } from '../../lib/rehearsal/engine/app/template.ts';
import type { Case, CaseApp } from './case.ts';
import { batches } from './cases/batches.ts';
import { filterCases } from './cases/filters.ts';
import { groups } from './cases/groups.ts';

export const conformanceApps: readonly CaseApp[] = [batches, groups, filterCases];

/** Longer than the timeout of every function, as Lambda demands it; and long enough for a cold start on a busy machine. */
export const visibilitySeconds = 8;
const timeoutSeconds = 8;
const slowTimeoutSeconds = 3;
/** All messages of a case become visible at once, so that one receive finds all of them. */
const delaySeconds = 2;

const handler = readFileSync(new URL('handler.cjs', import.meta.url), 'utf8');

export function queueNameOf({ isFifo }: CaseApp, { name }: Case): string {
  return isFifo ? `${name}.fifo` : name;
}

export function deadLettersNameOf({ isFifo }: CaseApp, { name }: Case): string {
  return isFifo ? `${name}-dead.fifo` : `${name}-dead`;
}

/** The template of an app: two functions, and for each case a queue, its dead letters and a mapping. */
export function templateOf(app: CaseApp, journal: string): Template {
  const Resources: Record<string, TemplateResource> = {
    Role: role,
    Fast: functionOf(timeoutSeconds, journal),
    Slow: functionOf(slowTimeoutSeconds, journal),
  };
  for (const one of app.cases) Object.assign(Resources, resourcesOf(app, one));
  return { Resources };
}

const role: TemplateResource = {
  Type: 'AWS::IAM::Role',
  Properties: {
    AssumeRolePolicyDocument: {
      Version: '2012-10-17',
      Statement: [{ Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { Service: 'lambda.amazonaws.com' } }],
    },
    ManagedPolicyArns: ['arn:aws:iam::aws:policy/service-role/AWSLambdaSQSQueueExecutionRole'],
  },
};

function functionOf(Timeout: number, JOURNAL: string): TemplateResource {
  return {
    Type: 'AWS::Lambda::Function',
    Properties: {
      ...{ Runtime: 'nodejs24.x', Handler: 'index.handler', Code: { ZipFile: handler }, Timeout },
      Role: { 'Fn::GetAtt': ['Role', 'Arn'] },
      Environment: { Variables: { JOURNAL } },
    },
  };
}

function resourcesOf(app: CaseApp, one: Case): Readonly<Record<string, TemplateResource>> {
  const { name, mapping, queue, maxReceiveCount = 3, isSlow = false } = one;
  const fifo = app.isFifo ? { FifoQueue: true } : {};
  const deadLetterTargetArn = { 'Fn::GetAtt': [`${name}Dead`, 'Arn'] };
  return {
    [`${name}Dead`]: {
      Type: 'AWS::SQS::Queue',
      Properties: { ...fifo, QueueName: deadLettersNameOf(app, one) },
    },
    [`${name}Queue`]: {
      Type: 'AWS::SQS::Queue',
      Properties: {
        ...fifo,
        QueueName: queueNameOf(app, one),
        VisibilityTimeout: visibilitySeconds,
        DelaySeconds: delaySeconds,
        RedrivePolicy: { deadLetterTargetArn, maxReceiveCount },
        ...queue,
      },
    },
    [`${name}Mapping`]: {
      Type: 'AWS::Lambda::EventSourceMapping',
      Properties: {
        EventSourceArn: { 'Fn::GetAtt': [`${name}Queue`, 'Arn'] },
        FunctionName: { Ref: isSlow ? 'Slow' : 'Fast' },
        BatchSize: 10,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        ScalingConfig: { MaximumConcurrency: 2 },
        ...mapping,
      },
    },
  };
}
