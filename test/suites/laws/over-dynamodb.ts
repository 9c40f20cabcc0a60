import { afterAll, beforeAll, inject } from 'vitest';
import { dynamoLockStore } from '../../../lib/pawl/locks/dynamodb/store.ts';
import { keepsNotes } from '../../../lib/pawl/rules/notes.ts';
import type { ClaimStore } from '../../../lib/pawl/rules/store.ts';
import { type Aws, dynamoStore, sdk, type TableOptions } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { claimStoreLaws, lockStoreLaws } from '../../../lib/testing/index.ts';
import { lawTest } from '../../support/law-test.ts';
import { leanOver, localLean, losingResponses } from '../../support/lean.ts';
import { loseAnswersOf } from '../../support/lost-answers.ts';
import { claimsTable, localClient } from '../../support/tables.ts';

type Client = ReturnType<typeof localClient>;

/** A way to DynamoDB Local. */
interface Opened {
  readonly aws: Aws;
  destroy(): void;
}

/** One of the two ways to AWS. */
interface Way {
  readonly name: string;
  open(endpoint: string): Opened;
  /** One that loses the first response of each write that was applied, and how many it has lost. */
  openLosing(endpoint: string): { readonly aws: Aws; readonly lost: () => number };
}

export const overSdk: Way = {
  name: 'over the SDK',
  open: (endpoint) => clientOver(localClient(endpoint)),
  // The SDK's own retry of a transaction carries its token, and DynamoDB answers as to the first. A caller's own does not.
  openLosing(endpoint) {
    const client = localClient(endpoint);
    const lost = loseAnswersOf(client);
    return { aws: sdk({ dynamodb: client }), lost };
  },
};

export const overLean: Way = {
  name: 'without the SDK',
  open(endpoint) {
    const aws = localLean(endpoint);
    return { aws, destroy: aws.destroy };
  },
  openLosing(endpoint) {
    const { http, lost } = losingResponses(endpoint);
    return { aws: leanOver(endpoint, http), lost };
  },
};

/** The SDK's way, whose client sends statements again by itself. */
export const overTroubled = (trouble: (client: Client) => void): Way => ({
  ...overSdk,
  open(endpoint) {
    const client = localClient(endpoint);
    trouble(client);
    return clientOver(client);
  },
});

function clientOver(client: Client): Opened {
  return { aws: sdk({ dynamodb: client }), destroy: () => client.destroy() };
}

/** Two workers of a table of its own on DynamoDB Local. */
function workers(way: Way, elsewhereBy = way) {
  const endpoint = inject('dynamoEndpoint');
  const [here, elsewhere] = [way.open(endpoint), elsewhereBy.open(endpoint)];
  let tableName = '';
  beforeAll(async () => {
    const maker = localClient(endpoint);
    tableName = await claimsTable(maker);
    maker.destroy();
  });
  afterAll(() => {
    for (const each of [here, elsewhere]) each.destroy();
  });
  return {
    here: () => ({ tableName, aws: here.aws }),
    elsewhere: () => ({ tableName, aws: elsewhere.aws }),
    losing() {
      const { aws, lost } = way.openLosing(endpoint);
      return { options: { tableName, aws }, lost };
    },
  };
}

/**
 * Registers the laws of claim stores over a table of its own on DynamoDB Local.
 *
 * @param runs how many random writes and histories are tried, and ten times as many races
 * @param mayMeetItself a statement that fails although it was applied is sent again by the store
 */
export function lawsOverDynamoDb(
  name: string,
  open: (options: TableOptions) => ClaimStore,
  runs: number,
  { way = overSdk, mayMeetItself = false } = {},
): void {
  const { here, elsewhere, losing } = workers(way, mayMeetItself ? overSdk : way);
  claimStoreLaws({
    test: lawTest,
    name: `${name} ${way.name} on DynamoDB Local`,
    open: () => open(here()),
    openElsewhere: () => open(elsewhere()),
    openLosingResponses() {
      const { options, lost } = losing();
      return { store: open(options), lost };
    },
    listsOpenClaims: true,
    keepsNotes: keepsNotes(open({ ...here(), tableName: 'any' })),
    races: 10 * runs,
    runs,
    mayMeetItself,
  });
}

/** The laws of lock stores, over a table of its own on DynamoDB Local. */
export function lockLawsOverDynamoDb(way: Way): void {
  const { here, elsewhere, losing } = workers(way);
  lockStoreLaws({
    test: lawTest,
    name: `dynamoLockStore ${way.name} on DynamoDB Local`,
    open: () => dynamoLockStore(dynamoStore(here())),
    openElsewhere: () => dynamoLockStore(dynamoStore(elsewhere())),
    openLosingResponses() {
      const { options, lost } = losing();
      return { store: dynamoLockStore(dynamoStore(options)), lost };
    },
  });
}
