import type { InStack } from './app/constructs.ts';
import type { Resource } from './app/read-app.ts';
import { list, ofType, placeOf, properties, type Reading, readOrList, targetFunction } from './app/reading.ts';
import { list as listOf, optionalNumber, record } from './app/template.ts';
import type { FunctionReference } from './provisioned.ts';

/** What a mapping has, whatever its source is. */
export interface Mapping extends InStack, FunctionReference {
  readonly enabled: boolean;
  readonly batchSize: number;
  readonly windowMs: number;
  readonly reportsBatchItemFailures: boolean;
  /** Patterns as EventBridge has them. What matches none is not for the function. Empty: everything matches. */
  readonly filters: readonly Readonly<Record<string, unknown>>[];
}

/** A mapping, as far as it is read here: without its own size of a batch, it has that of the source. */
export type CommonMapping = Omit<Mapping, 'batchSize'> & { readonly batchSize: number | undefined };

/** Reads the rest of a mapping. @throws Error as the resolver does: then it is listed */
type MappingReader = (reading: Reading, at: Resource, common: CommonMapping) => void;

/** What mappings may read from. */
export interface MappingSource {
  /** The words for one, in a message. */
  readonly called: string;
  /** The reader of a mapping whose source is this ARN; `undefined` if the ARN is none of these. */
  readonly at: (arn: unknown) => MappingReader | undefined;
}

/** Reads the event source mappings of the app. Those without a source among these are listed. */
export function readMappings(reading: Reading, sources: readonly MappingSource[]): void {
  for (const resource of ofType(reading, 'AWS::Lambda::EventSourceMapping')) {
    readOrList(reading, resource, () => {
      const { EventSourceArn } = properties(resource, 'EventSourceArn');
      const [read] = sources.flatMap(({ at }) => at(EventSourceArn) ?? []);
      if (read === undefined) {
        const known = sources.map(({ called }) => `no ${called}`).join(' and ');
        const why = `Nothing reads from it: it is ${known} of this app.`;
        list(reading, resource, why, 'EventSourceArn');
        return;
      }
      const common = readCommon(reading, resource);
      if (common !== undefined) read(reading, resource, common);
    });
  }
}

function readCommon(reading: Reading, resource: Resource): CommonMapping | undefined {
  const read = properties(
    resource,
    'FunctionName',
    'Enabled',
    'BatchSize',
    'MaximumBatchingWindowInSeconds',
    'FunctionResponseTypes',
    'FilterCriteria',
  );
  const target = targetFunction(reading, resource, read['FunctionName']);
  return (
    target && {
      ...placeOf(resource),
      ...target,
      enabled: String(read['Enabled'] ?? true) === 'true',
      batchSize: optionalNumber(read['BatchSize']),
      windowMs: Number(read['MaximumBatchingWindowInSeconds'] ?? 0) * 1_000,
      reportsBatchItemFailures: listOf(read['FunctionResponseTypes']).includes('ReportBatchItemFailures'),
      filters: listOf(record(read['FilterCriteria'])['Filters']).map((filter) =>
        record(JSON.parse(String(record(filter)['Pattern'] ?? '{}'))),
      ),
    }
  );
}
