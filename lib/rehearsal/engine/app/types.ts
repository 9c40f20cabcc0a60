import { API_RULES } from '../../services/api/rules.ts';
import { DATA_RULES } from '../../services/dynamodb/rules.ts';
import { FUNCTION_RULES } from '../../services/lambda/rules.ts';
import type { PropertyRules } from './rule.ts';

/** What becomes of a resource, by its type. */
export type TypeRule =
  | { readonly kind: 'run'; readonly properties: PropertyRules }
  /** It changes nothing that a rehearsal can see: permissions, logs, alarms. */
  | { readonly kind: 'without-effect' }
  | { readonly kind: 'not-run'; readonly why: string };

const RUN: Readonly<Record<string, PropertyRules>> = { ...DATA_RULES, ...FUNCTION_RULES, ...API_RULES };

/** Whole services whose resources a rehearsal does without. Networks: everything here reaches everything. */
const SERVICES_WITHOUT_EFFECT = new Set([
  'IAM',
  'Logs',
  'CDK',
  'CloudWatch',
  'KMS',
  'EC2',
  'ApplicationAutoScaling',
  'SSMIncidents',
]);

const TYPES_WITHOUT_EFFECT = new Set([
  'AWS::ApiGateway::Account',
  'AWS::ApiGateway::ApiKey',
  'AWS::ApiGateway::Authorizer',
  'AWS::ApiGateway::Deployment',
  'AWS::ApiGateway::GatewayResponse',
  'AWS::ApiGateway::Model',
  'AWS::ApiGateway::RequestValidator',
  'AWS::ApiGateway::UsagePlan',
  'AWS::ApiGateway::UsagePlanKey',
  'AWS::ApiGatewayV2::Authorizer',
  'AWS::ApiGatewayV2::Deployment',
  'AWS::CloudFormation::WaitConditionHandle',
  'AWS::CloudFormation::Stack',
  'AWS::Lambda::CodeSigningConfig',
  'AWS::Lambda::Permission',
  'AWS::ResourceGroups::Group',
  'AWS::S3::BucketPolicy',
  'AWS::SNS::TopicPolicy',
  'AWS::SQS::QueuePolicy',
  'AWS::Scheduler::ScheduleGroup',
  'AWS::XRay::SamplingRule',
  'Custom::LogRetention',
  'Custom::S3AutoDeleteObjects',
  // What it says is read with its bucket.
  'Custom::S3BucketNotifications',
  'Custom::CrossRegionExportWriter',
  'Custom::VpcRestrictDefaultSG',
]);

/** Types that authors use often, and what a rehearsal does instead. */
const WHY: Readonly<Record<string, string>> = {
  'AWS::StepFunctions::StateMachine':
    'A rehearsal runs no state machine: an execution that a function starts is refused.',
  'AWS::Kinesis::Stream': 'A rehearsal has no Kinesis: what reads from the stream gets nothing.',
  'AWS::Events::EventBus': 'A rehearsal has no event bus: an event that a function puts is refused.',
  'AWS::Pipes::Pipe': 'A rehearsal runs no pipe.',
  'AWS::SecretsManager::Secret': 'A rehearsal has no Secrets Manager: a secret that a function reads is refused.',
  'AWS::SSM::Parameter': 'A rehearsal has no Parameter Store: a parameter that a function reads is refused.',
  'AWS::Lambda::LayerVersion': 'A rehearsal loads no layer.',
  'AWS::ApiGatewayV2::DomainName': 'An API has the address of its local server only.',
  'AWS::ApiGatewayV2::ApiMapping': 'An API has the address of its local server only.',
  'AWS::ApiGateway::DomainName': 'An API has the address of its local server only.',
  'AWS::ApiGateway::BasePathMapping': 'An API has the address of its local server only.',
};

export function ruleOf(type: string): TypeRule {
  const properties = RUN[type];
  if (properties !== undefined) return { kind: 'run', properties };
  if (TYPES_WITHOUT_EFFECT.has(type) || SERVICES_WITHOUT_EFFECT.has(type.split('::')[1] ?? '')) {
    return { kind: 'without-effect' };
  }
  return { kind: 'not-run', why: WHY[type] ?? generalWhy(type) };
}

function generalWhy(type: string): string {
  if (type.startsWith('Custom::') || type === 'AWS::CloudFormation::CustomResource') {
    return 'A rehearsal runs no custom resource.';
  }
  return `A rehearsal has no stand-in for ${type.split('::').slice(0, 2).join('::')}.`;
}
