import { randomUUID } from 'node:crypto';
import type { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { firstThenEffect, losingTheFirst, runExpress } from '../../support/express-machine.ts';
import { localClient, tableWithoutIndex } from '../../support/tables.ts';

/* What `FirstExecution` of lib/cdk synthesizes, run over a real table. */

const client = localClient(inject('dynamoEndpoint'));
const put = (command: PutItemCommand) => client.send(command);
let definition: ReturnType<typeof firstThenEffect>;

beforeAll(async () => {
  definition = firstThenEffect(await tableWithoutIndex(client));
});
afterAll(() => client.destroy());

const execution = (name: string = randomUUID()) => ({
  executionArn: `arn:${randomUUID()}`,
  name,
  input: '{"orderId":"a"}',
});

it('goes on with its input in the first execution of a name, and ends every other one as succeeded', async () => {
  const [first, second] = [execution('a-1'), execution('a-1')];
  const ran = await Promise.all([first, second].map((one) => runExpress(definition, one, put)));
  expect(ran.map(({ status }) => status)).toEqual(['SUCCEEDED', 'SUCCEEDED']);
  expect(ran.map(({ states }) => states.at(-1)).toSorted()).toEqual(['AnotherGoesOn', 'Effect']);
  expect(ran.find(({ states }) => states.includes('Effect'))?.output).toEqual({ orderId: 'a' });
  expect((await runExpress(definition, execution('b-1'), put)).states).toContain('Effect');
});

it('goes on where the answer of its own write was lost', async () => {
  const { states } = await runExpress(definition, execution(), losingTheFirst(client));
  expect(states).toEqual(['FirstOfItsName', 'Effect']);
});

it('ends a second run of the same execution: Step Functions runs an express execution at least once', async () => {
  const one = execution();
  expect((await runExpress(definition, one, put)).states).toContain('Effect');
  expect((await runExpress(definition, one, put)).states).toEqual(['FirstOfItsName', 'AnotherGoesOn']);
});

it('fails without an effect while the table cannot be written', async () => {
  const refused = () => Promise.reject(Object.assign(new Error('slow down'), { name: 'ThrottlingException' }));
  const { states, status } = await runExpress(definition, execution(), refused);
  expect([states, status]).toEqual([['FirstOfItsName'], 'FAILED']);
});
