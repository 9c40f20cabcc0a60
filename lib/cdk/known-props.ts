import type { IConstruct } from 'constructs';
import { type TakenOptions, unknownOptions, WiringError } from 'pawl/deployment';

/**
 * Refuses properties that a construct does not have. Ignored, a misspelt one would deploy what its author has ruled out.
 *
 * @throws {WiringError} that names each, and the nearest known name
 */
export function expectProps(construct: IConstruct, props: object, taken: TakenOptions): void {
  const given: unknown = props;
  if (typeof given !== 'object' || given === null) {
    const type = given === null ? 'null' : typeof given;
    const expected = `${taken.door}: expected an object of properties as the third argument; got ${type}.`;
    throw new WiringError(construct.node.path, [expected]);
  }
  const problems = unknownOptions(props, taken);
  if (problems.length > 0) throw new WiringError(construct.node.path, problems);
}
