import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, inject, it, vi } from 'vitest';
import { nodeHost } from '../../../../lib/pawl/host.ts';
import { findingOf, readFinding, storeFinding } from '../../../../lib/pawl/statements/finding.ts';
import { findings } from '../../../../lib/pawl/statements/index.ts';
import { dynamoStore, sdk } from '../../../../lib/pawl/stores/dynamodb/index.ts';
import { withListing } from '../../../../lib/pawl/stores/listing.ts';
import { type HttpServer, startHttpServer } from '../../../../lib/rehearsal/engine/http.ts';
import { runCommand } from '../../../support/in-process.ts';
import { claimsTable, localClient } from '../../../support/tables.ts';

const client = localClient(inject('dynamoEndpoint'));
const folder = mkdtempSync(join(tmpdir(), 'settle-'));
const remedies = join(folder, 'remedies.mjs');
let sts: HttpServer;
/** Who calls, as STS says. */
let session = 'maria';
let tableName: string;
let ids: readonly string[];
const store = () => dynamoStore({ tableName, aws: sdk({ dynamodb: client }) });

beforeAll(async () => {
  sts = await startHttpServer((_, response) => {
    const arn = `arn:aws:sts::123456789012:assumed-role/Operators/${session}`;
    response.setHeader('content-type', 'text/xml');
    response.end(`<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult>
<Arn>${arn}</Arn><UserId>x</UserId><Account>123456789012</Account></GetCallerIdentityResult></GetCallerIdentityResponse>`);
  });
  const env = {
    ...{ AWS_ENDPOINT_URL_DYNAMODB: inject('dynamoEndpoint'), AWS_ENDPOINT_URL_STS: sts.endpoint },
    ...{ AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' },
  };
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  const approved = (approval: string) => `export default {
    operation: 'charge',
    remedies: { twice: { operation: 'refund', onAbandoned: 'park', amountOf: () => 500, run: () => ({ id: 're_1' })${approval} } },
    limits: { perRun: { count: 2, amount: 9000 }, perDay: { count: 9, amount: 9000 } },
  };`;
  writeFileSync(remedies, approved(''));
  writeFileSync(join(folder, 'approved.mjs'), approved(", approval: 'required'"));
});
beforeEach(async () => {
  tableName = await claimsTable(client);
  const made = ['1', '2', '3'].map((key) => {
    const what = { kind: 'twice', operation: 'charge', foundAt: Number(key), claimId: `charge#${key}` } as const;
    return findingOf(what, [key], nodeHost);
  });
  ids = (await Promise.all(made.map((one) => storeFinding(withListing(store()), one)))).map(({ id }) => id);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  client.destroy();
  rmSync(folder, { recursive: true });
  await sts.stop();
});

const pawl = (...args: readonly string[]) => runCommand(['findings', ...args, '--table', tableName]);
const acted = ['--by', 'maria', '--note', 'doubled'];

it('shows what remedies would run, asks, and runs them up to the limit', async () => {
  const dry = await pawl('settle', '--remedies', remedies, ...acted, '--dry-run');
  expect(dry.out).toMatch(/run +refund +500 +#finding#charge#twice#1\n/);
  expect(dry.out).toContain('stay: count-per-run');
  expect(dry.out).toContain('2 findings would be settled, 1 would stay.');
  await expect(pawl('settle', '--remedies', remedies, ...acted)).rejects.toThrow('Nothing was changed');
  expect(await readFinding(withListing(store()), ids[0] ?? '')).not.toHaveProperty('remedy');
  const ran = await pawl('settle', '--remedies', remedies, ...acted, '--yes');
  expect(ran).toMatchObject({ code: 1 });
  expect(ran.out).toContain('2 findings settled, 1 not.');
  expect(await pawl('settle', '--remedies', remedies, ...acted, '--yes')).toMatchObject({ code: 0 });
  expect(await readFinding(withListing(store()), ids[0] ?? '')).toMatchObject({
    remedied: { by: 'maria', note: 'doubled' },
  });
  expect((await pawl()).out).toBe('No finding is open.\n');
});

it('runs the remedies of what the filters find, and of no other finding', async () => {
  const missing = findingOf({ kind: 'missing-here', operation: 'charge', foundAt: 4 }, ['id', 'txn_4'], nodeHost);
  await storeFinding(withListing(store()), missing);
  const both = join(folder, 'both.mjs');
  const remedy = "{ operation: 'refund', onAbandoned: 'park', amountOf: () => 500, run: () => 1 }";
  writeFileSync(
    both,
    `export default {
      operation: 'charge',
      remedies: { twice: ${remedy}, 'missing-here': ${remedy} },
      limits: { perRun: { count: 9, amount: 9000 }, perDay: { count: 9, amount: 9000 } },
    };`,
  );
  const settle = (...more: readonly string[]) => pawl('settle', ...more, '--remedies', both, ...acted, '--yes');
  expect((await settle('--operation', 'mail')).out).toBe('0 findings would be settled, 0 would stay.\n');
  expect((await settle('--kind', 'missing-here')).out).toContain('1 finding settled, 0 not.');
  expect(await readFinding(withListing(store()), missing.id)).toHaveProperty('remedied');
  for (const id of ids) expect(await readFinding(withListing(store()), id)).not.toHaveProperty('remedy');
  for (const act of ['settle', 'accept', 'approve']) {
    await expect(pawl(act, ids[0] ?? '', '--kind', 'missing-here', ...acted)).rejects.toThrow(
      '--kind: name findings, or filters, and not both.',
    );
  }
});

it('asks for an approval, which whoever asked cannot give: AWS says who it is', async () => {
  const [id = ''] = ids;
  const asking = ['settle', id, '--remedies', join(folder, 'approved.mjs'), ...acted, '--yes'];
  session = 'maria';
  expect((await pawl(...asking)).out).toContain(`Asked for: ${id}: a second person approves it`);
  expect((await pawl('approve', id, ...acted, '--yes')).out).toContain(`Not approved: ${id}: own-request`);
  session = 'tom';
  expect((await pawl('approve', id, '--by', 'tom', '--note', 'seen', '--yes')).out).toContain(
    '1 finding approved, 0 not.',
  );
  session = 'maria';
  expect((await pawl(...asking)).out).toContain('1 finding settled, 0 not.');
});

it('shows whoever approves what was asked for, and approves nothing else: not a request that came after it', async () => {
  const [id = ''] = ids;
  const file = (amount: number) => {
    const path = join(folder, `asks-${amount}.mjs`);
    writeFileSync(
      path,
      `export default {
        operation: 'charge',
        remedies: { twice: { operation: 'refund', onAbandoned: 'park', amountOf: () => ${amount}, run: () => 1, approval: 'required' } },
        limits: { perRun: { count: 9, amount: 9000 }, perDay: { count: 9, amount: 9000 } },
      };`,
    );
    return path;
  };
  session = 'maria';
  await pawl('settle', id, '--remedies', file(500), ...acted, '--yes');
  session = 'tom';
  const seen = await pawl('approve', id, ids[1] ?? '', '--by', 'tom', '--note', 'seen', '--dry-run');
  expect(seen.out).toMatch(/^be approved +refund +500 +maria +#finding/m);
  expect(seen.out).toMatch(/^stay: not-asked +#finding/m);
  const desk = findings({
    store: store(),
    identity: async () => 'arn:aws:sts::123456789012:assumed-role/Operators/tom',
  });
  const request = (await readFinding(withListing(store()), id))?.request?.id;
  session = 'maria';
  await pawl('settle', id, '--remedies', file(5000), ...acted, '--yes');
  expect(await desk.approve(id, { by: 'tom', note: 'seen', request })).toMatchObject({ outcome: 'another-request' });
  const now = (await readFinding(withListing(store()), id))?.request?.id;
  expect(await desk.approve(id, { by: 'tom', note: 'seen', request: now })).toMatchObject({ outcome: 'approved' });
});

it('records what was settled by hand', async () => {
  const [id = ''] = ids;
  expect(await pawl('settle', id, '--by-hand', ...acted, '--yes')).toMatchObject({
    code: 0,
    out: '1 finding settled, 0 not.\n',
  });
  expect((await pawl('settle', id, '--by-hand', ...acted, '--yes')).out).toContain(`Not settled: ${id}: not-open`);
  const after = await pawl('settle', id, '--remedies', remedies, ...acted, '--dry-run');
  expect(after.out).toContain('stay: not-open');
  await expect(pawl('settle', id, ...acted)).rejects.toThrow('takes --remedies <file>, or --by-hand');
  await expect(pawl('settle', '--remedies', join(folder, 'none.mjs'), ...acted)).rejects.toThrow('cannot be loaded');
});

it('says of each finding that stays why, and of a remedy that throws what it has thrown', async () => {
  const thrown = (onAbandoned: string, error: string) => {
    const file = join(folder, `${onAbandoned}-${error}.mjs`);
    writeFileSync(
      file,
      `import { RejectedError } from '${import.meta.resolve('../../../../lib/pawl/index.ts')}';
      export default {
        operation: 'charge',
        remedies: { twice: { operation: 'refund', onAbandoned: '${onAbandoned}', amountOf: () => 500, run() { throw new ${error}('the bank says no'); } } },
        limits: { perRun: { count: 2, amount: 9000 }, perDay: { count: 9, amount: 9000 } },
      };`,
    );
    return file;
  };
  const [one = '', two = '', three = ''] = ids;
  const settle = (id: string, file: string) => pawl('settle', id, '--remedies', file, ...acted, '--yes');
  const failed = await settle(one, thrown('retry', 'Error'));
  expect(failed).toMatchObject({ code: 1 });
  expect(failed.out).toContain(`Not settled: ${one}: Error: the bank says no`);
  expect(failed.out).toContain('0 findings settled, 1 not.');
  // It is reserved, and the next run goes on with it.
  const again = await pawl('settle', one, '--remedies', remedies, ...acted, '--dry-run');
  expect(again.out).toMatch(/^go on +refund +500/m);
  await settle(two, thrown('park', 'Error'));
  const parked = await settle(two, thrown('park', 'Error'));
  expect(parked.out).toMatch(new RegExp(`Not settled: ${two}: parked, claim refund#`));
  expect(parked.error).toContain('Today, 2 remedies for 1000 in all are spent or reserved.');
  const rejected = await settle(three, thrown('retry', 'RejectedError'));
  expect(rejected.out).toMatch(new RegExp(`Not settled: ${three}: rejected, claim refund#`));
  const wrong = join(folder, 'wrong.mjs');
  writeFileSync(wrong, 'export default 7;');
  await expect(settle(one, wrong)).rejects.toThrow('to export { operation, remedies, limits } as its default');
  await expect(pawl('settle', '--by-hand', ...acted)).rejects.toThrow('--by-hand: name the findings.');
  await expect(pawl('settle', one, '--remedies', remedies, '--by', 'maria')).rejects.toThrow('--note is missing.');
});

it('says that a remedy has happened whose claim another worker has by then: its result does not', async () => {
  const file = join(folder, 'overtaken.mjs');
  writeFileSync(
    file,
    `export default {
      operation: 'charge',
      remedies: { twice: { operation: 'refund', onAbandoned: 'retry', amountOf: () => 500, run: (_, claim) => globalThis.overtake(claim.effectKey) } },
      limits: { perRun: { count: 9, amount: 9000 }, perDay: { count: 9, amount: 9000 } },
    };`,
  );
  const overtake = async (id: string) => {
    const seen = await store().read(id);
    if (seen === undefined) throw new Error('there is no claim');
    await store().write({ next: { ...seen, claimId: 'other', fence: seen.fence + 1, rev: seen.rev + 1 }, seen });
  };
  vi.stubGlobal('overtake', overtake);
  const { out, error } = await pawl('settle', ids[0] ?? '', '--remedies', file, ...acted, '--yes');
  vi.unstubAllGlobals();
  expect(out).toContain('1 not.');
  expect(error).toMatch(/^\{"pawl":"stale-claim",.*"id":"refund#/m);
});

it('says at which limit a run stops that others have passed meanwhile', async () => {
  const file = join(folder, 'limited.mjs');
  writeFileSync(
    file,
    `export default {
      operation: 'charge',
      remedies: { twice: { operation: 'refund', onAbandoned: 'park', amountOf: () => 500, run: () => 1 } },
      limits: { perRun: { count: 9, amount: 9000 }, perDay: { count: 2, amount: 9000 } },
    };`,
  );
  const [one = '', two = '', three = ''] = ids;
  const settle = (...some: readonly string[]) => pawl('settle', ...some, '--remedies', file, ...acted, '--yes');
  expect((await settle(one)).out).toContain('1 finding settled, 0 not.');
  const [a, b] = await Promise.all([settle(two), settle(three)]);
  expect([a.code, b.code].toSorted()).toEqual([0, 1]);
  expect(a.out + b.out).toContain('count-per-day');
});
