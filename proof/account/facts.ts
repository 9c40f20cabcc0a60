import { DYNAMODB_FACTS } from './facts-dynamodb.ts';
import { LAMBDA_FACTS } from './facts-lambda.ts';
import type { Probe } from './probe.ts';

/** What a check has found. `unknown`: it could not be carried out, and says why. */
export interface Finding {
  readonly kind: 'confirmed' | 'refuted' | 'unknown';
  /** What was seen, in a few words. */
  readonly seen: string;
}

/** What pawl takes for true of AWS, and that neither DynamoDB Local nor an emulator can prove. */
export interface Fact {
  readonly id: string;
  /** One sentence. */
  readonly fact: string;
  /** What of pawl stands on it. */
  readonly matters: string;
  check(probe: Probe): Promise<Finding>;
}

export const FACTS: readonly Fact[] = [...DYNAMODB_FACTS, ...LAMBDA_FACTS];

/** Carries a check out. One that throws has found nothing. */
export async function findOut({ check }: Fact, probe: Probe): Promise<Finding> {
  try {
    return await check(probe);
  } catch (error) {
    return { kind: 'unknown', seen: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
  }
}
