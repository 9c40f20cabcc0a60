/** The parts of a condition and an update, as users of `DynamoDBDocumentClient` write them. */
export interface Fenced {
  /** Holds unless a later lock of the resource has written here. */
  readonly condition: string;
  /** Leaves the fence behind, for a write that comes later with an older one: goes after `SET`. */
  readonly set: string;
  readonly names: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, number>>;
}

/**
 * Guards an item of the application by the fence of its resource, without looking at the lock: a write from before a takeover
 * is refused once the new holder has written.
 *
 * @param attribute where the item keeps its fence
 * @example
 * const fenced = fencedBy(lock.fence(['debt', 'debt-17']));
 * const Update = {
 *   TableName: 'debts',
 *   Key: { id: 'debt-17' },
 *   UpdateExpression: `SET repaid = :true, ${fenced.set}`,
 *   ConditionExpression: fenced.condition,
 *   ExpressionAttributeNames: fenced.names,
 *   ExpressionAttributeValues: { ...fenced.values, ':true': true },
 * };
 */
export function fencedBy(fence: number, attribute = 'lockFence'): Fenced {
  return {
    condition: '(attribute_not_exists(#lockFence) OR #lockFence <= :lockFence)',
    set: '#lockFence = :lockFence',
    names: { '#lockFence': attribute },
    values: { ':lockFence': fence },
  };
}
