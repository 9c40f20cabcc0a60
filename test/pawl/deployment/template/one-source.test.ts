import { afterEach, expect, test, vi } from 'vitest';
import type { Format } from '../../../../lib/pawl/deployment/template/print.ts';

/* What the templates print is written down once. Each of these sources is replaced by another, and every template must follow. */

const all: readonly Format[] = ['sam', 'terraform', 'serverless', 'cloudformation'];

afterEach(() => {
  vi.doUnmock('../../../../lib/pawl/deployment/needs.ts');
  vi.doUnmock('../../../../lib/pawl/deployment/consumer-defaults.ts');
  vi.doUnmock('../../../../lib/pawl/deployment/wiring-receives.ts');
  vi.doUnmock('../../../../lib/pawl/deployment/table-definition.ts');
  vi.resetModules();
});

async function printed(): Promise<readonly string[]> {
  vi.resetModules();
  const { templateText } = await import('../../../../lib/cli/template-text.ts');
  return all.map((format) => templateText(format, { locks: true }));
}

test('a permission that the consumer needs from now on is in every template', async () => {
  const others = ['claimActions', 'lockActions', 'queueActions', 'deadLetterActions'];
  vi.doMock('../../../../lib/pawl/deployment/needs.ts', () =>
    Object.fromEntries(others.map((name) => [name, [`new:${name}`]])),
  );
  for (const template of await printed()) {
    for (const name of others) expect(template).toContain(`new:${name}`);
    expect(template).not.toMatch(/sqs:ReceiveMessage|dynamodb:PutItem/);
  }
});

test('a default of the constructs that changes is changed in every template', async () => {
  vi.doMock('../../../../lib/pawl/deployment/consumer-defaults.ts', async (original) => {
    const { consumerDefaults } =
      await original<typeof import('../../../../lib/pawl/deployment/consumer-defaults.ts')>();
    const changed = { timeoutSeconds: 77, memoryMb: 999, retentionSeconds: 99_999, runtime: 'nodejs26.x' };
    return { consumerDefaults: { ...consumerDefaults, ...changed } };
  });
  for (const template of await printed()) {
    for (const value of [77, 6 * 77, 999, 99_999, 'nodejs26.x']) expect(template).toMatch(new RegExp(`\\b${value}\\b`));
  }
});

test('a rule that wants more receives changes every template', async () => {
  vi.doMock('../../../../lib/pawl/deployment/wiring-receives.ts', async (original) => {
    const real = await original<typeof import('../../../../lib/pawl/deployment/wiring-receives.ts')>();
    return { ...real, leastReceives: () => ({ all: 321, because: [] }) };
  });
  for (const template of await printed()) expect(template).toMatch(/maxReceiveCount\s*[:=] 321\n/);
});

test('an index of the claims table is in every template, and its attributes are declared', async () => {
  vi.doMock('../../../../lib/pawl/deployment/table-definition.ts', async (original) => {
    const real = await original<typeof import('../../../../lib/pawl/deployment/table-definition.ts')>();
    const index = {
      name: 'by-shard',
      partitionKey: { name: 'shard', type: 'S' },
      sortKey: { name: 'since', type: 'N' },
      projection: ['reason'],
    } as const;
    return { ...real, claimsTableDefinition: { ...real.claimsTableDefinition, indexes: [index] } };
  });
  for (const template of await printed()) {
    for (const text of ['by-shard', 'shard', 'since', 'INCLUDE', 'reason']) expect(template).toContain(text);
    expect(template).toMatch(/AttributeName: since\n\s+AttributeType: "N"\n|name = "since"\n\s+type = "N"\n/);
  }
});
