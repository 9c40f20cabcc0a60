import { expect, it } from 'vitest';
import { nodeHost } from '../../../lib/pawl/host.ts';
import { dynamoStore } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { createRandom } from '../../../lib/rehearsal/engine/random.ts';
import { inCompany } from '../../support/in-company.ts';
import { type Troubles, troubleBatchesOf } from '../../support/unreliable.ts';
import { lawsOverDynamoDb, overTroubled } from './over-dynamodb.ts';

const impatient = {
  random: nodeHost.random,
  after: (ms: number, run: () => void) => nodeHost.after(Math.min(ms, 1), run),
};
let troubles: Troubles;
lawsOverDynamoDb(
  'dynamoStore, in batches that fail in part',
  (options) => inCompany(dynamoStore({ ...options, host: impatient })),
  20,
  {
    way: overTroubled((client) => {
      troubles = troubleBatchesOf(client, createRandom(7).next, 0.2);
    }),
    mayMeetItself: true,
  },
);

it('and the batches did fail in part, in every way', () => {
  for (const [trouble, times] of Object.entries(troubles)) expect(times, trouble).toBeGreaterThan(20);
});
