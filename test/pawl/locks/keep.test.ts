import { expect, it } from 'vitest';
import { OptionError } from '../../../lib/pawl/index.ts';
import { memoryLockStore, resourceLocks } from '../../../lib/pawl/locks/index.ts';
import { virtualHost } from '../../support/virtual-host.ts';

it.each([Number.NaN, Number.POSITIVE_INFINITY, -1, '900000'])(
  'a lock is kept for no time that is none: %s',
  async (keepMs) => {
    const locks = resourceLocks({ store: memoryLockStore(), host: virtualHost() });
    const lock = await locks.lockAll([['debt', 17]], { holder: 'one' });
    await expect(lock.keep(keepMs as number)).rejects.toThrow(OptionError);
    expect(await locks.read([['debt', 17]])).toMatchObject([{ holder: 'one', status: 'held' }]);
    expect(await lock.unlock()).toBe('unlocked');
  },
);
