import type { Resource } from '../../engine/app/read-app.ts';
import { list, ofType, placeOf, properties, property, type Reading, targetFunction } from '../../engine/app/reading.ts';
import type { ProvisionedApi, ProvisionedRoute } from './provisioned.ts';
import { apiHost } from './rules.ts';

/** The longest that an HTTP API waits for a function. */
const longestWaitMs = 30_000;

/** Reads the HTTP APIs of the app. WebSocket APIs are listed. */
export function readHttpApis(reading: Reading): readonly ProvisionedApi[] {
  const apis: ProvisionedApi[] = [];
  for (const api of ofType(reading, 'AWS::ApiGatewayV2::Api')) {
    if (property(api, 'ProtocolType') !== 'HTTP') {
      list(reading, api, 'A rehearsal has no WebSocket API.');
      continue;
    }
    const routes = ofType(reading, 'AWS::ApiGatewayV2::Route')
      .filter((route) => property(route, 'ApiId') === api.name)
      .map((route) => readRoute(reading, route));
    const stages = ofType(reading, 'AWS::ApiGatewayV2::Stage')
      .filter((stage) => property(stage, 'ApiId') === api.name)
      .map((stage) => String(property(stage, 'StageName')))
      .filter((stage) => stage !== '$default');
    apis.push({ ...placeOf(api), kind: 'http', name: api.name, host: apiHost(api.name), routes, stages, binary: [] });
  }
  return apis;
}

function readRoute(reading: Reading, route: Resource): ProvisionedRoute {
  const { RouteKey, Target } = properties(route, 'RouteKey', 'Target');
  const integration = ofType(reading, 'AWS::ApiGatewayV2::Integration').find(
    ({ name }) => name === String(Target).replace(/^integrations\//, ''),
  );
  const { IntegrationType, IntegrationUri, PayloadFormatVersion, TimeoutInMillis } =
    integration === undefined
      ? {}
      : properties(integration, 'IntegrationType', 'IntegrationUri', 'PayloadFormatVersion', 'TimeoutInMillis');
  const common = {
    key: String(RouteKey),
    timeoutMs: Number(TimeoutInMillis ?? longestWaitMs),
    payload: PayloadFormatVersion === '1.0' ? '1.0' : '2.0',
  } as const;
  if (IntegrationType !== 'AWS_PROXY' || !isFunction(IntegrationUri)) {
    list(reading, route, 'The route leads to no function: a request to it is refused with 501.');
    return { ...common, target: undefined };
  }
  return { ...common, target: targetFunction(reading, route, functionOfUri(IntegrationUri)) };
}

function isFunction(uri: unknown): uri is string {
  return typeof uri === 'string' && uri.includes(':function:');
}

/** An integration names a function by its ARN, or by the path of Lambda's own API for it. */
export function functionOfUri(uri: string): string {
  return uri.replace(/^.*\/functions\//, '').replace(/\/invocations$/, '');
}
