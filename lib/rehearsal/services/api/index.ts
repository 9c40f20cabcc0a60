import { ofType, type Reading } from '../../engine/app/reading.ts';
import type { HttpServer } from '../../engine/http.ts';
import { functionFor } from '../../engine/lambda/functions.ts';
import type { Part } from '../../engine/parts.ts';
import type { Service, Starting } from '../../engine/service.ts';
import { type HttpRoute, httpApiListener } from './http-api.ts';
import type { ProvisionedApi } from './provisioned.ts';
import { readHttpApis } from './read-http-apis.ts';
import { readFunctionUrls, readRestApis } from './read-rest-apis.ts';
import { apiHost, functionUrlHost, types } from './rules.ts';

/** An HTTP or a REST API, or a function URL. */
export interface RehearsedApi extends ProvisionedApi {
  readonly server: HttpServer;
}

/** A caller finds its server. */
type ApiPart = Part<'api', RehearsedApi, HttpServer> | Part<'functionUrl', RehearsedApi, HttpServer>;

export const api: Service<ApiPart> = {
  types: types,
  page: [
    '| HTTP API | routes to functions, payloads 1.0 and 2.0, timeouts | authorizers, CORS, other integrations, stage variables | a function that is not run |',
    '| REST API | methods with a proxy to a function, `{proxy+}`, stages, timeouts | authorizers, keys, validators, other integrations | a function that is not run |',
    '| function URL | payload 2.0, aliases | `AWS_IAM`, CORS, streamed responses | a function that is not run |',
  ],
  finds: { api: 'API', functionUrl: 'function URL' },
  hosts: (reading: Reading) => [
    ...ofType(reading, 'AWS::ApiGatewayV2::Api', 'AWS::ApiGateway::RestApi').map(({ name }) => apiHost(name)),
    ...ofType(reading, 'AWS::Lambda::Url').map(({ name }) => functionUrlHost(name)),
  ],
  async provision({ reading }) {
    const read = [...readHttpApis(reading), ...readRestApis(reading), ...readFunctionUrls(reading)];
    return { start: (at) => Promise.all(read.map((one) => open(at, one))) };
  },
};

async function open(at: Starting, read: ProvisionedApi): Promise<ApiPart> {
  const { kind, stages, name: apiId, binary } = read;
  const listener = httpApiListener(await routesOf(at, read), { kind, stages, apiId, binary });
  const server = at.doors.open(read.host, listener);
  // The address of a REST API has its stage, as that of AWS.
  const endpoint = kind === 'rest' ? [server.endpoint, ...stages.slice(0, 1)].join('/') : server.endpoint;
  const found = { ...server, endpoint };
  return { kind: kind === 'function-url' ? 'functionUrl' : 'api', item: { ...read, server: found }, found };
}

async function routesOf({ functions }: Starting, { routes }: ProvisionedApi): Promise<readonly HttpRoute[]> {
  return Promise.all(
    routes.map(async ({ key, target, payload, timeoutMs }): Promise<HttpRoute> => {
      const fn = target && (await functionFor(functions, target.function));
      const invoke = fn && ((event: unknown) => fn.invoke(event, target.qualifier));
      return { key, payload, timeoutMs, ...(invoke ? { invoke } : {}) };
    }),
  );
}
