import type { Random } from '../../lib/rehearsal/engine/random.ts';
import type { StoreFaults } from '../faults/faults.ts';

/** Lower than at DynamoDB, whose client sends again by itself: a transaction has three statements at least, and each may be struck. */
const connections = 0.005;
const answers = 0.01;

/** What PostgreSQL does on a bad day, by chance: a connection ends before a statement has arrived, or before its response has. */
export function createPostgresFaults(random: Pick<Random, 'chance'>): StoreFaults {
  const stats = { connectionsLost: 0, answersLost: 0 };
  const strikes = (fault: keyof typeof stats, share: number) => {
    const happens = random.chance(share);
    if (happens) stats[fault] += 1;
    return happens ? 'drop' : 'pass';
  };
  return {
    stats,
    hooks: {
      onRequest: () => strikes('connectionsLost', connections),
      onResponse: () => strikes('answersLost', answers),
    },
  };
}
