import type { MiddlewareObj } from '@middy/core';
import type { World } from '../../../lib/testing/index.ts';
import { powertoolsStack } from './powertools.ts';
import { answersOnce, type Core, type Tried } from './table.ts';

/** Middy itself, of any major. What this folder uses of it is the same in all of them. */
export type Middy = typeof import('@middy/core').default;
/** A middleware of any package, for any event. */
export type AnyMiddleware = MiddlewareObj;

type Factory = (options?: object) => AnyMiddleware;

const coreOf: Readonly<Record<Core, string>> = { 5: '@middy-5/core', 6: '@middy-6/core', 7: '@middy/core' };

export async function loadCore(core: Core): Promise<Middy> {
  const { default: middy }: { default: Middy } = await import(coreOf[core]);
  return middy;
}

/** A client of AWS whose parameters and secrets are here. */
class Vault {
  async send() {
    return { Parameters: [{ Name: '/shop/sender', Value: 'shop@example.com', Type: 'String' }], SecretString: '{}' };
  }
}

const vault = { AwsClient: Vault, cacheExpiry: 0, disablePrefetch: true, setToContext: true };
const silent = { logger: () => undefined };
const negotiation = { availableMediaTypes: ['application/json'], availableEncodings: ['gzip'] };

/** Options as an author would set them. Nothing here prints. */
const options: Readonly<Record<string, object>> = {
  'cloudwatch-metrics': { namespace: 'shop' },
  'error-logger': silent,
  'http-content-negotiation': negotiation,
  'http-cors': { origin: 'https://shop.example.com' },
  'http-error-handler': silent,
  'http-response-serializer': {
    serializers: [{ regex: /^application\/json$/, serializer: ({ body }: { body: unknown }) => JSON.stringify(body) }],
    defaultContentType: 'application/json',
  },
  'input-output-logger': silent,
  'secrets-manager': { ...vault, fetchData: { secret: 'shop/secret' } },
  'sqs-partial-batch-failure': silent,
  ssm: { ...vault, fetchData: { sender: '/shop/sender' } },
};

/** What a sandbox `.use`s of a package; together with what that needs beside it. Made anew as often as there are cold starts. */
export type MakeStack = (told: Told) => readonly AnyMiddleware[];

/** What outlives a crash of what a middleware has done. */
export interface Told {
  answeredEarly?: boolean;
}

export async function loadStack({ row, major, core, door }: Tried): Promise<MakeStack> {
  if (row.scope === '@aws-lambda-powertools') return powertoolsStack(row, door);
  const name = `@middy-${major}/${row.name}`;
  const factory = await factoryOf(name);
  if (row.name === 'validator') {
    const { transpileSchema }: { transpileSchema(schema: object): unknown } = await import(`${name}/transpile`);
    const property = door === 'queue' ? 'Records' : 'headers';
    const schema = { type: 'object', properties: { [property]: {} }, required: [property], additionalProperties: true };
    const eventSchema = transpileSchema(schema);
    return () => [factory({ eventSchema })];
  }
  if (answersOnce(row)) {
    function isWarmingUp(told: Told): boolean {
      const isFirst = !told.answeredEarly;
      told.answeredEarly = true;
      return isFirst;
    }
    return (told) => [factory({ isWarmingUp: () => isWarmingUp(told) })];
  }
  if (row.name === 'http-content-encoding') {
    const negotiate = await factoryOf(`@middy-${core}/http-content-negotiation`);
    return () => [negotiate(negotiation), factory()];
  }
  return () => [factory(options[row.name])];
}

async function factoryOf(name: string): Promise<Factory> {
  const { default: factory }: { default: Factory } = await import(name);
  return factory;
}

/** A handler that is a part of the package, and no middleware: Middy's router. */
export async function loadRouter({ row, major }: Tried): Promise<(routes: readonly object[]) => unknown> {
  const { default: router } = await import(`@middy-${major}/${row.name}`);
  return router;
}

/** Does something to each middleware of a stack. */
export type Wrap = (stack: readonly AnyMiddleware[]) => readonly AnyMiddleware[];

type Hook = (request: unknown) => unknown;

/** Makes each of their hooks an await boundary: workers are killed in other people's code as well, and it fails. */
export function swept(world: World, stack: readonly AnyMiddleware[]): readonly AnyMiddleware[] {
  return stack.map((middleware) => {
    const hooks = Object.entries(middleware as Readonly<Record<string, Hook | undefined>>).flatMap(([name, hook]) =>
      hook === undefined
        ? []
        : [[name, (request: unknown) => world.io(`theirs.${name}`, () => hook(request))] as const],
    );
    // What only hears of errors needs some to hear of.
    const failing = { after: () => world.io('theirs.after', () => undefined) };
    return { ...(hooks.every(([name]) => name === 'onError') && failing), ...Object.fromEntries(hooks) };
  });
}
