import type { Resource } from '../../engine/app/read-app.ts';
import {
  list,
  ofType,
  placeOf,
  properties,
  property,
  type Reading,
  readOrList,
  targetFunction,
} from '../../engine/app/reading.ts';
import { list as listOf, record } from '../../engine/app/template.ts';
import type { ProvisionedApi, ProvisionedRoute } from './provisioned.ts';
import { functionOfUri } from './read-http-apis.ts';
import { apiHost, functionUrlHost } from './rules.ts';

/** The longest that a REST API waits for a function. */
const longestWaitMs = 29_000;

/** Reads the REST APIs of the app: their tree of resources, and the functions behind their methods. */
export function readRestApis(reading: Reading): readonly ProvisionedApi[] {
  return ofType(reading, 'AWS::ApiGateway::RestApi').map((api) => {
    const of = (type: string) =>
      ofType(reading, type).filter((one) => readOrList(reading, one, () => property(one, 'RestApiId')) === api.name);
    const paths = pathsOf(api, of('AWS::ApiGateway::Resource'));
    const routes = of('AWS::ApiGateway::Method').map((method) => readMethod(reading, method, paths));
    const stages = of('AWS::ApiGateway::Stage').map((stage) => String(property(stage, 'StageName')));
    const deployed = of('AWS::ApiGateway::Deployment')
      .map((one) => one.properties['StageName'])
      .filter((name) => typeof name === 'string');
    return {
      ...placeOf(api),
      kind: 'rest',
      name: api.name,
      host: apiHost(api.name),
      routes,
      stages: [...stages, ...deployed],
      binary: listOf(property(api, 'BinaryMediaTypes')).map(String),
    };
  });
}

/** The path of each resource, by its id. */
function pathsOf(api: Resource, resources: readonly Resource[]): ReadonlyMap<string, string> {
  const paths = new Map([[api.names.attributes['RootResourceId'] ?? '', '/']]);
  const parts = new Map(resources.map((one) => [one.name, properties(one, 'ParentId', 'PathPart')]));
  const pathOf = (id: string): string => {
    const known = paths.get(id);
    if (known !== undefined) return known;
    const { ParentId, PathPart } = parts.get(id) ?? {};
    const path = `${pathOf(String(ParentId)).replace(/\/$/, '')}/${String(PathPart)}`;
    paths.set(id, path);
    return path;
  };
  for (const { name } of resources) pathOf(name);
  return paths;
}

function readMethod(reading: Reading, method: Resource, paths: ReadonlyMap<string, string>): ProvisionedRoute {
  const { HttpMethod, ResourceId, Integration } = properties(method, 'HttpMethod', 'ResourceId', 'Integration');
  const { Type, Uri, TimeoutInMillis } = record(Integration);
  const common = {
    key: `${String(HttpMethod)} ${paths.get(String(ResourceId)) ?? '/'}`,
    timeoutMs: Number(TimeoutInMillis ?? longestWaitMs),
    payload: '1.0',
  } as const;
  if (Type === 'AWS_PROXY' && typeof Uri === 'string' && Uri.includes(':function:')) {
    return { ...common, target: targetFunction(reading, method, functionOfUri(Uri)) };
  }
  list(reading, method, 'The method leads to no function as a proxy: a request to it is refused with 501.');
  return { ...common, target: undefined };
}

/** Reads the function URLs of the app. A caller waits as long as the function may take. */
export function readFunctionUrls(reading: Reading): readonly ProvisionedApi[] {
  return ofType(reading, 'AWS::Lambda::Url').flatMap((url) => {
    const { TargetFunctionArn, Qualifier } = properties(url, 'TargetFunctionArn', 'Qualifier');
    const target = targetFunction(reading, url, TargetFunctionArn);
    if (target === undefined) return [];
    const qualifier = Qualifier === undefined ? target.qualifier : String(Qualifier);
    const route: ProvisionedRoute = {
      key: '$default',
      target: { ...target, qualifier },
      timeoutMs: target.function.timeoutMs + 30_000,
      payload: '2.0',
    };
    const host = functionUrlHost(url.name);
    return [{ ...placeOf(url), kind: 'function-url', name: url.name, host, routes: [route], stages: [], binary: [] }];
  });
}
