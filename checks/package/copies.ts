import { type Project, peers, typescript } from './project.ts';
import { recordText } from './record.ts';

/** The same program with the copies of pawl exchanged: what is called by `mine` gets what `yours` has made. */
const program = (mine: string, yours: string) => `
import { createRequire } from 'node:module';
import * as esm from 'pawl';
import * as esmSqs from 'pawl/sqs';
import * as esmLocks from 'pawl/locks';

const require = createRequire(import.meta.url);
const copies = {
  esm: { ...esm, ...esmSqs, ...esmLocks },
  cjs: { ...require('pawl'), ...require('pawl/sqs'), ...require('pawl/locks') } as typeof esm & typeof esmSqs & typeof esmLocks,
};
const { ${mine}: mine, ${yours}: yours } = copies;
const said: unknown[] = [mine.eachMessage !== yours.eachMessage];

const store = yours.memoryStore();
let charges = 0;
const handler = mine.eachMessage<{ orderId: string }>(
  {
    operation: 'charge',
    store,
    key: yours.bodyField('orderId'),
    onAbandoned: yours.reconcile({ ask: () => ({ verdict: 'inconclusive' }), settleMs: 0 }),
    lease: yours.renewedLease(10_000),
    backoffSeconds: () => undefined,
    onEvent: () => {},
  },
  async (_, claim) => {
    await yours.step(claim, 'charge', () => ++charges, { onAbandoned: 'retry' });
    if (claim.fence === 1) throw new yours.RetryableError('later');
  },
);
const record = ${recordText("'a'", `'{"orderId":"17"}'`)};
const context = { getRemainingTimeInMillis: () => 30_000 };
said.push((await handler({ Records: [record] }, context)).batchItemFailures.length);
said.push((await handler({ Records: [record] }, context)).batchItemFailures.length, charges, store.records()[0]?.status);

const lockStore = yours.memoryLockStore();
const unlock = { onSuccess: 'unlock', onFailure: 'unlock' } as const;
await mine
  .resourceLocks({ store: lockStore })
  .withLock(['debt'], { holder: 'a', unlock }, () => yours.resourceLocks({ store: lockStore }).lockAll(['debt'], { holder: 'a' }))
  .catch((error: Error) => said.push(error.name));
console.log(said.join());
`;

const mixed = 'true,1,0,1,completed,NestedLockError';

/** A process that loads pawl by `import` and by `require`. */
export function copiesProject(): Project {
  return {
    name: 'both copies in one process',
    has: [
      ...typescript,
      ...peers('highest', '@aws-sdk/client-sqs', '@aws-sdk/client-dynamodb', '@aws-sdk/util-dynamodb'),
    ],
    files: { 'mixed.ts': program('esm', 'cjs'), 'exchanged.ts': program('cjs', 'esm') },
    steps: [
      { args: ['node_modules/typescript/bin/tsc'] },
      { args: ['mixed.ts'], prints: mixed },
      { args: ['exchanged.ts'], prints: mixed },
    ],
  };
}
