/** What a consumer cannot do without. No CDK in here: the constructs' list is held equal to it by a test. */
export const NEEDED_CLAIM_ACTIONS = [
  'dynamodb:GetItem',
  'dynamodb:BatchGetItem',
  'dynamodb:PutItem',
  'dynamodb:PartiQLInsert',
  'dynamodb:PartiQLUpdate',
] as const;

/** What Lambda does with the queue in the function's name, and what pawl does to defer. */
export const NEEDED_QUEUE_ACTIONS = [
  'sqs:ReceiveMessage',
  'sqs:DeleteMessage',
  'sqs:ChangeMessageVisibility',
  'sqs:GetQueueAttributes',
] as const;

/** What moves a message that can never run out of the way. */
export const NEEDED_DEAD_LETTER_ACTIONS = ['sqs:SendMessage'] as const;
