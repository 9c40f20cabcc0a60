import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Rehearsal, startRehearsal } from '../../../../lib/rehearsal/rehearsal.ts';
import {
  type HandWrittenApp,
  type HandWrittenStack,
  handWrittenApp,
  inlineFunction,
} from '../../../support/hand-written-app.ts';
import { rehearsalDatabase } from '../../../support/rehearsal-database.ts';

/** Functions in every packaging, behind every kind of API, with references between two stacks. */

const echo = `exports.handler = async (event, context) => ({
  statusCode: 200,
  body: JSON.stringify({ event, version: process.env.VERSION, shared: process.env.SHARED, url: process.env.URL, arn: context.invokedFunctionArn }),
});`;
const arnOf = (name: string) => ({ 'Fn::GetAtt': [name, 'Arn'] });
const uri = (name: string) => ({
  'Fn::Join': ['', ['arn:aws:apigateway:us-east-1:lambda:path/2015-03-31/functions/', arnOf(name), '/invocations']],
});

function method(HttpMethod: string, ResourceId: unknown, name: string, timeout?: number) {
  return {
    Type: 'AWS::ApiGateway::Method',
    Properties: {
      RestApiId: { Ref: 'Rest' },
      ResourceId,
      HttpMethod,
      AuthorizationType: 'NONE',
      Integration: { Type: 'AWS_PROXY', Uri: uri(name), ...(timeout ? { TimeoutInMillis: timeout } : {}) },
    },
  };
}

const resource = (ParentId: unknown, PathPart: string) => ({
  Type: 'AWS::ApiGateway::Resource',
  Properties: { RestApiId: { Ref: 'Rest' }, ParentId, PathPart },
});

const root = { 'Fn::GetAtt': ['Rest', 'RootResourceId'] };

function route(key: string, integration: string) {
  return {
    Type: 'AWS::ApiGatewayV2::Route',
    Properties: {
      ApiId: { Ref: 'Http' },
      RouteKey: key,
      Target: { 'Fn::Join': ['/', ['integrations', { Ref: integration }]] },
    },
  };
}

function integration(name: string, properties: object = {}) {
  return {
    Type: 'AWS::ApiGatewayV2::Integration',
    Properties: {
      ApiId: { Ref: 'Http' },
      IntegrationType: 'AWS_PROXY',
      IntegrationUri: arnOf(name),
      PayloadFormatVersion: '2.0',
      ...properties,
    },
  };
}

/** A zip file as an app would pack it. */
function zipped(file: string, text: string): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-zip-'));
  writeFileSync(join(folder, file), text);
  execFileSync('python3', ['-m', 'zipfile', '-c', 'code.zip', file], { cwd: folder });
  const zip = readFileSync(join(folder, 'code.zip'));
  rmSync(folder, { recursive: true });
  return zip;
}

