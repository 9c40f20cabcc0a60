import type { Fact, Finding } from './fact.ts';
import { dynamodbFacts } from './facts-dynamodb.ts';
import { lambdaFacts } from './facts-lambda.ts';
import type { Probe } from './probe.ts';

export const facts: readonly Fact[] = [...dynamodbFacts, ...lambdaFacts];

/** Carries a check out. One that throws has found nothing. */
export async function findOut({ check }: Fact, probe: Probe): Promise<Finding> {
  try {
    return await check(probe);
  } catch (error) {
    return { kind: 'unknown', seen: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
  }
}
