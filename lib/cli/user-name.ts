import { userInfo } from 'node:os';
import { UsageError } from './command.ts';

/** The name under which an act is kept where `--by` is left out. @throws UsageError where the system has none, as in a container whose user is a number */
export function userName(read: () => string = () => userInfo().username): string {
  try {
    return read();
  } catch {
    throw new UsageError('--by is missing: this system has no name for your user.');
  }
}
