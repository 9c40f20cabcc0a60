import {
  all,
  each,
  listed,
  listedIf,
  type Naming,
  type PropertyRules,
  run,
  runs,
  type TypeRules,
  withoutEffect,
} from '../../engine/app/rule.ts';
import { list, record, rehearsedRegion } from '../../engine/app/template.ts';

const unauthorized = 'Every request is let through, and the event says nothing about its caller.';
const noCors = 'No header of CORS is added, and no preflight request is answered.';

const httpApi = {
  ...all(run, 'ProtocolType', 'Name'),
  ...all(withoutEffect, 'Description', 'Tags', 'ApiKeySelectionExpression', 'RouteSelectionExpression'),
  ...all(withoutEffect, 'IpAddressType', 'DisableExecuteApiEndpoint', 'FailOnWarnings', 'Version'),
  ...all(withoutEffect, 'DisableSchemaValidation'),
  CorsConfiguration: listed(noCors),
  Body: listed('Routes of an OpenAPI document are not read.'),
  BodyS3Location: listed('Routes of an OpenAPI document are not read.'),
} satisfies PropertyRules;

const httpRoute = {
  ...all(run, 'ApiId', 'RouteKey', 'Target'),
  ...all(withoutEffect, 'OperationName', 'ApiKeyRequired'),
  AuthorizationType: listedIf((value) => value !== 'NONE', unauthorized),
  AuthorizerId: withoutEffect,
  AuthorizationScopes: withoutEffect,
} satisfies PropertyRules;

const httpIntegration = {
  ...all(run, 'ApiId', 'IntegrationType', 'IntegrationUri', 'PayloadFormatVersion', 'TimeoutInMillis'),
  ...all(withoutEffect, 'IntegrationMethod', 'CredentialsArn', 'Description', 'ConnectionType'),
  RequestParameters: listed('The request reaches the function unchanged.'),
  ResponseParameters: listed('The response reaches the caller unchanged.'),
} satisfies PropertyRules;

const httpStage = {
  ...all(run, 'ApiId', 'StageName', 'AutoDeploy'),
  ...all(withoutEffect, 'AccessLogSettings', 'Tags', 'Description', 'DeploymentId'),
  StageVariables: listed('The event has no stage variables.'),
  DefaultRouteSettings: listed('The throttling of the stage is not applied.'),
  RouteSettings: listed('The throttling of a route is not applied.'),
} satisfies PropertyRules;

const restApi = {
  ...all(run, 'Name'),
  ...all(withoutEffect, 'Description', 'Tags', 'EndpointConfiguration', 'Policy', 'MinimumCompressionSize'),
  ...all(withoutEffect, 'CloneFrom', 'FailOnWarnings', 'ApiKeySourceType', 'DisableExecuteApiEndpoint'),
  BinaryMediaTypes: run,
  Body: listed('Methods of an OpenAPI document are not read.'),
  BodyS3Location: listed('Methods of an OpenAPI document are not read.'),
} satisfies PropertyRules;

const restMethod = {
  ...all(run, 'RestApiId', 'ResourceId', 'HttpMethod', 'Integration.Type', 'Integration.Uri'),
  ...all(run, 'Integration.TimeoutInMillis'),
  ...all(withoutEffect, 'Integration.IntegrationHttpMethod', 'Integration.Credentials'),
  ...all(withoutEffect, 'Integration.ContentHandling', 'MethodResponses', 'OperationName'),
  ...all(withoutEffect, 'Integration.PassthroughBehavior', 'AuthorizerId', 'AuthorizationScopes'),
  ...all(withoutEffect, 'Integration.IntegrationResponses', 'Integration.RequestTemplates'),
  AuthorizationType: listedIf((value) => value !== 'NONE', unauthorized),
  ApiKeyRequired: listedIf((value) => String(value) === 'true', 'No request needs a key.'),
  RequestValidatorId: listed('No request is validated.'),
  RequestModels: listed('No request is validated.'),
  RequestParameters: listedIf((value) => Object.keys(record(value)).length > 0, 'No parameter is required.'),
  'Integration.RequestParameters': listed('The request reaches the function unchanged.'),
  'Integration.CacheKeyParameters': listedIf((value) => list(value).length > 0, 'Nothing is cached.'),
  'Integration.CacheNamespace': withoutEffect,
} satisfies PropertyRules;

