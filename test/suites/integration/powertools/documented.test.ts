import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { transformSync } from 'esbuild';
import { afterAll, afterEach, beforeAll, expect, inject, test, vi } from 'vitest';
import { compileErrors } from '../../../../checks/compile.ts';
import { root } from '../../../../checks/packages.ts';
import { apiGatewayV1 } from '../../../support/http-events.ts';
import { context, sqsEvent, sqsRecord } from '../../../support/lambda.ts';
import { localClient } from '../../../support/tables.ts';
import { bothTables } from './support.ts';

/**
 * Functions as Powertools documents them, moved over: the path of the module is changed, and `onAbandoned` is added once, to the persistence layer. The functions are those of
 * test/fixtures/powertools, and what the README of the installed version prints.
 */

const fixtures = join(root, 'test/fixtures/powertools');
const moved = (code: string) =>
  code
    .replaceAll(/@aws-lambda-powertools\/idempotency[/\w]*/g, 'pawl/powertools')
    .replace(/new DynamoDBPersistenceLayer\(\{/, "$& onAbandoned: 'retry',");

/** By what each is given, and what it does with it. */
const functions: Readonly<Record<string, { readonly event: () => unknown; readonly effects: readonly string[] }>> = {
  'function.ts': {
    event: () => ({ body: '{"user":"maria","productId":"p-1"}' }),
    effects: ['{"user":"maria","productId":"p-1"}'],
  },
  'any-function.ts': { event: () => ({ user: 'maria', productId: 'p-2' }), effects: ['maria/p-2'] },
  'middleware.ts': {
    event: () => ({ ...apiGatewayV1({ body: 'pay' }), headers: { 'idempotency-key': 'k-1' } }),
    effects: ['pay'],
  },
  'batch.ts': {
    event: () => sqsEvent(sqsRecord('one', { messageId: 'm-1' }), sqsRecord('two', { messageId: 'm-2' })),
    effects: ['one', 'two'],
  },
  'method.ts': { event: () => ({ productId: 'p-3' }), effects: ['shop/p-3'] },
};

let client: DynamoDBClient;
beforeAll(() => {
  client = localClient(inject('dynamoEndpoint'));
});
beforeAll(async () => {
  const { records, claims } = await bothTables(client);
  const environment = {
    IDEMPOTENCY_TABLE: records,
    CLAIMS_TABLE: claims,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'function',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL_DYNAMODB: inject('dynamoEndpoint'),
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
});
afterEach(() => vi.restoreAllMocks());
afterAll(() => {
  vi.unstubAllEnvs();
});

type Handler = (event: unknown, context: unknown) => Promise<unknown>;

/** A function, from its text, with what it has done. */
async function loaded(code: string): Promise<{ readonly handler: Handler; readonly effects: readonly string[] }> {
  const { code: plain } = transformSync(code, { loader: 'ts', format: 'cjs', target: 'node22' });
  const effects: string[] = [];
  const effect = async (what: string) => `effect-${effects.push(what)}`;
  const modules = new Map<string, unknown>([['./effects.ts', { effect }]]);
  for (const [, name = ''] of plain.matchAll(/require\("([^"]+)"\)/g)) {
    // As a module of CommonJS sees one of ECMAScript.
    if (!modules.has(name)) modules.set(name, { ...(await import(name)), __esModule: true });
  }
  const module = { exports: {} as { handler: Handler } };
  new Function('module', 'exports', 'require', plain)(module, module.exports, (name: string) => modules.get(name));
  return { handler: module.exports.handler, effects };
}

test('each kind of function has a fixture', () => {
  expect(
    readdirSync(fixtures)
      .filter((name) => name !== 'effects.ts')
      .sort(),
  ).toEqual(Object.keys(functions).sort());
});

test('each compiles after the change', () => {
  const files = readdirSync(fixtures).map((name) => [name, moved(readFileSync(join(fixtures, name), 'utf8'))] as const);
  expect(compileErrors(new Map(files))).toBe('');
});

test.each(Object.entries(functions))(
  '%s runs once, before and after the change and whichever version comes first',
  async (name, { event, effects }) => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const before = readFileSync(join(fixtures, name), 'utf8');
    for (const [at, order] of [
      [before, moved(before)],
      [moved(before), before],
      [moved(before), moved(before)],
    ].entries()) {
      vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', `${name}-${at}`);
      const done: string[] = [];
      // One after the other: the fixture of a prefix has the same one each time.
      const text = (code: string) => code.replace("keyPrefix: 'payments'", `keyPrefix: 'payments-${at}'`);
      const responses: unknown[] = [];
      for (const code of order) {
        const { handler, effects: ran } = await loaded(text(code ?? ''));
        for (let times = 0; times < 2; times++) responses.push(await handler(event(), context(30_000)));
        done.push(...ran);
      }
      expect(done.sort()).toEqual([...effects].sort());
      const [first, ...duplicates] = responses as { replayed?: string }[];
      for (const duplicate of duplicates) {
        if (duplicate?.replayed !== undefined) expect(duplicate.replayed).toMatch(/^payments-\d#/);
        expect({ ...duplicate, replayed: undefined }).toEqual({ ...first, replayed: undefined });
      }
    }
  },
);

test('what the README of the installed version prints compiles after the change, wherever it compiles before it', () => {
  const readme = readFileSync(join(root, 'node_modules/@aws-lambda-powertools/idempotency/README.md'), 'utf8');
  const blocks = [...readme.matchAll(/```ts\r?\n(.*?)```/gs)].map(([, code = '']) => `${code}\nexport {};\n`);
  const named = blocks.map((code, at) => [`block-${at}.ts`, code] as const);
  const failing = compileErrors(new Map(named));
  const sound = named.filter(([name]) => !failing.includes(name));
  expect(sound.length).toBeGreaterThanOrEqual(3);
  expect(compileErrors(new Map(sound.map(([name, code]) => [name, moved(code)])))).toBe('');
});
