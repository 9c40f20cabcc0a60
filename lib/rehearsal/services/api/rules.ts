import { all, listed, listedIf, type PropertyRules, run, withoutEffect } from '../../engine/app/rule.ts';
import { list, record } from '../../engine/app/template.ts';

/** APIs in front of functions. */

const UNAUTHORIZED = 'Every request is let through, and the event says nothing about its caller.';
const NO_CORS = 'No header of CORS is added, and no preflight request is answered.';

const HTTP_API = {
  ...all(run, 'ProtocolType', 'Name'),
  ...all(
    withoutEffect,
    'Description',
    'Tags',
    'ApiKeySelectionExpression',
    'RouteSelectionExpression',
    'IpAddressType',
  ),
  ...all(withoutEffect, 'DisableExecuteApiEndpoint', 'FailOnWarnings', 'Version', 'DisableSchemaValidation'),
  CorsConfiguration: listed(NO_CORS),
  Body: listed('Routes of an OpenAPI document are not read.'),
  BodyS3Location: listed('Routes of an OpenAPI document are not read.'),
} satisfies PropertyRules;

const HTTP_ROUTE = {
  ...all(run, 'ApiId', 'RouteKey', 'Target'),
  ...all(withoutEffect, 'OperationName', 'ApiKeyRequired'),
  AuthorizationType: listedIf((value) => value !== 'NONE', UNAUTHORIZED),
  AuthorizerId: withoutEffect,
  AuthorizationScopes: withoutEffect,
} satisfies PropertyRules;

const HTTP_INTEGRATION = {
  ...all(run, 'ApiId', 'IntegrationType', 'IntegrationUri', 'PayloadFormatVersion', 'TimeoutInMillis'),
  ...all(withoutEffect, 'IntegrationMethod', 'CredentialsArn', 'Description', 'ConnectionType'),
  RequestParameters: listed('The request reaches the function unchanged.'),
  ResponseParameters: listed('The response reaches the caller unchanged.'),
} satisfies PropertyRules;

const HTTP_STAGE = {
  ...all(run, 'ApiId', 'StageName', 'AutoDeploy'),
  ...all(withoutEffect, 'AccessLogSettings', 'Tags', 'Description', 'DeploymentId'),
  StageVariables: listed('The event has no stage variables.'),
  DefaultRouteSettings: listed('The throttling of the stage is not applied.'),
  RouteSettings: listed('The throttling of a route is not applied.'),
} satisfies PropertyRules;

const REST_API = {
  ...all(run, 'Name'),
  ...all(
    withoutEffect,
    'Description',
    'Tags',
    'EndpointConfiguration',
    'Policy',
    'MinimumCompressionSize',
    'CloneFrom',
  ),
  ...all(withoutEffect, 'FailOnWarnings', 'ApiKeySourceType', 'DisableExecuteApiEndpoint'),
  BinaryMediaTypes: run,
  Body: listed('Methods of an OpenAPI document are not read.'),
  BodyS3Location: listed('Methods of an OpenAPI document are not read.'),
} satisfies PropertyRules;

const REST_METHOD = {
  ...all(
    run,
    'RestApiId',
    'ResourceId',
    'HttpMethod',
    'Integration.Type',
    'Integration.Uri',
    'Integration.TimeoutInMillis',
  ),
  ...all(withoutEffect, 'Integration.IntegrationHttpMethod', 'Integration.Credentials', 'Integration.ContentHandling'),
  ...all(withoutEffect, 'MethodResponses', 'OperationName', 'Integration.PassthroughBehavior', 'AuthorizerId'),
  ...all(withoutEffect, 'AuthorizationScopes', 'Integration.IntegrationResponses', 'Integration.RequestTemplates'),
  AuthorizationType: listedIf((value) => value !== 'NONE', UNAUTHORIZED),
  ApiKeyRequired: listedIf((value) => String(value) === 'true', 'No request needs a key.'),
  RequestValidatorId: listed('No request is validated.'),
  RequestModels: listed('No request is validated.'),
  RequestParameters: listedIf((value) => Object.keys(record(value)).length > 0, 'No parameter is required.'),
  'Integration.RequestParameters': listed('The request reaches the function unchanged.'),
  'Integration.CacheKeyParameters': listedIf((value) => list(value).length > 0, 'Nothing is cached.'),
  'Integration.CacheNamespace': withoutEffect,
} satisfies PropertyRules;

const REST_STAGE = {
  ...all(run, 'RestApiId', 'StageName'),
  ...all(
    withoutEffect,
    'DeploymentId',
    'AccessLogSetting',
    'Description',
    'Tags',
    'TracingEnabled',
    'DocumentationVersion',
  ),
  Variables: listed('The event has no stage variables.'),
  MethodSettings: listed('Neither throttling nor caching of methods is applied.'),
  CacheClusterEnabled: listed('Nothing is cached.'),
  CacheClusterSize: withoutEffect,
  CanarySetting: listed('There is no canary.'),
} satisfies PropertyRules;

export const API_RULES: Readonly<Record<string, PropertyRules>> = {
  'AWS::ApiGatewayV2::Api': HTTP_API,
  'AWS::ApiGatewayV2::Route': HTTP_ROUTE,
  'AWS::ApiGatewayV2::Integration': HTTP_INTEGRATION,
  'AWS::ApiGatewayV2::Stage': HTTP_STAGE,
  'AWS::ApiGateway::RestApi': REST_API,
  'AWS::ApiGateway::Resource': all(run, 'RestApiId', 'ParentId', 'PathPart'),
  'AWS::ApiGateway::Method': REST_METHOD,
  'AWS::ApiGateway::Stage': REST_STAGE,
};
