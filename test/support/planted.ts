import { existsSync, mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { claimsTableDefinition, keyAttributes } from '../../lib/pawl/deployment/table-definition.ts';
import { rehearsal } from '../../lib/rehearsal/file/define.ts';
import { httpProvider } from '../../lib/rehearsal/file/providers.ts';
import type { RehearsalResult } from '../../lib/rehearsal/file/result.ts';
import { runRehearsal } from '../../lib/rehearsal/file/run.ts';
import { bundleFunction } from '../../shop/bundle.ts';
import { countedRows, type PlantedApp, trafficOf } from '../fixtures/planted/planted.ts';
import type { ClientName } from '../fixtures/rehearsed/clients.ts';

const plantedFolder = fileURLToPath(new URL('../fixtures/planted/', import.meta.url));
const scratch = fileURLToPath(new URL('../../.pawl/', import.meta.url));

export const layouts = ['one', 'two', 'nested'] as const;
type Layout = (typeof layouts)[number];

export interface PlantedRun {
  readonly client: ClientName;
  readonly layout: Layout;
  readonly seed: number;
  readonly intents: number;
  /** The folder of the handlers, bundled. */
  readonly bundle: string;
  readonly dynamoDb?: { readonly endpoint: string };
}

/** Bundles the handlers of all planted apps, once for many runs. */
export async function bundlePlanted(): Promise<string> {
  if (!existsSync(scratch)) mkdirSync(scratch);
  const folder = mkdtempSync(join(scratch, 'planted-'));
  await bundleFunction(join(plantedFolder, 'handlers.ts'), folder);
  return folder;
}

/** Rehearses a planted app. */
export function rehearsePlanted(app: PlantedApp, run: PlantedRun): Promise<RehearsalResult> {
  const provider = httpProvider({
    // Two effects, told apart by the path.
    intent: ({ path, body }) => (path === '/mails' ? undefined : body.orderId),
    ...(app.keyed ? { idempotencyKey: ({ body }) => body.key } : {}),
  });
  const file = rehearsal({
    context: {
      ...app.context,
      ...(app.context['claims'] ? { claims: claimsTable() } : {}),
      layout: run.layout,
      bundle: run.bundle,
    },
    environment: { CLIENT: run.client },
    providers: { PROVIDER_URL: provider },
    effects: { charge: app.countsRows ? countedRows() : provider },
    traffic: trafficOf(app, run.intents),
    faults: app.faults,
    ...app.more,
  });
  const planted = { command: [process.execPath, 'app.mjs'], folder: plantedFolder } as const;
  return runRehearsal(file, { seed: run.seed, app: planted, dynamoDb: run.dynamoDb });
}

/** The properties of the table that ClaimsTable makes. */
function claimsTable() {
  const key = (name: string, KeyType = 'HASH') => ({ AttributeName: name, KeyType });
  return {
    KeySchema: [key(claimsTableDefinition.key.name)],
    AttributeDefinitions: keyAttributes(claimsTableDefinition).map(({ name, type }) => ({
      AttributeName: name,
      AttributeType: type,
    })),
    GlobalSecondaryIndexes: claimsTableDefinition.indexes.map(({ name, partitionKey, sortKey }) => ({
      IndexName: name,
      KeySchema: [key(partitionKey.name), ...(sortKey ? [key(sortKey.name, 'RANGE')] : [])],
      Projection: { ProjectionType: 'ALL' },
    })),
  };
}
