/**
 * The index of open claims, as every table of claims has it: `ClaimsTable` deploys it, and `listOpen` reads it. It imports nothing, so that a
 * stack does not load the runtime for it.
 *
 * An item is in it only while it has both keys: no claim that completes on its first attempt ever is, unless it is watched.
 *
 * The sort key is not the id, although a search by operation would then read nothing else. DynamoDB takes 2,048 bytes of a partition key
 * and 1,024 of a sort key: with the id there, it would refuse every write of a claim with a long key.
 */
export const openIndex = {
  name: 'open',
  /** The shard. A text. */
  partitionKey: 'open',
  /** A number: in its shard, the claim that was first seen first comes first. */
  sortKey: 'firstSeenAt',
  /** What is in the index besides its keys and the table's. Neither a result nor a checkpoint: those may be large, and personal. */
  projected: ['status', 'fence', 'attempts', 'abandoned', 'leaseUntil', 'unknownAt', 'error', 'attributes'],
} as const;
