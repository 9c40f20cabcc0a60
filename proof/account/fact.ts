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

export function finding(isSo: boolean, seen: string): Finding {
  return { kind: isSo ? 'confirmed' : 'refuted', seen };
}
