import { afterEach, describe, expect, test, vi } from 'vitest';
import { memoryStore, once } from '../../../lib/pawl/index.ts';
import { memoryLockStore, resourceLocks } from '../../../lib/pawl/locks/index.ts';
import { bodyField, eachMessage } from '../../../lib/pawl/sqs/index.ts';
import { rememberCompleted } from '../../../lib/pawl/stores/remember-completed.ts';
import { warnedBy } from '../../suites/mistakes/mistake.ts';
import { context, noQueue, sqsEvent, sqsRecord } from '../../support/lambda.ts';

const shared = { operation: 'mail', onAbandoned: 'retry', onEvent: () => undefined } as const;

async function useEveryDoor(): Promise<void> {
  await once({ ...shared, store: rememberCompleted(memoryStore()), key: (id: string) => id }, () => 1)('7');
  const options = { ...shared, store: memoryStore(), key: bodyField('id'), aws: noQueue };
  await eachMessage(options, async () => undefined)(sqsEvent(sqsRecord({ id: '7' })), context());
  const unlock = { onSuccess: 'unlock', onFailure: 'unlock' } as const;
  await resourceLocks({ store: memoryLockStore() }).withLock(['account-7'], { holder: 'mail-7', unlock }, () => 1);
}

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('a store in the memory of a process', () => {
  test('is what tests use, also those that set the name of a function', async () => {
    expect(await warnedBy(useEveryDoor)).toBe('');
    vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', 'orders');
    vi.stubEnv('AWS_EXECUTION_ENV', 'AWS_Lambda_nodejs24.x');
    expect(await warnedBy(useEveryDoor)).toBe('');
  });

  test('is warned of in Lambda, whatever uses it, once in a cold start', async () => {
    vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', 'orders');
    vi.stubEnv('LAMBDA_TASK_ROOT', '/var/task');
    expect(await warnedBy(() => memoryStore())).toBe('');
    const warned = await warnedBy(async () => {
      await useEveryDoor();
      await useEveryDoor();
    });
    expect(warned.split('\n')).toEqual([
      expect.stringMatching(/^pawl: memoryStore\(\) is for tests.*Write dynamoStore\(.*#memory-in-lambda$/),
      expect.stringMatching(/^pawl: memoryLockStore\(\) is for tests.*Write dynamoLockStore\(.*#memory-in-lambda$/),
    ]);
  });
});
