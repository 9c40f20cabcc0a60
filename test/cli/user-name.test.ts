import { expect, it } from 'vitest';
import { UsageError } from '../../lib/cli/command.ts';
import { userName } from '../../lib/cli/user-name.ts';

it('asks for --by where the system has no name for the user, as in a container', () => {
  expect(userName(() => 'maria')).toBe('maria');
  const read = () => {
    throw Object.assign(new Error('uv_os_get_passwd returned ENOENT'), { name: 'SystemError' });
  };
  expect(() => userName(read)).toThrow(new UsageError('--by is missing: this system has no name for your user.'));
});