function apis(version: string): HandWrittenStack {
  return {
    assets: {
      bundle: { 'src/app.mjs': echo.replace('exports.handler =', 'export const handler ='), 'old.js': echo },
      'packed.zip': { 'packed.zip': zipped('index.js', echo) },
    },
    template: {
      Resources: {
        Inline: inlineFunction(echo, {
          Environment: {
            Variables: {
              VERSION: version,
              SHARED: { 'Fn::ImportValue': 'Shared:Queue' },
              URL: { 'Fn::GetAtt': ['Url', 'FunctionUrl'] },
            },
          },
        }),
        InFolder: {
          Type: 'AWS::Lambda::Function',
          Properties: { Runtime: 'nodejs22.x', Handler: 'src/app.handler', Code: { S3Bucket: 'b', S3Key: 'bundle' } },
        },
        CommonJs: {
          Type: 'AWS::Lambda::Function',
          Properties: { Runtime: 'nodejs24.x', Handler: 'old.handler', Code: { S3Bucket: 'b', S3Key: 'bundle' } },
        },
        Packed: {
          Type: 'AWS::Lambda::Function',
          Properties: { Runtime: 'nodejs24.x', Handler: 'index.handler', Code: { S3Bucket: 'b', S3Key: 'packed.zip' } },
        },
        Slow: inlineFunction('exports.handler = () => new Promise((done) => setTimeout(done, 1500));'),
        Wrong: inlineFunction('exports.handler = async () => { throw new Error("no"); };'),
        Plain: inlineFunction('exports.handler = async () => ({ greeting: "hello" });'),
        Version: { Type: 'AWS::Lambda::Version', Properties: { FunctionName: { Ref: 'Inline' } } },
        Alias: {
          Type: 'AWS::Lambda::Alias',
          Properties: {
            FunctionName: { Ref: 'Inline' },
            FunctionVersion: { 'Fn::GetAtt': ['Version', 'Version'] },
            Name: 'live',
          },
        },
        Url: { Type: 'AWS::Lambda::Url', Properties: { TargetFunctionArn: { Ref: 'Alias' }, AuthType: 'NONE' } },
        Rest: { Type: 'AWS::ApiGateway::RestApi', Properties: { Name: 'rest' } },
        Stage: { Type: 'AWS::ApiGateway::Stage', Properties: { RestApiId: { Ref: 'Rest' }, StageName: 'prod' } },
        Invoices: resource(root, 'invoices'),
        Invoice: resource({ Ref: 'Invoices' }, '{id}'),
        Rest1: resource(root, '{proxy+}'),
        PostInvoice: method('POST', { Ref: 'Invoice' }, 'InFolder'),
        AnyOther: method('ANY', { Ref: 'Rest1' }, 'Packed'),
        SlowRoot: method('GET', root, 'Slow', 100),
        WrongInvoices: method('GET', { Ref: 'Invoices' }, 'Plain'),
        Http: { Type: 'AWS::ApiGatewayV2::Api', Properties: { ProtocolType: 'HTTP', Name: 'http' } },
        ToCommonJs: integration('CommonJs'),
        ToSlow: integration('Slow', { TimeoutInMillis: 100 }),
        ToWrong: integration('Wrong'),
        ToPlain: integration('Plain'),
        Default: route('$default', 'ToCommonJs'),
        SlowRoute: route('GET /slow', 'ToSlow'),
        WrongRoute: route('GET /wrong', 'ToWrong'),
        PlainRoute: route('GET /plain', 'ToPlain'),
      },
    },
  };
}

const shared: HandWrittenStack = {
  template: {
    Conditions: { Never: { 'Fn::Equals': [{ Ref: 'AWS::Region' }, 'eu-west-1'] } },
    Resources: {
      Queue: { Type: 'AWS::SQS::Queue', Properties: { QueueName: { 'Fn::If': ['Never', 'other', 'shared'] } } },
      Absent: { Type: 'AWS::SQS::Queue', Condition: 'Never' },
    },
    Outputs: { Exported: { Value: { Ref: 'Queue' }, Export: { Name: 'Shared:Queue' } } },
  },
};

async function json(response: Promise<Response>) {
  return (await response).json();
}

