import { each, type TypeRules } from '../engine/app/rule.ts';
import type { Service } from '../engine/service.ts';

/*
 * Types of services that a rehearsal does not have. Networks are without effect: everything here reaches everything. A type that is not among these
 * is listed, with a sentence that names its service.
 */

const WITHOUT_EFFECT = each(
  { kind: 'without-effect' },
  'AWS::IAM::*',
  'AWS::Logs::*',
  'AWS::CDK::*',
  'AWS::CloudWatch::*',
  'AWS::KMS::*',
  'AWS::EC2::*',
  'AWS::ApplicationAutoScaling::*',
  'AWS::SSMIncidents::*',
  'AWS::CloudFormation::WaitConditionHandle',
  'AWS::ResourceGroups::Group',
  'AWS::XRay::SamplingRule',
  'Custom::LogRetention',
  'Custom::CrossRegionExportWriter',
  'Custom::VpcRestrictDefaultSG',
);

const notRun = (why: string) => ({ kind: 'not-run', why }) as const;

/** Types that authors use often, and what a rehearsal does instead. */
const NOT_RUN: TypeRules = {
  'AWS::StepFunctions::StateMachine': notRun(
    'A rehearsal runs no state machine: an execution that a function starts is refused.',
  ),
  'AWS::Kinesis::Stream': notRun('A rehearsal has no Kinesis: what reads from the stream gets nothing.'),
  'AWS::Pipes::Pipe': notRun('A rehearsal runs no pipe.'),
  'AWS::SecretsManager::Secret': notRun(
    'A rehearsal has no Secrets Manager: a secret that a function reads is refused.',
  ),
  'AWS::SSM::Parameter': notRun('A rehearsal has no Parameter Store: a parameter that a function reads is refused.'),
  ...each(notRun('A rehearsal runs no custom resource.'), 'Custom::*', 'AWS::CloudFormation::CustomResource'),
};

export const others: Service = {
  page: [],
  types: {
    ...WITHOUT_EFFECT,
    ...each({ kind: 'without-effect', named: true }, 'AWS::IAM::Role', 'AWS::CloudFormation::Stack'),
    ...NOT_RUN,
  },
};
