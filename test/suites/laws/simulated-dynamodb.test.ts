import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import { dynamoLockStore } from '../../../lib/pawl/locks/dynamodb/store.ts';
import type { ClaimStore } from '../../../lib/pawl/rules/store.ts';
import { dynamoStore, individualDynamoStore, sdk, type TableOptions } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { claimStoreLaws, lockStoreLaws } from '../../../lib/testing/index.ts';
import { dynamoClient } from '../../../proof/simulation/dynamodb/client.ts';
import { simulatedTable } from '../../../proof/simulation/dynamodb/table.ts';
import type { FaultName } from '../../../proof/simulation/faults.ts';
import { createSandbox, type Sandbox } from '../../../proof/simulation/lambda/sandbox.ts';
import { noStats } from '../../../proof/simulation/simulation.ts';
import { createWorld } from '../../../proof/simulation/world/world.ts';
import { inCompany } from '../../support/in-company.ts';
import { lawTest } from '../../support/law-test.ts';

/** What the simulation believes of DynamoDB must be so: the laws that hold on DynamoDB Local hold on the simulated table. */
const world = createWorld({ seed: 1, keepsStory: false, turnsTheLoop: false });
const sandbox = createSandbox(world, 'laws', 0);
const tableName = 'claims';
const table = simulatedTable<Sandbox>(tableName, () => {});
const struck = new Map<FaultName, number>();

/** A client of which each request meets these faults, each with its own chance. */
function clientWith(faults: Partial<Record<FaultName, number>>): DynamoDBClient {
  const strikes = (fault: FaultName) => {
    const happens = world.random.chance(faults[fault] ?? 0);
    if (happens) struck.set(fault, (struck.get(fault) ?? 0) + 1);
    return happens;
  };
  const surroundings = {
    world,
    strikes,
    isOut: () => false,
    stats: noStats(),
    // So many that a request which fails at all of them is none of chance's.
    scenario: { sdkTries: 20 },
    oracle: { heard: () => {}, storeFails: () => {} },
  };
  return inItsOwnTime(dynamoClient(surroundings, sandbox, table));
}

/** The laws do not know of the world's time: it passes whenever something waits for it. */
function inItsOwnTime(client: DynamoDBClient): DynamoDBClient {
  const send = (command: never) => {
    const answer = client.send(command);
    passTime();
    return answer;
  };
  return { send } as unknown as DynamoDBClient;
}

let passing = false;
function passTime(): void {
  if (passing) return;
  passing = true;
  // Not before all that is asked for in this turn of the event loop is on its way.
  setImmediate(async () => {
    await world.run(Number.POSITIVE_INFINITY);
    passing = false;
  });
}

const host = {
  random: world.random.next,
  after(ms: number, run: () => void) {
    const cancel = world.after(ms, run);
    passTime();
    return cancel;
  },
};

/** Loses the answer of every first try of a write that was applied, below the SDK's own retry. */
function losingAnswers() {
  let lost = 0;
  const client = clientWith({});
  const send = async (command: { readonly input: object }) => {
    const answer = (await client.send(command as never)) as { readonly Responses?: { readonly Error?: unknown }[] };
    const isRead = command.constructor.name.includes('Get');
    if (isRead || (Array.isArray(answer.Responses) && answer.Responses[0]?.Error)) return answer;
    lost++;
    return client.send(command as never);
  };
  return { client: { send } as unknown as DynamoDBClient, lost: () => lost };
}

type Open = (options: TableOptions) => ClaimStore;

function laws(name: string, open: Open, runs: number, client = clientWith({}), mayMeetItself = false): void {
  claimStoreLaws({
    test: lawTest,
    name: `${name} on the simulated table`,
    open: () => open({ tableName, aws: sdk({ dynamodb: client }) }),
    openElsewhere: () => open({ tableName, aws: sdk({ dynamodb: clientWith({}) }) }),
    openLosingResponses() {
      const losing = losingAnswers();
      return { store: open({ tableName, aws: sdk({ dynamodb: losing.client }) }), lost: losing.lost };
    },
    races: 10 * runs,
    runs,
    mayMeetItself,
  });
}

const batches: Open = (options) => dynamoStore({ ...options, host });
laws('dynamoStore', batches, 50);
laws('individualDynamoStore', individualDynamoStore, 30);
laws('dynamoStore, always in a batch', (options) => inCompany(batches(options)), 100);

const inPart = { statementThrottled: 0.05, statementFailsApplied: 0.05, itemWithheld: 0.5, keysUnprocessed: 0.05 };
const onTheWay = { storeThrottles: 0.1, storeFails: 0.1, storeRequestLost: 0.1, storeAnswerLost: 0.1 };
laws(
  'dynamoStore, in batches that fail in part',
  (options) => inCompany(batches(options)),
  20,
  clientWith(inPart),
  true,
);
laws('dynamoStore, on an unreliable way', batches, 20, clientWith(onTheWay), true);

function locks(name: string, client = clientWith({}), mayMeetItself = false): void {
  lockStoreLaws({
    test: lawTest,
    name: `${name} on the simulated table`,
    open: () => dynamoLockStore(dynamoStore({ tableName, aws: sdk({ dynamodb: client }), host })),
    openElsewhere: () => dynamoLockStore(dynamoStore({ tableName, aws: sdk({ dynamodb: clientWith({}) }), host })),
    openLosingResponses() {
      const losing = losingAnswers();
      return {
        store: dynamoLockStore(dynamoStore({ tableName, aws: sdk({ dynamodb: losing.client }), host })),
        lost: losing.lost,
      };
    },
    mayMeetItself,
  });
}
locks('dynamoLockStore');
const meeting = { storeConflicts: 0.2, keysUnprocessed: 0.1 };
locks('dynamoLockStore, on an unreliable way', clientWith(onTheWay), true);
// Apart: a transaction that was applied, whose answer was lost, and that is sent again into another one, is refused as its own.
locks('dynamoLockStore, that meets other transactions', clientWith(meeting));

it('and all of that did happen', () => {
  for (const fault of Object.keys({ ...inPart, ...onTheWay, ...meeting }) as FaultName[]) {
    expect(struck.get(fault), fault).toBeGreaterThan(20);
  }
});