describe('an app with APIs', () => {
  let app: HandWrittenApp;
  let next: HandWrittenApp;
  let rehearsal: Rehearsal;
  beforeAll(async () => {
    [app, next] = await Promise.all([
      handWrittenApp({ Apis: apis('one'), Shared: shared }),
      handWrittenApp({ Apis: apis('two'), Shared: shared }),
    ]);
    rehearsal = await startRehearsal({ app, dynamoDb: await rehearsalDatabase() });
  });
  afterAll(async () => {
    await rehearsal?.stop();
    await app[Symbol.asyncDispose]();
    await next[Symbol.asyncDispose]();
  });

  test('gets requests of a REST API under its stage, with payload 1.0, at the most particular path', async () => {
    const { endpoint } = rehearsal.api('Rest');
    const { event } = await json(
      fetch(`${endpoint}/invoices/i%201?a=1&a=2`, { method: 'POST', body: 'text', headers: { cookie: 'c=1' } }),
    );
    expect(event).toMatchObject({
      version: '1.0',
      resource: '/invoices/{id}',
      path: '/invoices/i%201',
      httpMethod: 'POST',
      pathParameters: { id: 'i 1' },
      queryStringParameters: { a: '2' },
      multiValueQueryStringParameters: { a: ['1', '2'] },
      requestContext: { stage: 'prod', resourcePath: '/invoices/{id}' },
      body: 'text',
      isBase64Encoded: false,
    });
    const other = await json(fetch(`${endpoint}/one/two`));
    expect(other.event).toMatchObject({ resource: '/{proxy+}', pathParameters: { proxy: 'one/two' }, body: null });
    expect((await fetch(`${new URL(endpoint).origin}/invoices`)).status).toBe(403);
  });

  test('has its own words for a function that is late, fails, or returns what the API does not understand', async () => {
    const [rest, http] = [rehearsal.api('Rest').endpoint, rehearsal.api('Http').endpoint];
    const seen = await Promise.all(
      [`${rest}/`, `${rest}/invoices`, `${http}/slow`, `${http}/wrong`].map((url) => fetch(url)),
    );
    expect(seen.map(({ status }) => status)).toEqual([504, 502, 503, 500]);
    // Payload 2.0 takes a value without a status for the body.
    expect(await json(fetch(`${http}/plain`))).toEqual({ greeting: 'hello' });
  });

  test('gets requests of an HTTP API with payload 2.0: cookies apart, and a body that is no text in base64', async () => {
    const body = Buffer.from([255, 0]);
    const headers = { cookie: 'a=1; b=2', 'content-type': 'application/octet-stream' };
    const { event } = await json(
      fetch(`${rehearsal.api('Http').endpoint}/any?x=1&x=2`, { method: 'PUT', body, headers }),
    );
    expect(event).toMatchObject({
      version: '2.0',
      routeKey: '$default',
      rawPath: '/any',
      cookies: ['a=1', 'b=2'],
      queryStringParameters: { x: '1,2' },
      body: body.toString('base64'),
      isBase64Encoded: true,
      requestContext: { http: { method: 'PUT', path: '/any' } },
    });
    expect(event.headers.cookie).toBeUndefined();
  });

  test('gets requests of a function URL by the alias that it is for', async () => {
    const { endpoint } = rehearsal.functionUrl('Url');
    const { arn, event, version, shared, url } = await json(fetch(`${endpoint}/x`));
    // What its environment refers to: a queue of another stack, and this server.
    expect([shared, url]).toEqual([rehearsal.queue('Queue').url, `${endpoint}/`]);
    expect(arn).toBe('arn:aws:lambda:us-east-1:000000000000:function:Apis-Inline:live');
    expect(event).toMatchObject({ version: '2.0', rawPath: '/x' });
    expect(version).toBe('one');
  });

  test('finds parts by their construct alone where they are the only ones, and a condition leaves parts out', () => {
    expect(rehearsal.queue('Queue').name).toBe('shared');
    expect(rehearsal.stack('Shared').queue('Queue').url).toBe(rehearsal.queue('Queue').url);
    expect(() => rehearsal.queue('Absent')).toThrow('The app has no queue at Absent. It has: Queue.');
  });

  test('is deployed in mid-traffic: a request that runs ends in the old code, and later ones get the new', async () => {
    const fn = await rehearsal.function('Slow');
    const running = fn.invoke({});
    const killed = rehearsal.sandboxes.killed;
    expect(await rehearsal.deploy({ app: next })).toEqual([]);
    expect((await json(fetch(rehearsal.functionUrl('Url').endpoint))).version).toBe('two');
    expect(await running).toEqual({ kind: 'response', value: null });
    expect(rehearsal.sandboxes.killed).toBe(killed);
  });
});