const restStage = {
  ...all(run, 'RestApiId', 'StageName'),
  ...all(withoutEffect, 'DeploymentId', 'AccessLogSetting', 'Description', 'Tags', 'TracingEnabled'),
  ...all(withoutEffect, 'DocumentationVersion'),
  Variables: listed('The event has no stage variables.'),
  MethodSettings: listed('Neither throttling nor caching of methods is applied.'),
  CacheClusterEnabled: listed('Nothing is cached.'),
  CacheClusterSize: withoutEffect,
  CanarySetting: listed('There is no canary.'),
} satisfies PropertyRules;

const url = {
  ...all(run, 'TargetFunctionArn', 'Qualifier', 'InvokeMode'),
  InvokeMode: listedIf((value) => value === 'RESPONSE_STREAM', 'The response is sent as a whole.'),
  AuthType: listedIf((value) => value !== 'NONE', 'Every request is accepted, signed or not.'),
  Cors: listed('No header of CORS is added, and no preflight request is answered.'),
} satisfies PropertyRules;

/** What stands for the address of an API, until its server has one. */
export function apiHost(name: string): string {
  return `${name}.execute-api.${rehearsedRegion}.amazonaws.com`;
}

/** The same for a function URL. */
export function functionUrlHost(name: string): string {
  return `${name}.lambda-url.${rehearsedRegion}.on.aws`;
}

const stage: Naming = { property: 'StageName', names: (name) => ({ ref: name, attributes: {} }) };
const oneAddress = { kind: 'not-run', why: 'An API has the address of its local server only.' } as const;

export const types: TypeRules = {
  'AWS::ApiGatewayV2::Api': runs(httpApi, {
    names: (name) => ({ ref: name, attributes: { ApiId: name, ApiEndpoint: `https://${apiHost(name)}` } }),
  }),
  'AWS::ApiGatewayV2::Route': runs(httpRoute),
  'AWS::ApiGatewayV2::Integration': runs(httpIntegration),
  'AWS::ApiGatewayV2::Stage': runs(httpStage, stage),
  'AWS::ApiGateway::RestApi': runs(restApi, {
    names: (name) => ({ ref: name, attributes: { RestApiId: name, RootResourceId: `${name}-root` } }),
  }),
  'AWS::ApiGateway::Resource': runs(all(run, 'RestApiId', 'ParentId', 'PathPart'), {
    names: (name) => ({ ref: name, attributes: { ResourceId: name } }),
  }),
  'AWS::ApiGateway::Method': runs(restMethod),
  'AWS::ApiGateway::Stage': runs(restStage, stage),
  'AWS::ApiGateway::Deployment': { kind: 'without-effect', named: true },
  'AWS::Lambda::Url': runs(url, {
    names: (name) => ({ ref: name, attributes: { FunctionUrl: `https://${functionUrlHost(name)}/` } }),
  }),
  ...each({ kind: 'without-effect' }, 'AWS::ApiGateway::Account', 'AWS::ApiGateway::ApiKey'),
  ...each({ kind: 'without-effect' }, 'AWS::ApiGateway::Authorizer', 'AWS::ApiGateway::GatewayResponse'),
  ...each({ kind: 'without-effect' }, 'AWS::ApiGateway::Model', 'AWS::ApiGateway::RequestValidator'),
  ...each({ kind: 'without-effect' }, 'AWS::ApiGateway::UsagePlan', 'AWS::ApiGateway::UsagePlanKey'),
  ...each({ kind: 'without-effect' }, 'AWS::ApiGatewayV2::Authorizer', 'AWS::ApiGatewayV2::Deployment'),
  ...each(oneAddress, 'AWS::ApiGatewayV2::DomainName', 'AWS::ApiGatewayV2::ApiMapping'),
  ...each(oneAddress, 'AWS::ApiGateway::DomainName', 'AWS::ApiGateway::BasePathMapping'),
};
