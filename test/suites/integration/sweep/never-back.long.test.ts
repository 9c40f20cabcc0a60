import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { dynamoStore, sdk } from '../../../../lib/pawl/stores/dynamodb/index.ts';
import { withListing } from '../../../../lib/pawl/stores/listing.ts';
import { startDynamoDbLocal } from '../../../../lib/rehearsal/engine/servers/dynamodb-local.ts';
import { claimsTable, localClient } from '../../../support/tables.ts';
import { chargeApi, chargeSweep, requestOf } from './callers.ts';

type Kind = 'applied' | 'not-applied' | 'unclear';

/** 200 requests: of every ten, six are applied before their function is killed, three are not, and of one the provider cannot say. */
const kindOf = (index: number): Kind => (index % 10 < 6 ? 'applied' : index % 10 < 9 ? 'not-applied' : 'unclear');

/** A provider that counts its effects. It says nothing to a request while it is `silent`, and ignores effect keys. */
async function startProvider() {
  const kinds = new Map<string, Kind>();
  const effects = new Map<string, number>();
  const nothing = (): void => undefined;
  const provider = { silent: true, charged: new Set<string>(), onCharge: nothing, onLookUp: nothing };
  const server = createServer((request, response) => {
    const effectKey = decodeURIComponent(request.url?.split('/').at(-1) ?? '');
    const key = /"?(c-\d+)"?$/.exec(effectKey)?.[1] ?? effectKey;
    if (request.method === 'POST') {
      if (!provider.silent || kinds.get(key) === 'applied') effects.set(key, (effects.get(key) ?? 0) + 1);
      provider.charged.add(key);
      provider.onCharge();
      if (!provider.silent) response.end(key);
      return;
    }
    provider.onLookUp();
    if (kinds.get(key) === 'unclear') response.statusCode = 503;
    else response.statusCode = effects.has(key) ? 200 : 404;
    response.end(key);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  async function stop() {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  return Object.assign(provider, { kinds, effects, url, stop });
}

const script = fileURLToPath(new URL('callers.ts', import.meta.url));
const start = (...args: readonly string[]): ChildProcess =>
  spawn(process.execPath, [script, ...args], { stdio: 'inherit' });

/** Kills a process once this is so. One that ends of itself before, as on a slow machine whose time was over, is started again. */
async function killOnce(startOne: () => ChildProcess, isSo: () => boolean, tell: (look: () => void) => void) {
  while (!isSo()) {
    const child = startOne();
    const exit = once(child, 'exit');
    const so = Promise.withResolvers<void>();
    tell(() => {
      if (isSo()) so.resolve();
    });
    await Promise.race([so.promise, exit]);
    child.kill('SIGKILL');
    await exit;
  }
}

it('200 requests over HTTP whose function is killed in mid-effect, and whose callers never come back, are settled by the sweep: none is doubled, and in doubt are those alone of which the provider cannot say, which are parked', async () => {
  const dynamo = await startDynamoDbLocal();
  const client = localClient(dynamo.endpoint);
  const provider = await startProvider();
  try {
    const tableName = await claimsTable(client);
    const keys = Array.from({ length: 200 }, (_, index) => `c-${index}`);
    for (const [index, key] of keys.entries()) provider.kinds.set(key, kindOf(index));
    const where = [dynamo.endpoint, tableName, provider.url] as const;

    for (let from = 0; from < keys.length; from += 50) {
      const missing = () => keys.slice(from, from + 50).filter((key) => !provider.charged.has(key));
      await killOnce(
        () => start('serve', ...where, ...missing()),
        () => missing().length === 0,
        (look) => {
          provider.onCharge = look;
        },
      );
    }

    // A sweep that dies in the middle of its questions.
    let asked = 0;
    await new Promise((resolve) => setTimeout(resolve, 3500));
    await killOnce(
      () => start('sweep', ...where),
      () => asked >= 15,
      (look) => {
        provider.onLookUp = () => {
          asked++;
          look();
        };
      },
    );

    const store = dynamoStore({ tableName, aws: sdk({ dynamodb: client }) });
    const openOnes = async () => {
      const { claims, cursor } = await withListing(store).listOpen({ limit: 1000 });
      expect(cursor).toBeUndefined();
      return claims;
    };
    // Two at once.
    const [one, other] = [chargeSweep(...where), chargeSweep(...where)];
    while ((await openOnes()).some(({ status }) => status !== 'parked')) {
      await Promise.all([one(), other()]);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }

    const left = await openOnes();
    const keyIn = (id: string) => /(c-\d+)/.exec(id)?.[1] ?? id;
    const unclear = keys.filter((key) => provider.kinds.get(key) === 'unclear');
    expect(left.map(({ id, status }) => `${keyIn(id)} ${status}`).toSorted()).toEqual(
      unclear.map((key) => `${key} parked`).toSorted(),
    );

    // The callers come back after all.
    provider.silent = false;
    const api = chargeApi(...where);
    const statuses = new Map<string, number>();
    for (const key of keys) {
      const { statusCode } = (await api(requestOf(key), { getRemainingTimeInMillis: () => 5000 })) as {
        statusCode: number;
      };
      statuses.set(key, statusCode);
    }
    for (const key of keys) {
      const isUnclear = provider.kinds.get(key) === 'unclear';
      expect([key, statuses.get(key) === 201, provider.effects.get(key) ?? 0]).toEqual([
        key,
        !isUnclear,
        isUnclear ? 0 : 1,
      ]);
    }
  } finally {
    await provider.stop();
    client.destroy();
    await dynamo.stop();
  }
});
