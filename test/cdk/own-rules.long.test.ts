import { readdirSync } from 'node:fs';
import { App, CfnResource, Stack } from 'aws-cdk-lib';
import { expect, test } from 'vitest';

/*
 * Every template of the unit tests beside this file, checked by CDK's own rules too, as errors. All other tests leave them out (CDK_VALIDATION in
 * vitest.config.ts): they take as long as all of a synthesis.
 */

delete process.env['CDK_VALIDATION'];

test("CDK's own rules are asked, and what they find is an error", () => {
  const app = new App({ context: { '@aws-cdk/core:validateAgainstDefaultRules': true } });
  const properties = { VisibilityTimeout: 'soon' };
  new CfnResource(new Stack(app, 'Wrong'), 'Queue', { type: 'AWS::SQS::Queue', properties });
  expect(() => app.synth()).toThrow(/validation/i);
});

for (const name of readdirSync(import.meta.dirname)) {
  if (name.endsWith('.test.ts') && !name.endsWith('.long.test.ts')) await import(`./${name}`);
}
