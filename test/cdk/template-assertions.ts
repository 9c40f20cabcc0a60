import { Template } from 'aws-cdk-lib/assertions';
import { expect } from 'vitest';

/*
 * What CDK's `Template` asserts, it throws by itself, and Vitest counts no assertion of it: a test of templates alone would be
 * taken for one that cannot fail. Each assertion of a template counts as one of Vitest here.
 */

const asserting = ['hasResource', 'hasResourceProperties', 'resourceCountIs', 'resourcePropertiesCountIs'] as const;

for (const name of asserting) {
  const assert: (...args: never[]) => void = Template.prototype[name];
  Template.prototype[name] = function counted(this: Template, ...args: never[]) {
    assert.apply(this, args);
    expect(name).toBeTypeOf('string');
  };
}
