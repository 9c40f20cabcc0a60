import { each } from '../engine/app/rule.ts';
import type { Service } from '../engine/service.ts';

const withoutEffect = { kind: 'without-effect' } as const;
const notRun = (why: string) => ({ kind: 'not-run', why }) as const;
const refused = (service: string, what: string) =>
  notRun(`A rehearsal has no ${service}: a ${what} that a function reads is refused.`);

/**
 * Types of services that a rehearsal does not have. Networks are without effect: everything here reaches everything. A type that is not among these
 * is listed, with a sentence that names its service.
 */
export const others: Service = {
  page: [],
  types: {
    ...each(withoutEffect, 'AWS::IAM::*', 'AWS::Logs::*', 'AWS::CDK::*', 'AWS::CloudWatch::*', 'AWS::KMS::*'),
    ...each(withoutEffect, 'AWS::EC2::*', 'AWS::ApplicationAutoScaling::*', 'AWS::SSMIncidents::*'),
    ...each(withoutEffect, 'AWS::CloudFormation::WaitConditionHandle', 'AWS::ResourceGroups::Group'),
    ...each(withoutEffect, 'AWS::XRay::SamplingRule', 'Custom::LogRetention', 'Custom::CrossRegionExportWriter'),
    ...each(withoutEffect, 'Custom::VpcRestrictDefaultSG'),
    ...each({ kind: 'without-effect', named: true }, 'AWS::IAM::Role', 'AWS::CloudFormation::Stack'),
    'AWS::StepFunctions::StateMachine': notRun(
      'A rehearsal runs no state machine: an execution that a function starts is refused.',
    ),
    'AWS::Kinesis::Stream': notRun('A rehearsal has no Kinesis: what reads from the stream gets nothing.'),
    'AWS::Pipes::Pipe': notRun('A rehearsal runs no pipe.'),
    'AWS::SecretsManager::Secret': refused('Secrets Manager', 'secret'),
    'AWS::SSM::Parameter': refused('Parameter Store', 'parameter'),
    ...each(notRun('A rehearsal runs no custom resource.'), 'Custom::*', 'AWS::CloudFormation::CustomResource'),
  },
};
