/** What a consumer's role must be permitted. No CDK in here, so that the same can be asked of a deployed role. */

/** What `dynamoStore` calls: a batch of claims is one `BatchExecuteStatement`, which IAM knows as its statements. */
export const STORE_ACTIONS = [
  'dynamodb:BatchGetItem',
  'dynamodb:PutItem',
  'dynamodb:PartiQLInsert',
  'dynamodb:PartiQLUpdate',
] as const;

/** What `individualDynamoStore` calls. */
export const INDIVIDUAL_STORE_ACTIONS = ['dynamodb:GetItem', 'dynamodb:PutItem'] as const;

/** What `pawl/locks` calls: locks, their checks in transactions of the caller's, and the progress of `forEachItem`. */
export const LOCK_ACTIONS = [
  'dynamodb:BatchGetItem',
  'dynamodb:PutItem',
  'dynamodb:UpdateItem',
  'dynamodb:ConditionCheckItem',
] as const;

/** What Lambda does with the queue in the function's name, and what pawl does to defer. */
export const QUEUE_ACTIONS = [
  'sqs:ReceiveMessage',
  'sqs:DeleteMessage',
  'sqs:ChangeMessageVisibility',
  'sqs:GetQueueAttributes',
] as const;

/** What moves a message that can never run out of the way. */
export const DEAD_LETTER_ACTIONS = ['sqs:SendMessage'] as const;
