import type { Random } from '../../lib/rehearsal/engine/random.ts';
import type { StoreFaults } from '../faults/faults.ts';

const connections = 0.01;
const answers = 0.02;

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
