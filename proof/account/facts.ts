import type { Fact, Finding } from './fact.ts';
import { DYNAMODB_FACTS } from './facts-dynamodb.ts';
import { LAMBDA_FACTS } from './facts-lambda.ts';
import type { Probe } from './probe.ts';

export const FACTS: readonly Fact[] = [...DYNAMODB_FACTS, ...LAMBDA_FACTS];

/** Carries a check out. One that throws has found nothing. */
export async function findOut({ check }: Fact, probe: Probe): Promise<Finding> {
  try {
    return await check(probe);
  } catch (error) {
    return { kind: 'unknown', seen: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
  }
}
